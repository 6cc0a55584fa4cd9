//! Lists, states and reading, when something goes wrong or changes meanwhile.

use alfred_core::id::MailId;
use alfred_core::ports::{
    AccountError, AccountService, Mail, MailPage, MailQuery, MailStatus, MailSummary, Mailbox,
    OutgoingMail, Total,
};
use alfred_google_local::{Fault, Hold, Options, Quotas, Release, scope};
use std::collections::BTreeSet;
use std::time::Duration;

use crate::google::mail::plain;
use crate::google::support::{World, account};

const GET: &str = "gmail.users.messages.get";
const BATCH: &str = "gmail.users.messages.batchModify";
const MINUTE: Duration = Duration::from_secs(60);

pub fn page(limit: usize) -> MailQuery {
    MailQuery {
        limit,
        ..MailQuery::default()
    }
}

impl World {
    pub async fn listed(&self, query: &MailQuery) -> MailPage {
        self.google.list(&account(), query).await.unwrap()
    }

    /// Subjects and states of all mails outside the archive.
    async fn inbox(&self) -> Vec<(String, MailStatus)> {
        let mails = self.listed(&page(100)).await.mails.into_iter();
        mails.map(|mail| (mail.subject, mail.status)).collect()
    }

    async fn set_status(&self, id: &str, to: MailStatus) -> Option<MailStatus> {
        let set = self.google.set_status(&account(), &id.into(), to).await;
        set.unwrap()
    }

    pub async fn states(&self, ids: &[MailId]) -> Vec<Option<MailStatus>> {
        let mails = self.google.summaries(&account(), ids).await.unwrap();
        let state = |mail: &Option<MailSummary>| mail.as_ref().map(|mail| mail.status);
        mails.iter().map(state).collect()
    }
}

fn error(status: u16, reason: &'static str, retry_after: Option<u64>) -> Fault {
    Fault::Error {
        status,
        reason,
        retry_after,
    }
}

/// The next page must not skip what the limit left out, even if mails arrive or are archived in between.
#[tokio::test]
async fn a_page_that_the_limit_cuts_goes_on_after_its_last_mail() {
    let quotas = Quotas {
        gmail: 1_000,
        ..Quotas::default()
    };
    let world = World::with(Options {
        quotas,
        ..Options::default()
    })
    .await;
    let names: Vec<String> = (0..120).map(|n| format!("mail {n:03}")).collect();
    for (n, name) in names.iter().enumerate() {
        // Four in each second.
        world.arrive(name, &format!("2026-11-20T08:00:{:02}Z", n / 4));
    }
    let mut query = page(500);
    let (mut seen, mut pages) = (Vec::new(), Vec::new());
    loop {
        let page = world.listed(&query).await;
        pages.push(page.mails.len());
        assert_eq!(page.total.number(), names.len());
        let last = page.mails.last().unwrap().id.clone();
        seen.extend(page.mails.into_iter().map(|mail| mail.subject));
        world.arrive("late", "2026-11-21T08:30:00Z");
        world.clock.advance(MINUTE);
        world.set_status(last.as_str(), MailStatus::Archived).await;
        world.clock.advance(MINUTE);
        query.cursor = page.next;
        if query.cursor.is_none() {
            break;
        }
    }
    assert!(pages.len() >= 3 && pages[0] > 40, "{pages:?}");
    let newest_first: Vec<String> = names.into_iter().rev().collect();
    assert_eq!(seen, newest_first);
}

/// Also those of the second in which a page ended, or a look began.
#[tokio::test]
async fn mails_of_one_second_are_all_seen_once() {
    let world = World::new().await;
    for at in ["29.999", "30", "30", "30", "30.5", "30.5", "31"] {
        world.arrive(&format!("at {at}"), &format!("2026-11-20T08:00:{at}Z"));
    }
    for (since, expected) in [
        ("2026-11-20T08:00:30Z", 6),
        ("2026-11-20T08:00:30.5Z", 3),
        ("2026-11-20T08:00:29Z", 7),
    ] {
        let mut query = MailQuery {
            since: Some(since.parse().unwrap()),
            ..page(2)
        };
        let mut seen = BTreeSet::new();
        loop {
            let page = world.listed(&query).await;
            for mail in page.mails {
                assert!(seen.insert(mail.id), "{} twice", mail.subject);
            }
            query.cursor = page.next;
            if query.cursor.is_none() {
                break;
            }
        }
        assert_eq!(seen.len(), expected, "{since}");
    }
}

#[tokio::test]
async fn changes_elsewhere_are_seen_without_fetching_anew() {
    use MailStatus::{Read, Unread};
    let world = World::new().await;
    let one = world.arrive("one", "2026-11-20T08:00:01Z");
    let two = world.arrive("two", "2026-11-20T08:00:02Z");
    world.arrive("three", "2026-11-20T08:00:03Z");
    assert_eq!(world.listed(&page(10)).await.total, Total::Exact(3));
    world.mailbox(|mailbox| {
        mailbox.relabel(&one, &[], &["UNREAD"]);
        mailbox.delete(&two);
    });
    world.arrive("four", "2026-11-20T08:00:04Z");
    let states = [("four", Unread), ("three", Unread), ("one", Read)];
    let states = states.map(|(subject, state)| (subject.to_owned(), state));
    assert_eq!(world.inbox().await, states);
    assert_eq!(world.calls(GET), 4);
    // A history that Google has forgotten makes a fresh start.
    world.mailbox(|mailbox| {
        mailbox.relabel(&one, &["UNREAD"], &[]);
        mailbox.forget_history();
    });
    assert_eq!(world.inbox().await[2].1, Unread);
    assert_eq!(world.calls(GET), 7);
    world.mailbox(|mailbox| mailbox.relabel(&one, &[], &["UNREAD"]));
    assert_eq!(world.inbox().await[2].1, Read);
    assert_eq!(world.calls(GET), 7);
}

#[tokio::test]
async fn a_state_is_exactly_its_labels() {
    use MailStatus::{Archived, Backlog, Processed, Read, Unread};
    let world = World::new().await;
    let id = world.arrive("one", "2026-11-20T08:00:01Z");
    world.mailbox(|mailbox| mailbox.relabel(&id, &["STARRED"], &[]));
    for (to, expected) in [
        (Backlog, "Alfred/Backlog INBOX STARRED UNREAD"),
        (
            Processed,
            "Alfred/Backlog Alfred/Processed INBOX STARRED UNREAD",
        ),
        (Archived, "Alfred/Backlog Alfred/Processed STARRED UNREAD"),
        (Read, "INBOX STARRED"),
        (Unread, "INBOX STARRED UNREAD"),
    ] {
        world.set_status(&id, to).await;
        let labels = world.mailbox(|mailbox| mailbox.labels_of(&id)).unwrap();
        let labels: Vec<String> = labels.into_iter().collect();
        assert_eq!(labels.join(" "), expected, "{to:?}");
    }
    assert_eq!(world.calls("gmail.users.labels.create"), 2);
    // Alfred doesn't sort what was sent or deleted.
    for place in ["SENT", "DRAFT", "TRASH", "SPAM"] {
        let id = world.deliver(place, &[place], "2026-11-20T08:00:02Z");
        assert_eq!(world.set_status(&id, Read).await, None, "{place}");
    }
}

#[tokio::test]
async fn a_change_of_states_that_is_lost_or_refused_is_made_all_the_same() {
    use MailStatus::{Archived, Read, Unread};
    let world = World::new().await;
    let arrive = |n| world.arrive(&format!("mail {n}"), "2026-11-20T08:00:01Z");
    let ids: Vec<MailId> = (0..12).map(|n| arrive(n).into()).collect();
    for (fault, times, to) in [
        (Fault::DropAfter, 1, Archived),
        (Fault::GarbledAfter, 1, Unread),
        (Fault::ErrorAfter { status: 503 }, 1, Archived),
        (error(400, "", None), 1, Unread),
        // Then each mail is changed alone.
        (error(400, "", None), 2, Archived),
    ] {
        world.local().fail_next(BATCH, times, fault);
        let set = world.google.set_statuses(&account(), &ids, to).await;
        let set = set.unwrap();
        assert!(set.iter().all(Result::is_ok), "{set:?}");
        assert_eq!(world.states(&ids).await, [Some(to); 12]);
    }
    let limit = error(429, "rateLimitExceeded", Some(45));
    world.local().fail_next(BATCH, 1, limit);
    let set = world.google.set_statuses(&account(), &ids, Read).await;
    let is_away = |set: &Result<_, _>| matches!(set, Err(AccountError::NotReached { .. }));
    assert!(set.unwrap().iter().all(is_away));
    assert_eq!(world.states(&ids).await, [Some(Archived); 12]);
}

/// Google refuses a batch without naming the bad mail.
#[tokio::test]
async fn a_refused_batch_is_split_a_few_times() {
    use MailStatus::{Archived, Backlog};
    const LABEL: &str = "gmail.users.labels.create";
    for (call, fault, times, to, calls) in [
        (BATCH, error(400, "", None), 2, Archived, 4),
        (BATCH, error(400, "", None), 999, Archived, 82),
        (BATCH, error(403, "quotaExceeded", None), 999, Archived, 1),
        (LABEL, error(403, "forbidden", None), 999, Backlog, 1),
    ] {
        let world = World::new().await;
        let arrive = |n| world.arrive(&format!("mail {n}"), "2026-11-20T08:00:01Z");
        let ids: Vec<MailId> = (0..64).map(|n| arrive(n).into()).collect();
        world.local().fail_next(call, times, fault.clone());
        let set = world.google.set_statuses(&account(), &ids, to).await;
        let is_set = times == 2;
        assert!(set.unwrap().iter().all(|set| set.is_ok() == is_set));
        assert_eq!(world.calls(call), calls, "{call} {fault:?}");
    }
}

#[tokio::test]
async fn a_mail_that_is_marked_unread_during_a_look_is_listed() {
    let world = World::new().await;
    let one = world.deliver("one", &["INBOX"], "2026-11-20T08:00:01Z");
    assert_eq!(world.listed(&page(10)).await.mails.len(), 1);
    let query = MailQuery {
        status: vec![MailStatus::Unread],
        ..page(10)
    };
    let mut gate = world
        .local()
        .hold("gmail.users.messages.list", Hold::BeforeEffect);
    let owner = async {
        let held = gate.arrived().await;
        world.mailbox(|mailbox| mailbox.relabel(&one, &["UNREAD"], &[]));
        held.release(Release::Complete);
        drop(gate);
    };
    let (page, ()) = tokio::join!(world.listed(&query), owner);
    assert_eq!(page.mails.len(), 1);
}

/// So that a request of 500 mails ends in a process that has seen none of them.
#[tokio::test]
async fn states_that_dont_fit_into_a_minute_are_for_the_next() {
    let world = World::new().await;
    let arrive = |n| world.arrive(&format!("mail {n}"), "2026-11-20T08:00:01Z");
    let mut ids: Vec<MailId> = (0..500).map(|n| arrive(n).into()).collect();
    for _ in 0..2 {
        let (fresh, to) = (world.another_process(), MailStatus::Archived);
        let set = fresh.set_statuses(&account(), &ids, to).await;
        let mut set = set.unwrap().into_iter();
        ids.retain(|_| match set.next().unwrap() {
            Ok(before) => before.is_none(),
            Err(AccountError::NotReached { .. }) => true,
            Err(error) => panic!("{error}"),
        });
        world.clock.advance(MINUTE);
    }
    assert_eq!(ids, []);
}

#[tokio::test]
async fn short_refusals_are_waited_out_and_long_ones_reported() {
    let world = World::new().await;
    world.arrive("one", "2026-11-20T08:00:01Z");
    for fault in [
        error(401, "authError", None),
        error(429, "rateLimitExceeded", Some(7)),
        error(403, "userRateLimitExceeded", Some(2)),
        error(500, "backendError", None),
        Fault::DropBefore,
        Fault::GarbledAfter,
    ] {
        for method in ["gmail.users.getProfile", "gmail.users.messages.list", GET] {
            world.local().fail_next(method, 1, fault.clone());
            world.mailbox(|mailbox| mailbox.forget_history());
            assert_eq!(world.inbox().await.len(), 1, "{method} {fault:?}");
        }
    }
    let limit = error(429, "rateLimitExceeded", Some(45));
    world.local().fail_next("*", 1, limit);
    match world.google.list(&account(), &page(10)).await {
        Err(AccountError::NotReached { retry_after, .. }) => {
            assert_eq!(retry_after, Some(Duration::from_secs(45)));
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_mail_of_forty_megabytes_is_listed_and_read_without_its_body() {
    let world = World::new().await;
    let mut raw = plain("huge");
    raw.splice(0..0, *b"Content-Type: application/octet-stream\r\n");
    raw.resize(40_000_000, b'x');
    let at = "2026-11-20T08:00:01Z".parse().unwrap();
    world.mailbox(|mailbox| mailbox.deliver(&raw, &["INBOX"], at));
    let page = world.listed(&page(10)).await;
    let read = world.google.read(&account(), &page.mails[0].id).await;
    let read = read.unwrap().unwrap();
    assert!(read.truncated);
    assert_eq!(read.summary, page.mails[0]);
}

#[tokio::test]
async fn a_missing_grant_is_named() {
    let world = World::new().await;
    let is_missing = |error: Option<AccountError>, service| {
        let is_missing = matches!(&error, Some(AccountError::NotGranted(of)) if *of == service);
        assert!(is_missing, "{error:?}");
    };
    for scopes in [&[scope::CALENDAR_EVENTS], &[scope::GMAIL_COMPOSE]] {
        let narrow = world.consented_to(scopes);
        let listed = narrow.list(&account(), &page(10)).await;
        is_missing(listed.err(), AccountService::Mail);
    }
    let fault = error(403, "insufficientPermissions", None);
    world
        .local()
        .fail_next("gmail.users.drafts.create", 1, fault);
    let mail = OutgoingMail {
        to: vec![Mailbox::new("", "ben@example.com")],
        subject: "Lunch".into(),
        text: "At noon?".into(),
        ..OutgoingMail::default()
    };
    let sent = world.google.send(&account(), &mail, "k").await;
    is_missing(sent.err(), AccountService::MailSend);
}
