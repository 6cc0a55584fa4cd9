//! What `q` selects (<https://support.google.com/mail/answer/7190>), as far as Alfred asks. Words are whole ones, as
//! in Gmail.

use super::index::normal;
use super::labels::searched;
use super::mailbox::{Mailbox, Stored};
use crate::error::ApiError;

#[derive(Clone, Debug)]
pub(super) enum Term {
    All(Vec<Term>),
    Any(Vec<Term>),
    Not(Box<Term>),
    Words(String),
    From(String),
    To(String),
    /// The id of a system label, or a name as `searched` writes it.
    Label(String),
    MessageId(String),
    /// Seconds since 1970, as in `Before`.
    After(i64),
    Before(i64),
}

impl Term {
    pub fn read(q: &str) -> Result<Self, ApiError> {
        let mut reader = Reader(q);
        let read = reader.all().filter(|_| reader.0.is_empty());
        read.ok_or_else(|| ApiError::invalid(format!("The local Gmail can't search for {q}")))
    }

    pub fn fits(&self, mail: &Stored, mailbox: &Mailbox) -> bool {
        let second = mail.at_ms.div_euclid(1_000);
        match self {
            Self::All(terms) => terms.iter().all(|term| term.fits(mail, mailbox)),
            Self::Any(terms) => terms.iter().any(|term| term.fits(mail, mailbox)),
            Self::Not(term) => !term.fits(mail, mailbox),
            Self::Words(words) => mail.index.all.contains(words),
            Self::From(words) => mail.index.from.contains(words),
            Self::To(words) => mail.index.to.contains(words),
            Self::Label(wanted) => mail.labels.iter().any(|label| {
                let name = mailbox.labels.get(label).map(|name| searched(name));
                label == wanted || name.as_ref() == Some(wanted)
            }),
            Self::MessageId(id) => mail.index.message_id.as_ref() == Some(id),
            Self::After(limit) => second > *limit,
            Self::Before(limit) => second < *limit,
        }
    }
}

/// Holds what is still unread.
struct Reader<'a>(&'a str);

impl Reader<'_> {
    /// Terms up to a closing bracket or the end. `OR` joins the two terms beside it.
    fn all(&mut self) -> Option<Term> {
        let mut terms: Vec<Term> = Vec::new();
        let mut or = false;
        loop {
            self.0 = self.0.trim_start();
            if self.0.is_empty() || self.0.starts_with(')') {
                return Some(Term::All(terms));
            }
            if let Some(rest) = self.0.strip_prefix("OR ") {
                (self.0, or) = (rest, true);
                continue;
            }
            let term = self.term()?;
            match (std::mem::take(&mut or), terms.pop()) {
                (true, Some(Term::Any(mut choice))) => {
                    choice.push(term);
                    terms.push(Term::Any(choice));
                }
                (true, Some(before)) => terms.push(Term::Any(vec![before, term])),
                (_, before) => terms.extend(before.into_iter().chain([term])),
            }
        }
    }

    fn term(&mut self) -> Option<Term> {
        if let Some(rest) = self.0.strip_prefix('-') {
            self.0 = rest;
            return Some(Term::Not(Box::new(self.term()?)));
        }
        if let Some(rest) = self.0.strip_prefix('(') {
            self.0 = rest;
            let all = self.all()?;
            self.0 = self.0.strip_prefix(')')?;
            return Some(all);
        }
        let (name, rest) = if self.0.starts_with('"') {
            ("", self.0)
        } else {
            self.0.split_once(':')?
        };
        let (value, rest) = match rest.strip_prefix('"') {
            Some(rest) => rest.split_once('"')?,
            None => rest.split_at(rest.find([' ', ')']).unwrap_or(rest.len())),
        };
        self.0 = rest;
        operator(name, value)
    }
}

fn operator(name: &str, value: &str) -> Option<Term> {
    let label = |id: &str| Term::Label(id.to_owned());
    Some(match (name, value) {
        ("", _) => Term::Words(normal(value)),
        ("from", _) => Term::From(normal(value)),
        ("to", _) => Term::To(normal(value)),
        ("rfc822msgid", _) => Term::MessageId(value.to_owned()),
        ("is", "unread") => label("UNREAD"),
        ("is", "read") => Term::Not(Box::new(label("UNREAD"))),
        ("in", "inbox") => label("INBOX"),
        ("in", "sent") => label("SENT"),
        ("in", "drafts") => label("DRAFT"),
        ("label", _) => Term::Label(searched(value)),
        ("after", _) => Term::After(value.parse().ok()?),
        ("before", _) => Term::Before(value.parse().ok()?),
        _ => return None,
    })
}
