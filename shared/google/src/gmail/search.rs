//! Gmail's search query. Words come from other people or the model, so each is quoted and can't become an
//! operator (<https://support.google.com/mail/answer/7190>).

use alfred_core::ports::{MailQuery, MailStatus};

use alfred_accounts::position::Position;

const PROCESSED: &str = "label:alfred-processed";
const BACKLOG: &str = "label:alfred-backlog";

/// The `q` parameter from this position on. Both time bounds are slightly too wide: Gmail doesn't document
/// whether they are inclusive.
pub(super) fn q(query: &MailQuery, from: Option<&Position>) -> String {
    let (place, other) = if query.sent {
        ("in:sent".to_owned(), "to")
    } else {
        (states(&query.status), "from")
    };
    let mut terms = vec![place];
    terms.extend(query.words.iter().filter_map(|word| quoted(word)));
    let named = query.from.as_deref().and_then(quoted);
    terms.extend(named.map(|named| format!("{other}:{named}")));
    if let Some(since) = query.since {
        terms.push(format!("after:{}", since.as_second().saturating_sub(1)));
    }
    if let Some(from) = from {
        let second = from.at_ms.div_euclid(1_000);
        terms.push(format!("before:{}", second.saturating_add(1)));
    }
    terms.join(" ")
}

fn states(states: &[MailStatus]) -> String {
    use MailStatus::{Archived, Backlog, Processed, Read, Unread};
    let has = |status| states.contains(&status);
    if states.is_empty()
        || [Unread, Read, Backlog, Processed].into_iter().all(has) && !has(Archived)
    {
        return "in:inbox".into();
    }
    let all = [Unread, Read, Backlog, Processed, Archived].into_iter();
    let asked = all.filter(|status| has(*status));
    let clauses = asked.map(|status| format!("({})", state(status)));
    let clauses: Vec<String> = clauses.collect();
    format!("({})", clauses.join(" OR "))
}

fn state(status: MailStatus) -> String {
    match status {
        MailStatus::Unread => format!("in:inbox is:unread -{PROCESSED} -{BACKLOG}"),
        MailStatus::Read => format!("in:inbox is:read -{PROCESSED} -{BACKLOG}"),
        MailStatus::Backlog => format!("in:inbox {BACKLOG} -{PROCESSED}"),
        MailStatus::Processed => format!("in:inbox {PROCESSED}"),
        MailStatus::Archived => "-in:inbox -in:sent -in:drafts".into(),
        MailStatus::Deleted => "in:trash".into(),
    }
}

/// Quotes a phrase. `None` if nothing is left of it.
fn quoted(words: &str) -> Option<String> {
    let plain = words.replace(|c: char| c == '"' || c.is_control(), " ");
    let plain: Vec<&str> = plain.split_whitespace().collect();
    let mut all = plain.iter();
    let has_words = all.any(|word| word.contains(char::is_alphanumeric));
    has_words.then(|| format!("\"{}\"", plain.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_never_become_operators() {
        let words = ["budget", "in:trash", "a\" OR \"b", "-", "is:unread\n"];
        let query = MailQuery {
            words: words.map(str::to_owned).to_vec(),
            from: Some("ben\" in:anywhere".into()),
            since: Some("2026-11-20T09:30:00.5Z".parse().unwrap()),
            ..MailQuery::default()
        };
        assert_eq!(
            q(&query, None),
            "in:inbox \"budget\" \"in:trash\" \"a OR b\" \"is:unread\" from:\"ben in:anywhere\" after:1795166999"
        );
    }

    #[test]
    fn what_was_sent_is_searched_by_whom_it_went_to() {
        let query = MailQuery {
            from: Some("petra".into()),
            sent: true,
            ..MailQuery::default()
        };
        assert_eq!(q(&query, None), "in:sent to:\"petra\"");
    }

    #[test]
    fn states_are_places_and_labels() {
        use MailStatus::{Archived, Backlog, Processed, Read, Unread};
        let of = |states: &[MailStatus]| super::states(states);
        assert_eq!(of(&[Read, Unread, Backlog, Processed]), "in:inbox");
        assert_eq!(of(&[Archived]), "((-in:inbox -in:sent -in:drafts))");
        assert_eq!(
            of(&[Backlog, Processed]),
            "((in:inbox label:alfred-backlog -label:alfred-processed) OR (in:inbox label:alfred-processed))"
        );
    }
}
