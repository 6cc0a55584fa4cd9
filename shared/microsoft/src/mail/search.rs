//! Graph's filters and searches (<https://learn.microsoft.com/graph/search-query-parameter>). Words come from
//! other people or the model, so each is quoted and can't become an operator.

use alfred_core::ports::{MailQuery, MailStatus};
use jiff::Timestamp;

use alfred_accounts::position::Position;

/// The filter from this position on, with the sort field first. The bounds are slightly too wide, since
/// Outlook's times are whole seconds.
pub(super) fn filter(query: &MailQuery, from: Option<&Position>) -> Option<String> {
    let second = |at: Timestamp| at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    let mut terms = Vec::new();
    if let Some(since) = query.since {
        terms.push(format!("receivedDateTime ge {}", second(since)));
    }
    let until = from.and_then(|from| Timestamp::from_millisecond(from.at_ms).ok());
    if let Some(until) = until {
        terms.push(format!("receivedDateTime le {}", second(until)));
    }
    let is_read = match query.status.as_slice() {
        _ if query.sent => None,
        [MailStatus::Unread] => Some(false),
        [MailStatus::Read] => Some(true),
        _ => None,
    };
    if let Some(is_read) = is_read {
        if terms.is_empty() {
            terms.push("receivedDateTime ge 1970-01-01T00:00:00Z".into());
        }
        terms.push(format!("isRead eq {is_read}"));
    }
    (!terms.is_empty()).then(|| terms.join(" and "))
}

/// The search of a query with words or a sender. `None` if nothing is left of them.
pub(super) fn search(query: &MailQuery) -> Option<String> {
    let words = query.words.iter().filter_map(|word| phrase(word));
    let mut terms: Vec<String> = words.collect();
    let other = if query.sent { "to" } else { "from" };
    let named = query.from.as_deref().and_then(phrase);
    terms.extend(named.map(|named| format!("{other}:{named}")));
    (!terms.is_empty()).then(|| format!("\"{}\"", terms.join(" AND ")))
}

fn phrase(words: &str) -> Option<String> {
    let plain = words.replace(|c: char| matches!(c, '"' | '\\') || c.is_control(), " ");
    let plain: Vec<&str> = plain.split_whitespace().collect();
    let mut all = plain.iter();
    let has_words = all.any(|word| word.contains(char::is_alphanumeric));
    has_words.then(|| format!("\\\"{}\\\"", plain.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_never_become_operators() {
        let words = ["budget", "from:eve", "a\" OR \\\"b", "-", "x\n"];
        let query = MailQuery {
            words: words.map(str::to_owned).to_vec(),
            from: Some("ben\" AND subject:y".into()),
            ..MailQuery::default()
        };
        let expected = r#""\"budget\" AND \"from:eve\" AND \"a OR b\" AND \"x\" AND from:\"ben AND subject:y\"""#;
        assert_eq!(search(&query).as_deref(), Some(expected));
        assert_eq!(search(&MailQuery::default()), None);
    }
}
