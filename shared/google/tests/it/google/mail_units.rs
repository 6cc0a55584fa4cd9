//! What a large mailbox costs of a person's limit.

use alfred_core::id::MailId;
use alfred_core::ports::{AccountError, Clock, Mail, MailQuery, MailStatus, MailSummary, Total};
use alfred_google::Google;
use jiff::Timestamp;
use std::time::Duration;

use crate::google::mail::plain;
use crate::google::mail_list::page;
use crate::google::support::{World, account};

const MAILS: u64 = 20_000;
const TRIAGED: usize = 500;
const MINUTE: Duration = Duration::from_secs(60);

struct Cost {
    calls: u64,
    units: u64,
    seconds: i64,
}

/// Does this in a fresh minute, and prints what it costs.
async fn measured<T>(world: &World, what: &str, work: impl Future<Output = T>) -> (T, Cost) {
    world.clock.advance(MINUTE);
    let used = || {
        let seconds = world.clock.now().as_second();
        let units = world.local().units();
        let units = units.get("gmail").copied().unwrap_or_default();
        (world.all_calls(), units, seconds)
    };
    let before = used();
    let done = work.await;
    let after = used();
    let cost = Cost {
        calls: after.0 - before.0,
        units: after.1 - before.1,
        seconds: after.2 - before.2,
    };
    let Cost {
        calls,
        units,
        seconds,
    } = cost;
    println!("{what}: {calls} calls, {units} units, {seconds} s");
    (done, cost)
}

/// The newest mails, page after page. Waits for the next minute where the limit is reached.
async fn triaged(world: &World, google: &Google) -> Vec<MailId> {
    let (mut ids, mut cursor) = (Vec::new(), None);
    loop {
        let query = MailQuery {
            cursor,
            ..page(TRIAGED - ids.len())
        };
        let page = google.list(&account(), &query).await.unwrap();
        assert!(matches!(page.total, Total::About(_)));
        ids.extend(page.mails.into_iter().map(|mail| mail.id));
        cursor = page.next;
        if ids.len() == TRIAGED {
            return ids;
        }
        world.clock.advance(MINUTE);
    }
}

/// What a batch takes: the states of mails, then each into the archive.
async fn archived(world: &World, google: &Google, ids: &[MailId]) {
    while let Err(error) = google.summaries(&account(), ids).await {
        assert!(matches!(error, AccountError::NotReached { .. }), "{error}");
        world.clock.advance(MINUTE);
    }
    let archived = MailStatus::Archived;
    let set = google.set_statuses(&account(), ids, archived).await;
    assert!(set.unwrap().iter().all(Result::is_ok));
    let now = google.summaries(&account(), ids).await.unwrap();
    let is_archived = |mail: &Option<MailSummary>| mail.as_ref().unwrap().status == archived;
    assert!(now.iter().all(is_archived));
}

#[tokio::test]
async fn a_second_look_costs_next_to_nothing() {
    let world = World::new().await;
    let first: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
    world.mailbox(|mailbox| {
        for n in 0..MAILS {
            let at = first + Duration::from_secs(600 * n);
            mailbox.deliver(&plain(&format!("mail {n}")), &["INBOX", "UNREAD"], at);
        }
    });
    let google = &*world.google;
    let triage = || triaged(&world, google);
    let (ids, cost) = measured(&world, "the first 500 of 20,000", triage()).await;
    assert!(cost.units < 11_000 && cost.seconds < 90);
    let (again, cost) = measured(&world, "the same again", triage()).await;
    assert!(again == ids && cost.units < 20);
    let archive = archived(&world, google, &ids);
    let ((), cost) = measured(&world, "into the archive", archive).await;
    assert!(cost.units < 100 && cost.calls < 10);
    let other = world.another_process();
    let archive = archived(&world, &other, &ids);
    let ((), cost) = measured(&world, "into the archive by another process", archive).await;
    assert!(cost.units < 11_000 && cost.seconds < 90);
}
