//! The position in a mail list: after the last mail returned, even if earlier mails have changed. The
//! providers' page tokens are only used within one call.

use crate::Result;
use alfred_core::id::MailId;
use alfred_core::ports::{AccountError, Total};
use alfred_core::text;

pub struct Cursors {
    pub version: &'static str,
    /// Whether a text may be the id of a mail.
    pub is_id: fn(&str) -> bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// Arrival of the last mail, in milliseconds since 1970.
    pub at_ms: i64,
    /// Mails of the same millisecond that were returned already.
    pub given: Vec<MailId>,
    pub total: usize,
}

impl Position {
    /// `Refused` if the cursor can't be parsed.
    pub fn read(cursor: &str, cursors: &Cursors) -> Result<Self> {
        Self::parse(cursor, cursors).ok_or_else(|| AccountError::refused(text::UNKNOWN_CURSOR))
    }

    fn parse(cursor: &str, cursors: &Cursors) -> Option<Self> {
        let parts: Vec<&str> = cursor.split('.').collect();
        let [version, at_ms, total, given] = parts.as_slice() else {
            return None;
        };
        if *version != cursors.version {
            return None;
        }
        let given = given
            .split('+')
            .map(|id| (cursors.is_id)(id).then(|| MailId::from(id)));
        Some(Self {
            at_ms: at_ms.parse().ok()?,
            total: total.parse().ok()?,
            given: given.collect::<Option<_>>()?,
        })
    }

    /// The cursor of the next page of a list with this total.
    pub fn write(&self, total: Total, cursors: &Cursors) -> String {
        let given: Vec<&str> = self.given.iter().map(MailId::as_str).collect();
        format!(
            "{}.{}.{}.{}",
            cursors.version,
            self.at_ms,
            total.number(),
            given.join("+")
        )
    }

    /// Whether a mail was already returned: it is at or before this position.
    pub fn is_behind(&self, at_ms: i64, id: &MailId) -> bool {
        at_ms > self.at_ms || at_ms == self.at_ms && self.given.contains(id)
    }

    pub fn after(before: Option<&Self>, at_ms: i64, id: &MailId) -> Self {
        let same = before.filter(|before| before.at_ms == at_ms);
        let mut given = same.map_or_else(Vec::new, |same| same.given.clone());
        given.push(id.clone());
        Self {
            at_ms,
            given,
            total: before.map_or(0, |before| before.total),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CURSORS: Cursors = Cursors {
        version: "g1",
        is_id: |id| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric()),
    };

    #[test]
    fn what_was_written_is_read_and_nothing_else() {
        let first = Position::after(None, 17, &"1a".into());
        let second = Position::after(Some(&first), 17, &"1b".into());
        let written = second.write(Total::About(40), &CURSORS);
        assert_eq!(written, "g1.17.40.1a+1b");
        let read = Position::read(&written, &CURSORS).unwrap();
        assert!(read.is_behind(17, &"1b".into()) && read.is_behind(18, &"1c".into()));
        assert!(!read.is_behind(17, &"1c".into()) && !read.is_behind(16, &"1a".into()));
        for foreign in [
            "",
            "not a cursor",
            "17.40",
            "g1.x.40.1a",
            "g1.17.40.",
            "g1.17.40.../x",
        ] {
            assert!(Position::read(foreign, &CURSORS).is_err(), "{foreign}");
        }
    }
}
