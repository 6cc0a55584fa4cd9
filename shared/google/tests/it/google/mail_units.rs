//! What a large mailbox costs of a person's limit.

use alfred_core::id::MailId;
use alfred_core::ports::{AccountError, Clock, Mail, MailQuery, MailStatus, MailSummary, Total};
use alfred_google_local::Fault;
use jiff::Timestamp;
use std::time::Duration;

use crate::google::mail::{Gmail, plain};
use crate::google::mail_list::page;
use crate::google::support::account;

const MAILS: usize = 20_000;
const TRIAGED: usize = 500;

/// Units and calls so far.
fn used(gmail: &Gmail) -> (u64, u64) {
    let units = gmail.google().units()["gmail"];
    (units, gmail.google().call_counts().values().sum())
}

/// The newest mails, page after page, waiting for the next minute where the limit is reached.
async fn triaged(gmail: &Gmail) -> usize {
    let (mut given, mut cursor) = (0, None);
    while given < TRIAGED {
        let query = MailQuery {
            cursor,
            ..page(TRIAGED - given)
        };
        let page = gmail.mail.list(&account(), &query).await.unwrap();
        assert!(matches!(page.total, Total::About(_)));
        given += page.mails.len();
        cursor = page.next;
        if given < TRIAGED {
            gmail.clock.advance(Duration::from_secs(60));
        }
    }
    given
}

/// What a batch of them takes: their states, then each into the archive.
async fn archived_in_a_minute(gmail: &Gmail) {
    let page = gmail.mail.list(&account(), &page(TRIAGED)).await.unwrap();
    let ids: Vec<_> = page.mails.into_iter().map(|mail| mail.id).collect();
    assert!(!ids.is_empty());
    gmail.clock.advance(Duration::from_secs(60));
    let (units, calls) = used(gmail);
    let known = gmail.mail.summaries(&account(), &ids).await.unwrap();
    assert!(known.iter().all(Option::is_some));
    let archived = MailStatus::Archived;
    let set = gmail.mail.set_statuses(&account(), &ids, archived).await;
    let was_unread = |set: &Result<_, _>| matches!(set, Ok(Some(MailStatus::Unread)));
    assert!(set.unwrap().iter().all(was_unread));
    let (all_units, all_calls) = used(gmail);
    let (more_units, more_calls) = (all_units - units, all_calls - calls);
    println!("{TRIAGED} into the archive: {more_calls} calls, {more_units} units");
    assert!(more_units < 100, "{more_units}");
    let left = gmail.mail.summaries(&account(), &ids).await.unwrap();
    let is_archived = |mail: &Option<MailSummary>| mail.as_ref().unwrap().status == archived;
    assert!(left.iter().all(is_archived));
}

#[tokio::test]
async fn a_second_look_costs_next_to_nothing() {
    let gmail = Gmail::new().await;
    let first: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
    gmail.mailbox(|mailbox| {
        for n in 0..MAILS {
            let at = first + Duration::from_secs(600 * n as u64);
            mailbox.deliver(&plain(&format!("mail {n}")), &["INBOX", "UNREAD"], at);
        }
    });
    let began = gmail.clock.now();
    assert_eq!(triaged(&gmail).await, TRIAGED);
    let (units, calls) = used(&gmail);
    let took = gmail.clock.now().duration_since(began).as_secs();
    println!("{MAILS} mails, first {TRIAGED}: {calls} calls, {units} units, {took} s");
    gmail.clock.advance(Duration::from_secs(60));
    assert_eq!(triaged(&gmail).await, TRIAGED);
    let (all_units, all_calls) = used(&gmail);
    let (more_units, more_calls) = (all_units - units, all_calls - calls);
    println!("the same again: {more_calls} calls, {more_units} units");
    assert!(more_units * 20 < units, "{more_units} of {units}");
    archived_in_a_minute(&gmail).await;
}

#[tokio::test]
async fn a_batch_that_isnt_heard_or_not_taken_is_made_all_the_same() {
    use MailStatus::{Archived, Read, Unread};
    const BATCH: &str = "gmail.users.messages.batchModify";
    let gmail = Gmail::new().await;
    let arrive = |n| gmail.arrive(&format!("mail {n}"), "2026-11-20T08:00:01Z");
    let ids: Vec<MailId> = (0..12).map(|n| arrive(n).into()).collect();
    let error = |status, retry_after| Fault::Error {
        status,
        reason: "",
        retry_after,
    };
    let single = || {
        let counts = gmail.google().call_counts();
        counts.get("gmail.users.messages.modify").copied()
    };
    for (fault, times, to, calls) in [
        (Fault::DropAfter, 1, Archived, None),
        (error(400, None), 1, Unread, None),
        (error(400, None), 2, Archived, Some(12)),
    ] {
        gmail.google().fail_next(BATCH, times, fault);
        let set = gmail.mail.set_statuses(&account(), &ids, to).await.unwrap();
        assert!(set.iter().all(Result::is_ok), "{set:?}");
        assert_eq!(single(), calls);
        let now = gmail.mail.summaries(&account(), &ids).await.unwrap();
        assert_eq!(states(&now), [Some(to); 12]);
    }
    gmail.google().fail_next(BATCH, 1, error(429, Some(45)));
    let set = gmail.mail.set_statuses(&account(), &ids, Read).await;
    let is_away = |set: &Result<_, _>| matches!(set, Err(AccountError::NotReached { .. }));
    assert!(set.unwrap().iter().all(is_away));
    let now = gmail.mail.summaries(&account(), &ids).await.unwrap();
    assert_eq!(states(&now), [Some(Archived); 12]);
}

fn states(mails: &[Option<MailSummary>]) -> Vec<Option<MailStatus>> {
    let state = |mail: &Option<MailSummary>| mail.as_ref().map(|mail| mail.status);
    mails.iter().map(state).collect()
}
