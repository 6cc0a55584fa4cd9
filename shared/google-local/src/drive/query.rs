//! What `files.list` is asked for (<https://developers.google.com/workspace/drive/api/guides/ref-search-terms>): terms
//! joined by `and`; of them those that Alfred uses.

use super::File;
use crate::error::ApiError;

/// All of these must hold.
#[derive(Debug, PartialEq)]
pub(super) struct Query(Vec<Term>);

#[derive(Debug, PartialEq)]
enum Term {
    MimeType(String),
    Trashed(bool),
    Property { key: String, value: String },
}

impl Query {
    /// An empty text asks for everything.
    pub fn parse(text: &str) -> Result<Self, ApiError> {
        let mut words = Words(text.trim());
        let mut terms = Vec::new();
        while !words.0.is_empty() {
            if !terms.is_empty() {
                words.take("and")?;
            }
            terms.push(words.term()?);
        }
        Ok(Self(terms))
    }

    pub fn fits(&self, file: &File) -> bool {
        self.0.iter().all(|term| match term {
            Term::MimeType(wanted) => file.content.mime_type() == wanted,
            Term::Trashed(wanted) => file.trashed == *wanted,
            Term::Property { key, value } => file.app_properties.get(key) == Some(value),
        })
    }
}

/// What is left to read.
struct Words<'a>(&'a str);

impl Words<'_> {
    fn term(&mut self) -> Result<Term, ApiError> {
        if self.take("mimeType").is_ok() {
            self.take("=")?;
            return Ok(Term::MimeType(self.quoted()?));
        }
        if self.take("trashed").is_ok() {
            self.take("=")?;
            let wanted = self.take("true").is_ok();
            if !wanted {
                self.take("false")?;
            }
            return Ok(Term::Trashed(wanted));
        }
        for word in ["appProperties", "has", "{", "key", "="] {
            self.take(word)?;
        }
        let key = self.quoted()?;
        for word in ["and", "value", "="] {
            self.take(word)?;
        }
        let value = self.quoted()?;
        self.take("}")?;
        Ok(Term::Property { key, value })
    }

    fn take(&mut self, word: &str) -> Result<(), ApiError> {
        let rest = self.0.strip_prefix(word).ok_or_else(invalid)?;
        self.0 = rest.trim_start();
        Ok(())
    }

    /// In single quotes; `\'` and `\\` are a quote and a backslash.
    fn quoted(&mut self) -> Result<String, ApiError> {
        let mut chars = self
            .0
            .strip_prefix('\'')
            .ok_or_else(invalid)?
            .char_indices();
        let mut text = String::new();
        while let Some((at, c)) = chars.next() {
            match c {
                '\'' => {
                    self.0 = self.0[at + 2..].trim_start();
                    return Ok(text);
                }
                '\\' => text.push(chars.next().ok_or_else(invalid)?.1),
                c => text.push(c),
            }
        }
        Err(invalid())
    }
}

fn invalid() -> ApiError {
    ApiError::new(400, "invalid", "Invalid Value")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_read() {
        let property = |key: &str, value: &str| Term::Property {
            key: key.into(),
            value: value.into(),
        };
        let cases = [
            ("", Some(vec![])),
            (
                "mimeType='a/b' and trashed = false",
                Some(vec![Term::MimeType("a/b".into()), Term::Trashed(false)]),
            ),
            (
                r"appProperties has { key='k' and value='it\'s' }",
                Some(vec![property("k", "it's")]),
            ),
            ("name contains 'x'", None),
            ("trashed = maybe", None),
            ("trashed = true or trashed = false", None),
            ("mimeType = 'open", None),
        ];
        for (text, expected) in cases {
            assert_eq!(Query::parse(text).ok(), expected.map(Query), "{text}");
        }
    }
}
