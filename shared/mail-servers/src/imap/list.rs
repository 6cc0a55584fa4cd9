//! Pages of mails, newest first. The server narrows the search; the final filter is here, so all providers
//! give the same results.

use crate::Result;
use alfred_core::ports::{
    AccountError, MailPage, MailQuery, MailStatus, MailSummary, Total, Unreadable,
};
use alfred_core::text;
use jiff::Timestamp;
use std::collections::HashMap;

use crate::imap::entry::{BACKLOG, Entry, PROCESSED};
use crate::imap::id::Name;
use crate::imap::line::{A_DAY, Bytes, Line, date};
use crate::imap::newest::Newest;
use crate::imap::shelf::Shelf;

/// Bytes of the body that are read for the snippet.
const FIRST: usize = 16_384;
/// Mails read at a time; many may not match.
const AT_ONCE: usize = 100;
/// The shelves that can be listed, with their letters in cursors.
const LISTED: [(&str, Shelf); 3] = [
    ("i", Shelf::Inbox),
    ("a", Shelf::Archive),
    ("s", Shelf::Sent),
];

pub(crate) async fn list(line: &mut Line, query: &MailQuery, now: Timestamp) -> Result<MailPage> {
    let behind = query.cursor.as_deref().map(cursor).transpose()?;
    let wanted = |shelf: &Shelf| is_wanted(query, *shelf);
    let shelves = Shelf::ALL.into_iter().filter(wanted);
    let searches = shelves.map(|shelf| (shelf, search(query, shelf)));
    let (searches, last) = (searches.collect(), behind.map(|(at, ..)| at));
    let mut newest = Newest::new(line, searches, last, now).await?;
    let (page, mut matching) = (query.page(), 0);
    let mut shown: Vec<(Entry, MailSummary)> = Vec::new();
    let mut unreadable = Vec::new();
    while shown.len() <= page
        && let Some(mut entries) = newest.next(line).await?
    {
        entries.retain(|entry| {
            let since = query.since.is_none_or(|since| entry.at >= since);
            since && query.wants(entry.status)
        });
        matching += entries.len();
        entries.retain(|entry| behind.is_none_or(|behind| entry.order() < behind));
        for some in entries.chunks(AT_ONCE.min(page + 1)) {
            let mut found = read(line, some, &mut unreadable).await?;
            found.retain(|(entry, summary)| query.fits(summary, entry.status));
            shown.extend(found);
            if shown.len() > page {
                break;
            }
        }
    }
    let is_last = shown.len() <= page;
    shown.truncate(page);
    let is_narrowed = !query.words.is_empty() || query.from.is_some();
    let is_small = newest.is_small();
    let count = if is_small { matching } else { newest.all };
    // The server's search knows days, not times.
    let total = if !is_narrowed && (is_small || query.since.is_none()) {
        Total::Exact(count)
    } else if is_narrowed && is_last && behind.is_none() {
        Total::Exact(shown.len())
    } else {
        Total::About(count)
    };
    let last = shown.last().filter(|_| !is_last);
    Ok(MailPage {
        total,
        next: last.map(|(entry, _)| named(entry)),
        mails: shown.into_iter().map(|(_, summary)| summary).collect(),
        unreadable,
    })
}

/// The envelopes of the mails that exist.
pub(crate) async fn summaries(
    line: &mut Line,
    names: &[Option<Name>],
) -> Result<Vec<Option<MailSummary>>> {
    let wanted: Vec<Name> = names.iter().flatten().cloned().collect();
    let found = line.locate(&wanted, &Shelf::ALL).await?;
    let entries: Vec<Entry> = found.values().copied().collect();
    let mut known = HashMap::new();
    for (_, summary) in read(line, &entries, &mut Vec::new()).await? {
        known.insert(summary.id.clone(), summary);
    }
    let summary = |name: &Option<Name>| known.get(&name.as_ref()?.id()).cloned();
    Ok(names.iter().map(summary).collect())
}

/// The envelopes of these entries, in order.
async fn read(
    line: &mut Line,
    entries: &[Entry],
    unreadable: &mut Vec<Unreadable>,
) -> Result<Vec<(Entry, MailSummary)>> {
    let bytes = line.read(entries, FIRST).await?;
    let keyed = bytes.into_iter().map(|one| (one.entry.order(), one));
    let mut found: HashMap<_, Bytes> = keyed.collect();
    let mut read = Vec::with_capacity(entries.len());
    for entry in entries {
        // It was moved meanwhile.
        let Some(bytes) = found.remove(&entry.order()) else {
            continue;
        };
        match summary(&bytes, entry) {
            Some(summary) => read.push((*entry, summary)),
            None => unreadable.push(Unreadable {
                name: format!("a mail of {}", entry.at.strftime("%-d %B %Y")),
                reason: text::NO_MAIL_IN_FILE.to_owned(),
            }),
        }
    }
    Ok(read)
}

/// The arrival time is the server's, since the sender could forge the header's.
pub(crate) fn summary(bytes: &Bytes, entry: &Entry) -> Option<MailSummary> {
    let summary = bytes.raw().summary()?;
    Some(MailSummary {
        id: bytes.name().id(),
        status: entry.status,
        received_at: entry.at,
        ..summary
    })
}

fn is_wanted(query: &MailQuery, shelf: Shelf) -> bool {
    let other = |status: &MailStatus| *status != MailStatus::Archived;
    match shelf {
        Shelf::Drafts | Shelf::Bin => false,
        Shelf::Sent => query.sent,
        _ if query.sent => false,
        Shelf::Inbox => query.status.is_empty() || query.status.iter().any(other),
        Shelf::Archive => query.status.contains(&MailStatus::Archived),
    }
}

/// The server-side search, which must not exclude a match. Non-ASCII words are left out: servers interpret
/// them in various encodings.
fn search(query: &MailQuery, shelf: Shelf) -> String {
    let mut keys = vec!["NOT DELETED".to_owned()];
    if shelf == Shelf::Inbox {
        let keys_of = query.status.iter().filter_map(|status| state(*status));
        keys.extend(keys_of.reduce(|one, other| format!("OR ({one}) ({other})")));
    }
    if let Some(since) = query.since {
        let since = since.saturating_sub(A_DAY).unwrap_or(since);
        keys.push(format!("SINCE {}", date(since)));
    }
    let from = query.from.as_deref();
    let from = from.map(|from| from.trim().trim_start_matches('@'));
    let other = if query.sent { "TO" } else { "FROM" };
    keys.extend(from.and_then(quoted).map(|from| format!("{other} {from}")));
    let words = query.words.iter().filter_map(|word| quoted(word));
    keys.extend(words.map(|word| format!("TEXT {word}")));
    keys.join(" ")
}

/// The search for a mail in this state, as [`Entry`] reads it. `None` if it isn't in the inbox.
fn state(status: MailStatus) -> Option<String> {
    let unmarked = format!("UNKEYWORD {BACKLOG} UNKEYWORD {PROCESSED}");
    match status {
        MailStatus::Unread => Some(format!("UNSEEN {unmarked}")),
        MailStatus::Read => Some(format!("SEEN {unmarked}")),
        MailStatus::Backlog => Some(format!("KEYWORD {BACKLOG}")),
        MailStatus::Processed => Some(format!("KEYWORD {PROCESSED} UNKEYWORD {BACKLOG}")),
        MailStatus::Archived | MailStatus::Deleted => None,
    }
}

/// Quotes a string (RFC 3501, 4.3). `None` if it can't be quoted.
fn quoted(word: &str) -> Option<String> {
    let plain = !word.is_empty() && word.chars().all(|c| matches!(c, ' '..='~'));
    plain.then(|| format!("\"{}\"", word.replace('\\', "\\\\").replace('"', "\\\"")))
}

fn named(entry: &Entry) -> String {
    let shelf = LISTED.iter().find(|(_, shelf)| *shelf == entry.shelf);
    let shelf = shelf.map_or("", |(letter, _)| *letter);
    format!("{}.{shelf}.{}", entry.at.as_second(), entry.uid)
}

/// `Refused` if it isn't a valid cursor.
fn cursor(text: &str) -> Result<(Timestamp, Shelf, u32)> {
    let read = || {
        let mut parts = text.split('.');
        let at = Timestamp::from_second(parts.next()?.parse().ok()?).ok()?;
        let letter = parts.next()?;
        let (_, shelf) = *LISTED.iter().find(|(known, _)| *known == letter)?;
        let uid = parts.next()?.parse().ok()?;
        parts.next().is_none().then_some((at, shelf, uid))
    };
    read().ok_or_else(|| AccountError::refused(text::UNKNOWN_CURSOR))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_server_is_asked_for_nothing_that_a_word_could_break_out_of() {
        let words = ["budget", "a\"b\\c", "größe", "x\r\nA LOGOUT", ""];
        let query = MailQuery {
            words: words.map(String::from).into(),
            from: Some("@Example.com ".into()),
            status: vec![MailStatus::Unread],
            since: Some("2026-11-20T00:30:00Z".parse().unwrap()),
            ..MailQuery::default()
        };
        let expected = r#"NOT DELETED UNSEEN UNKEYWORD $AlfredBacklog UNKEYWORD $AlfredProcessed SINCE 19-Nov-2026 FROM "Example.com" TEXT "budget" TEXT "a\"b\\c""#;
        assert_eq!(search(&query, Shelf::Inbox), expected);
        assert!(!search(&query, Shelf::Archive).contains("UNSEEN"));
    }
}
