//! Lists, states and reading, when something goes wrong or changes meanwhile.

use alfred_accounts::oauth::Tokens;
use alfred_core::ports::{
    Account, AccountError, AccountService, Mail, MailPage, MailQuery, MailStatus, OutgoingMail,
    Total,
};
use alfred_google::{Endpoints, Google};
use alfred_google_local::{Fault, GoogleLocal, Quotas, scope};
use async_trait::async_trait;
use secrecy::SecretString;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use crate::google::mail::{ANA, Gmail, plain};
use crate::google::support::account;

const GET: &str = "gmail.users.messages.get";
const MINUTE: Duration = Duration::from_secs(60);

pub fn page(limit: usize) -> MailQuery {
    MailQuery {
        limit,
        ..MailQuery::default()
    }
}

async fn listed(gmail: &Gmail, query: &MailQuery) -> MailPage {
    gmail.mail.list(&account(), query).await.unwrap()
}

fn subjects(page: &MailPage) -> Vec<&str> {
    page.mails
        .iter()
        .map(|mail| mail.subject.as_str())
        .collect()
}

fn states(page: &MailPage) -> BTreeMap<&str, MailStatus> {
    page.mails
        .iter()
        .map(|mail| (mail.subject.as_str(), mail.status))
        .collect()
}

/// Elsewhere a cursor was seen to jump past what the limit had held back.
#[tokio::test]
async fn a_page_that_the_limit_cuts_goes_on_behind_its_last_mail() {
    let gmail = Gmail::with(Quotas {
        gmail: 1_000,
        ..Quotas::default()
    })
    .await;
    let names: Vec<String> = (0..120).map(|n| format!("mail {n:03}")).collect();
    for (n, name) in names.iter().enumerate() {
        // Four in each second.
        gmail.arrive(name, &format!("2026-11-20T08:00:{:02}Z", n / 4));
    }
    let mut query = page(500);
    let (mut seen, mut pages) = (Vec::new(), Vec::new());
    loop {
        let page = listed(&gmail, &query).await;
        pages.push(page.mails.len());
        seen.extend(page.mails.into_iter().map(|mail| mail.subject));
        assert_eq!(page.total.number(), names.len());
        // More arrives, and some of what was given goes.
        gmail.arrive("late", "2026-11-21T08:30:00Z");
        let first = seen.last().unwrap().clone();
        let query_first = MailQuery {
            words: vec![first],
            ..self::page(1)
        };
        gmail.clock.advance(MINUTE);
        let given = listed(&gmail, &query_first).await.mails.remove(0);
        gmail
            .mail
            .set_status(&account(), &given.id, MailStatus::Archived)
            .await
            .unwrap();
        gmail.clock.advance(MINUTE);
        query.cursor = page.next;
        if query.cursor.is_none() {
            break;
        }
    }
    assert!(pages.len() >= 3 && pages[0] > 40, "{pages:?}");
    let newest_first: Vec<String> = names.into_iter().rev().collect();
    assert_eq!(seen, newest_first);
}

/// Elsewhere mails of the second in which a page ended, or a look began, were missed.
#[tokio::test]
async fn mails_of_one_second_are_all_seen_once() {
    let gmail = Gmail::new().await;
    for at in ["29.999", "30", "30", "30", "30.5", "30.5", "31"] {
        gmail.arrive(&format!("at {at}"), &format!("2026-11-20T08:00:{at}Z"));
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
            let page = listed(&gmail, &query).await;
            for mail in page.mails {
                assert!(seen.insert(mail.id.clone()), "{} twice", mail.subject);
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
async fn what_happens_elsewhere_is_seen_without_fetching_anew() {
    let gmail = Gmail::new().await;
    let one = gmail.arrive("one", "2026-11-20T08:00:01Z");
    let two = gmail.arrive("two", "2026-11-20T08:00:02Z");
    gmail.arrive("three", "2026-11-20T08:00:03Z");
    assert_eq!(listed(&gmail, &page(10)).await.total, Total::Exact(3));
    gmail.mailbox(|mailbox| {
        mailbox.relabel(&one, &[], &["UNREAD"]);
        mailbox.delete(&two);
    });
    gmail.arrive("four", "2026-11-20T08:00:04Z");
    let now = listed(&gmail, &page(10)).await;
    assert_eq!(subjects(&now), ["four", "three", "one"]);
    assert_eq!(states(&now)["one"], MailStatus::Read);
    assert_eq!(gmail.google().call_counts()[GET], 4);
}

#[tokio::test]
async fn a_history_that_is_known_no_more_makes_a_fresh_start() {
    let gmail = Gmail::new().await;
    let one = gmail.arrive("one", "2026-11-20T08:00:01Z");
    gmail.arrive("two", "2026-11-20T08:00:02Z");
    listed(&gmail, &page(10)).await;
    gmail.mailbox(|mailbox| {
        mailbox.relabel(&one, &[], &["UNREAD"]);
        mailbox.forget_history();
    });
    let now = listed(&gmail, &page(10)).await;
    assert_eq!(states(&now)["one"], MailStatus::Read);
    assert_eq!(gmail.google().call_counts()[GET], 4);
    // From here on it is known again.
    gmail.mailbox(|mailbox| mailbox.relabel(&one, &["UNREAD"], &[]));
    assert_eq!(
        states(&listed(&gmail, &page(10)).await)["one"],
        MailStatus::Unread
    );
    assert_eq!(gmail.google().call_counts()[GET], 4);
}

#[tokio::test]
async fn a_state_is_exactly_its_labels() {
    use MailStatus::{Archived, Backlog, Processed, Read, Unread};
    let gmail = Gmail::new().await;
    let id = gmail.arrive("one", "2026-11-20T08:00:01Z");
    gmail.mailbox(|mailbox| mailbox.relabel(&id, &["STARRED"], &[]));
    let labels = || gmail.mailbox(|mailbox| mailbox.labels_of(&id)).unwrap();
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
        gmail
            .mail
            .set_status(&account(), &id.as_str().into(), to)
            .await
            .unwrap();
        let labels: Vec<String> = labels().into_iter().collect();
        assert_eq!(labels.join(" "), expected, "{to:?}");
    }
    assert_eq!(gmail.google().call_counts()["gmail.users.labels.create"], 2);
    // What was sent or thrown away isn't Alfred's to sort.
    for place in ["SENT", "DRAFT", "TRASH", "SPAM"] {
        let id = gmail.mailbox(|mailbox| {
            mailbox.deliver(
                &plain(place),
                &[place],
                "2026-11-20T08:00:02Z".parse().unwrap(),
            )
        });
        let set = gmail.mail.set_status(&account(), &id.into(), Read).await;
        assert_eq!(set.unwrap(), None, "{place}");
    }
}

#[tokio::test]
async fn a_change_without_an_answer_is_made_again() {
    let gmail = Gmail::new().await;
    let id = gmail.arrive("one", "2026-11-20T08:00:01Z");
    for fault in [
        Fault::DropAfter,
        Fault::GarbledAfter,
        Fault::ErrorAfter { status: 503 },
    ] {
        for to in [MailStatus::Archived, MailStatus::Unread] {
            gmail
                .google()
                .fail_next("gmail.users.messages.modify", 1, fault.clone());
            let set = gmail
                .mail
                .set_status(&account(), &id.as_str().into(), to)
                .await;
            assert!(set.unwrap().is_some(), "{fault:?}");
            let all = MailQuery {
                status: vec![to],
                ..page(10)
            };
            assert_eq!(
                listed(&gmail, &all).await.mails.len(),
                1,
                "{fault:?} {to:?}"
            );
        }
    }
}

#[tokio::test]
async fn short_refusals_are_waited_out_and_long_ones_told() {
    let gmail = Gmail::new().await;
    gmail.arrive("one", "2026-11-20T08:00:01Z");
    let error = |status, reason, retry_after| Fault::Error {
        status,
        reason,
        retry_after,
    };
    for fault in [
        error(401, "authError", None),
        error(429, "rateLimitExceeded", Some(7)),
        error(403, "userRateLimitExceeded", Some(2)),
        error(500, "backendError", None),
        Fault::DropBefore,
        Fault::GarbledAfter,
    ] {
        for method in ["gmail.users.getProfile", "gmail.users.messages.list", GET] {
            gmail.google().fail_next(method, 1, fault.clone());
            gmail.mailbox(|mailbox| mailbox.forget_history());
            assert_eq!(
                listed(&gmail, &page(10)).await.mails.len(),
                1,
                "{method} {fault:?}"
            );
        }
    }
    gmail
        .google()
        .fail_next("*", 1, error(429, "rateLimitExceeded", Some(45)));
    match gmail.mail.list(&account(), &page(10)).await {
        Err(AccountError::NotReached { retry_after, .. }) => {
            assert_eq!(retry_after, Some(Duration::from_secs(45)));
        }
        other => panic!("{other:?}"),
    }
}

/// Larger than is taken in: what can be had of it is.
#[tokio::test]
async fn a_mail_of_forty_megabytes_is_listed_and_read_without_its_body() {
    let gmail = Gmail::new().await;
    let mut raw = plain("huge");
    raw.splice(0..0, *b"Content-Type: application/octet-stream\r\n");
    raw.resize(40_000_000, b'x');
    gmail.mailbox(|mailbox| {
        mailbox.deliver(&raw, &["INBOX"], "2026-11-20T08:00:01Z".parse().unwrap())
    });
    let page = listed(&gmail, &page(10)).await;
    let read = gmail.mail.read(&account(), &page.mails[0].id).await;
    let read = read.unwrap().unwrap();
    assert!(read.truncated);
    assert_eq!(read.summary, page.mails[0]);
}

struct Narrow(GoogleLocal, &'static [&'static str]);

#[async_trait]
impl Tokens for Narrow {
    async fn access(&self, _: &Account, _: AccountService) -> Result<SecretString, AccountError> {
        Ok(self.0.access_token(ANA, self.1).into())
    }

    async fn refused(&self, _: &Account, _: &SecretString) {}
}

#[tokio::test]
async fn what_was_not_granted_is_named() {
    let gmail = Gmail::new().await;
    let mail = OutgoingMail {
        to: vec![alfred_core::ports::Mailbox::new("", "ben@example.com")],
        cc: Vec::new(),
        subject: "Lunch".into(),
        text: "At noon?".into(),
        in_reply_to: None,
        references: Vec::new(),
        files: Vec::new(),
    };
    for (scopes, service) in [
        (&[scope::CALENDAR_EVENTS] as &[&str], AccountService::Mail),
        (&[scope::GMAIL_COMPOSE], AccountService::Mail),
    ] {
        let tokens = Arc::new(Narrow(gmail.google().clone(), scopes));
        let endpoints = Endpoints::at(&gmail.running.url);
        let clock = Arc::new(gmail.clock.clone());
        let narrow = Google::new(endpoints, tokens, gmail.store.clone(), clock);
        let told = narrow.list(&account(), &page(10)).await;
        assert!(
            matches!(told, Err(AccountError::NotGranted(named)) if named == service),
            "{told:?}"
        );
    }
    gmail.google().fail_next(
        "gmail.users.drafts.create",
        1,
        Fault::Error {
            status: 403,
            reason: "insufficientPermissions",
            retry_after: None,
        },
    );
    let told = gmail.mail.send(&account(), &mail, "k").await;
    assert!(
        matches!(
            told,
            Err(AccountError::NotGranted(AccountService::MailSend))
        ),
        "{told:?}"
    );
}
