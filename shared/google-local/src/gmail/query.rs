//! What `q` selects (<https://support.google.com/mail/answer/7190>,
//! <https://developers.google.com/workspace/gmail/api/guides/filtering>). Words are whole ones, as in Gmail.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};
use std::iter::Peekable;
use std::str::Chars;

use super::index::{Indexed, normal};
use crate::error::ApiError;

/// What is asked of a mail.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Term {
    All(Vec<Term>),
    Any(Vec<Term>),
    Not(Box<Term>),
    Words(String),
    From(String),
    To(String),
    Subject(String),
    /// An id of a system's label, or a name of a person's in lower case with `-` for what separates.
    Label(String),
    /// `in:anywhere`: everything, spam and trash too.
    Anywhere,
    Attachment,
    MessageId(String),
    /// Seconds since 1970; later ones.
    After(i64),
    /// Earlier ones.
    Before(i64),
}

/// A mail as it is looked at.
pub(super) struct Candidate<'a> {
    pub index: &'a Indexed,
    pub at_ms: i64,
    /// Ids, and names as `Term::Label` has them.
    pub has_label: &'a dyn Fn(&str) -> bool,
}

impl Term {
    /// Reads a query; whatever it can't read is refused.
    pub fn read(q: &str, now: Timestamp) -> Result<Self, ApiError> {
        let mut reader = Reader {
            chars: q.chars().peekable(),
            now,
        };
        let read = reader.all(None)?;
        match reader.chars.next() {
            None => Ok(read),
            Some(odd) => Err(unknown(&odd.to_string())),
        }
    }

    pub fn fits(&self, mail: &Candidate<'_>) -> bool {
        let second = mail.at_ms.div_euclid(1_000);
        match self {
            Self::All(terms) => terms.iter().all(|term| term.fits(mail)),
            Self::Any(terms) => terms.iter().any(|term| term.fits(mail)),
            Self::Not(term) => !term.fits(mail),
            Self::Words(words) => mail.index.all.contains(words),
            Self::From(words) => mail.index.from.contains(words),
            Self::To(words) => mail.index.to.contains(words),
            Self::Subject(words) => mail.index.subject.contains(words),
            Self::Label(label) => (mail.has_label)(label),
            Self::Anywhere => true,
            Self::Attachment => mail.index.has_attachment,
            Self::MessageId(id) => mail.index.message_id.as_ref() == Some(id),
            Self::After(limit) => second > *limit,
            Self::Before(limit) => second < *limit,
        }
    }

    /// Whether it names a place that is left out unless named.
    pub fn names_spam_or_trash(&self) -> bool {
        match self {
            Self::All(terms) | Self::Any(terms) => terms.iter().any(Self::names_spam_or_trash),
            Self::Anywhere => true,
            Self::Label(label) => matches!(label.as_str(), "SPAM" | "TRASH"),
            _ => false,
        }
    }
}

struct Reader<'a> {
    chars: Peekable<Chars<'a>>,
    now: Timestamp,
}

impl Reader<'_> {
    fn skip_spaces(&mut self) {
        while self.chars.next_if(|c| c.is_whitespace()).is_some() {}
    }

    /// Terms up to this bracket. `OR` binds what stands beside it, and in braces everything is one choice.
    fn all(&mut self, end: Option<char>) -> Result<Term, ApiError> {
        let mut terms: Vec<Term> = Vec::new();
        let mut or = false;
        loop {
            self.skip_spaces();
            match self.chars.peek() {
                None if end.is_some() => return Err(unknown("an open bracket")),
                None => break,
                Some(&c) if Some(c) == end => {
                    self.chars.next();
                    break;
                }
                Some(_) => {}
            }
            let Some(term) = self.term()? else {
                or = true;
                continue;
            };
            match (std::mem::take(&mut or), terms.pop()) {
                (true, Some(Term::Any(mut choice))) => {
                    choice.push(term);
                    terms.push(Term::Any(choice));
                }
                (true, Some(before)) => terms.push(Term::Any(vec![before, term])),
                (false, Some(before)) => terms.extend([before, term]),
                (_, None) => terms.push(term),
            }
        }
        Ok(match end {
            Some('}') => Term::Any(terms),
            _ => Term::All(terms),
        })
    }

    /// `None` for the word OR.
    fn term(&mut self) -> Result<Option<Term>, ApiError> {
        if self.chars.next_if_eq(&'-').is_some() {
            let term = self.term()?.ok_or_else(|| unknown("-OR"))?;
            return Ok(Some(Term::Not(Box::new(term))));
        }
        if self.chars.next_if_eq(&'(').is_some() {
            return self.all(Some(')')).map(Some);
        }
        if self.chars.next_if_eq(&'{').is_some() {
            return self.all(Some('}')).map(Some);
        }
        if self.chars.peek() == Some(&'"') {
            return Ok(Some(Term::Words(normal(&self.quoted()?))));
        }
        let word = self.word(|c| c == ':');
        if self.chars.next_if_eq(&':').is_none() {
            return match word.as_str() {
                "" => Err(unknown("nothing")),
                "OR" => Ok(None),
                _ => Ok(Some(Term::Words(normal(&word)))),
            };
        }
        let value = match self.chars.peek() {
            Some('"') => self.quoted()?,
            _ => self.word(|_| false),
        };
        operator(&word.to_lowercase(), &value, self.now).map(Some)
    }

    fn quoted(&mut self) -> Result<String, ApiError> {
        self.chars.next();
        let mut text = String::new();
        loop {
            match self.chars.next() {
                None => return Err(unknown("an open quote")),
                Some('"') => return Ok(text),
                Some(c) => text.push(c),
            }
        }
    }

    fn word(&mut self, ends: fn(char) -> bool) -> String {
        let goes_on = |c: &char| !c.is_whitespace() && !"(){}\"".contains(*c) && !ends(*c);
        let mut word = String::new();
        while let Some(c) = self.chars.next_if(goes_on) {
            word.push(c);
        }
        word
    }
}

fn operator(name: &str, value: &str, now: Timestamp) -> Result<Term, ApiError> {
    let label = |id: &str| Ok(Term::Label(id.to_owned()));
    match (name, value.to_lowercase().as_str()) {
        (_, "") => Err(unknown(&format!("{name}: without a value"))),
        ("from", _) => Ok(Term::From(normal(value))),
        ("to", _) => Ok(Term::To(normal(value))),
        ("subject", _) => Ok(Term::Subject(normal(value))),
        ("rfc822msgid", _) => Ok(Term::MessageId(value.trim_matches(['<', '>']).to_owned())),
        ("has", "attachment") => Ok(Term::Attachment),
        ("is", "unread") => label("UNREAD"),
        ("is", "read") => Ok(Term::Not(Box::new(Term::Label("UNREAD".into())))),
        ("is", "starred") => label("STARRED"),
        ("in", "anywhere") => Ok(Term::Anywhere),
        ("in", "inbox") => label("INBOX"),
        ("in", "sent") => label("SENT"),
        ("in", "draft" | "drafts") => label("DRAFT"),
        ("in", "spam") => label("SPAM"),
        ("in", "trash") => label("TRASH"),
        ("label", name) => Ok(Term::Label(super::labels::searched(name))),
        ("after" | "newer", _) => Ok(Term::After(moment(value)?)),
        ("before" | "older", _) => Ok(Term::Before(moment(value)?)),
        ("newer_than", _) => Ok(Term::After(ago(value, now)?)),
        ("older_than", _) => Ok(Term::Before(ago(value, now)?)),
        _ => Err(unknown(&format!("{name}:{value}"))),
    }
}

/// Seconds since 1970, or a date.
fn moment(value: &str) -> Result<i64, ApiError> {
    if let Ok(seconds) = value.parse() {
        return Ok(seconds);
    }
    let day = Date::strptime("%Y/%m/%d", value).or_else(|_| Date::strptime("%Y-%m-%d", value));
    let start = day.and_then(|day| day.to_zoned(TimeZone::UTC));
    start
        .map(|start| start.timestamp().as_second())
        .map_err(|_| unknown(value))
}

/// `3d`, `2m`, `1y`.
fn ago(value: &str, now: Timestamp) -> Result<i64, ApiError> {
    let split = value.len().saturating_sub(1);
    let number = value.get(..split).and_then(|number| number.parse().ok());
    let span: Option<Span> = number.and_then(|number: i32| {
        let span = Span::new();
        match value.get(split..)? {
            "d" => span.try_days(number).ok(),
            "m" => span.try_months(number).ok(),
            "y" => span.try_years(number).ok(),
            _ => None,
        }
    });
    let then = span.and_then(|span| now.to_zoned(TimeZone::UTC).checked_sub(span).ok());
    then.map(|then| then.timestamp().as_second())
        .ok_or_else(|| unknown(value))
}

fn unknown(what: &str) -> ApiError {
    ApiError::invalid(format!("The local Gmail can't search for {what}"))
}

#[cfg(test)]
#[path = "query_tests.rs"]
mod tests;
