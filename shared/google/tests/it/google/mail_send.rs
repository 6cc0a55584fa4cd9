//! Mail goes out once, whatever is cut, and whoever is at it.

use alfred_core::ports::{AccountError, Mail, Mailbox, OutgoingFile, OutgoingMail, SentMail};
use alfred_google::Google;
use alfred_google_local::{Account, Fault, Hold, Release};
use std::sync::Arc;
use std::time::Duration;

use crate::google::mail::Gmail;
use crate::google::support::{account, again};

/// The calls of a sending, in their order.
const CALLS: [&str; 5] = [
    "gmail.users.getProfile",
    "gmail.users.messages.list",
    "gmail.users.drafts.create",
    "gmail.users.drafts.send",
    "gmail.users.messages.get",
];

fn answer() -> OutgoingMail {
    OutgoingMail {
        to: vec![Mailbox::new("Ben Okafor", "ben@example.com")],
        cc: Vec::new(),
        subject: "Re: Lunch".into(),
        text: "At noon.".into(),
        in_reply_to: Some("Lunch@example.com".into()),
        references: vec!["Lunch@example.com".into()],
        files: Vec::new(),
    }
}

/// With the mail that is answered.
async fn given(replaces_message_id: bool) -> (Gmail, String) {
    let gmail = Gmail::new().await;
    let lunch = gmail.arrive("Lunch", "2026-11-20T08:00:00Z");
    gmail.mailbox(|mailbox| mailbox.replaces_message_id = replaces_message_id);
    (gmail, lunch)
}

fn sent(gmail: &Gmail) -> Vec<String> {
    let ids = |mailbox: &mut alfred_google_local::gmail::Mailbox| {
        let sent = mailbox.with_label("SENT").into_iter();
        sent.map(|(id, _)| id).collect()
    };
    gmail.mailbox(ids)
}

fn drafts(gmail: &Gmail) -> usize {
    gmail.mailbox(|mailbox| mailbox.with_label("DRAFT").len())
}

/// As a run does: it looks, and repeats what certainly didn't happen.
async fn settled(google: &Google, key: &str) -> SentMail {
    for _ in 0..5 {
        match google.find_sent(&account(), key).await {
            Ok(Some(sent)) => return sent,
            Ok(None) => {}
            Err(error) => panic!("{error}"),
        }
        if let Ok(sent) = google.send(&account(), &answer(), key).await {
            return sent;
        }
    }
    panic!("it never went out");
}

/// One mail went out, it is in the thread it answers, and nothing is left of its drafts.
async fn went_out_once(gmail: &Gmail, google: &Google, key: &str, lunch: &str, case: &str) {
    let receipt = settled(google, key).await;
    assert_eq!(sent(gmail), [receipt.id.to_string()], "{case}");
    assert_eq!(drafts(gmail), 0, "{case}");
    let found = google.find_sent(&account(), key).await.unwrap();
    assert_eq!(found.as_ref(), Some(&receipt), "{case}");
    let read = google.read(&account(), &receipt.id).await.unwrap().unwrap();
    assert_eq!(read.message_id, Some(receipt.message_id), "{case}");
    let thread = |id: &str| gmail.mailbox(|mailbox| mailbox.thread_of(id));
    assert_eq!(thread(receipt.id.as_str()), thread(lunch), "{case}");
}

#[tokio::test]
async fn whatever_call_fails_in_whatever_way_one_mail_goes_out() {
    let faults = [
        Fault::DropBefore,
        Fault::DropAfter,
        Fault::GarbledAfter,
        Fault::ErrorAfter { status: 503 },
        Fault::Error {
            status: 429,
            reason: "rateLimitExceeded",
            retry_after: Some(60),
        },
    ];
    for replaced in [false, true] {
        for fault in &faults {
            for (call, times) in CALLS.iter().flat_map(|call| [(call, 1), (call, 4)]) {
                let (gmail, lunch) = given(replaced).await;
                gmail.google().fail_next(call, times, fault.clone());
                let case = format!("{call} {fault:?} {times} times, replaced: {replaced}");
                let first = gmail.mail.send(&account(), &answer(), "k").await;
                assert!(
                    !matches!(first, Err(AccountError::Refused { .. })),
                    "{case}: {first:?}"
                );
                went_out_once_after_trouble(&gmail, &lunch, &case).await;
            }
        }
    }
}

/// While it fails a look may fail too, and says so.
async fn went_out_once_after_trouble(gmail: &Gmail, lunch: &str, case: &str) {
    for _ in 0..8 {
        match gmail.mail.find_sent(&account(), "k").await {
            Ok(Some(sent)) if gmail.mail.read(&account(), &sent.id).await.is_ok() => break,
            Ok(Some(_)) => {}
            Ok(None) => {
                let _ = gmail.mail.send(&account(), &answer(), "k").await;
            }
            Err(AccountError::NotReached { .. }) => {}
            Err(error) => panic!("{case}: {error}"),
        }
    }
    went_out_once(gmail, &gmail.mail, "k", lunch, case).await;
}

#[tokio::test]
async fn a_process_that_dies_at_any_call_leaves_it_to_the_next() {
    for replaced in [false, true] {
        for hold in [Hold::BeforeEffect, Hold::AfterEffect] {
            for call in CALLS {
                let (gmail, lunch) = given(replaced).await;
                let mut gate = gmail.google().hold(call, hold);
                let google = gmail.mail.clone();
                let task =
                    tokio::spawn(async move { google.send(&account(), &answer(), "k").await });
                let held = gate.arrived().await;
                task.abort();
                assert!(task.await.unwrap_err().is_cancelled());
                held.release(Release::Drop);
                drop(gate);
                let next = again(
                    &gmail.running,
                    gmail.store.clone(),
                    Arc::new(gmail.clock.clone()),
                );
                let case = format!("{call} {hold:?}, replaced: {replaced}");
                went_out_once(&gmail, &next, "k", &lunch, &case).await;
            }
        }
    }
}

#[tokio::test]
async fn a_call_that_is_late_sends_nothing_more() {
    for call in ["gmail.users.drafts.create", "gmail.users.drafts.send"] {
        let (gmail, lunch) = given(true).await;
        let next = again(
            &gmail.running,
            gmail.store.clone(),
            Arc::new(gmail.clock.clone()),
        );
        let mut gate = gmail.google().hold(call, Hold::BeforeEffect);
        let google = gmail.mail.clone();
        let late = tokio::spawn(async move { google.send(&account(), &answer(), "k").await });
        let held = gate.arrived().await;
        drop(gate);
        let receipt = next.send(&account(), &answer(), "k").await.unwrap();
        held.release(Release::Complete);
        assert_eq!(late.await.unwrap().unwrap(), receipt, "{call}");
        went_out_once(&gmail, &next, "k", &lunch, call).await;
    }
}

#[tokio::test]
async fn two_processes_at_once_send_one() {
    let (gmail, lunch) = given(true).await;
    let next = again(
        &gmail.running,
        gmail.store.clone(),
        Arc::new(gmail.clock.clone()),
    );
    let mail = answer();
    let account = account();
    let send = |google| Google::send(google, &account, &mail, "k");
    let (a, b, c) = tokio::join!(send(&gmail.mail), send(&next), send(&gmail.mail));
    let first = a.unwrap();
    assert_eq!((&b.unwrap(), &c.unwrap()), (&first, &first));
    went_out_once(&gmail, &next, "k", &lunch, "both").await;
}

#[tokio::test]
async fn a_draft_that_its_owner_deleted_is_nobodys_to_tell() {
    let (gmail, _) = given(false).await;
    gmail
        .google()
        .fail_next("gmail.users.drafts.send", 1, Fault::DropAfter);
    let mut gate = gmail
        .google()
        .hold("gmail.users.drafts.get", Hold::BeforeEffect);
    let google = gmail.mail.clone();
    let task = tokio::spawn(async move { google.send(&account(), &answer(), "k").await });
    let held = gate.arrived().await;
    drop(gate);
    // It went out, and its owner deletes it before anybody looks.
    gmail.mailbox(|mailbox| {
        let sent: Vec<String> = mailbox
            .with_label("SENT")
            .into_iter()
            .map(|(id, _)| id)
            .collect();
        mailbox.delete(&sent[0]);
    });
    held.release(Release::Complete);
    let unknown = |told: Option<AccountError>| matches!(told, Some(AccountError::Unknown { .. }));
    assert!(unknown(task.await.unwrap().err()));
    assert!(unknown(gmail.mail.find_sent(&account(), "k").await.err()));
    assert!(unknown(
        gmail.mail.send(&account(), &answer(), "k").await.err()
    ));
    // By then its owner was asked, and wants it sent.
    gmail.clock.advance(Duration::from_secs(180));
    gmail.mail.send(&account(), &answer(), "k").await.unwrap();
    assert_eq!(sent(&gmail).len(), 1);
}

#[tokio::test]
async fn it_arrives_with_whoever_has_an_account() {
    let (gmail, lunch) = given(false).await;
    gmail
        .google()
        .put_account(Account::new("ben@example.com", "Ben Okafor"));
    gmail.mail.send(&account(), &answer(), "k").await.unwrap();
    let arrived = gmail.google().with_account("ben@example.com", |ben| {
        let inbox = ben.mailbox.with_label("INBOX");
        inbox
            .iter()
            .map(|(_, raw)| String::from_utf8_lossy(raw).into_owned())
            .collect::<Vec<_>>()
    });
    let arrived = arrived.unwrap();
    assert_eq!(arrived.len(), 1);
    assert!(
        arrived[0].contains("X-Alfred-Key: ")
            && arrived[0].contains("In-Reply-To: <Lunch@example.com>")
    );
    // Under another subject it is another thread.
    let other = OutgoingMail {
        subject: "Dinner".into(),
        ..answer()
    };
    let dinner = gmail.mail.send(&account(), &other, "other").await.unwrap();
    let thread = |id: &str| gmail.mailbox(|mailbox| mailbox.thread_of(id));
    assert_ne!(thread(dinner.id.as_str()), thread(&lunch));
}

#[tokio::test]
async fn a_large_file_goes_out_whole_in_its_thread_and_once() {
    let (gmail, lunch) = given(true).await;
    let film = OutgoingFile {
        name: "film.mp4".into(),
        content_type: "video/mp4".into(),
        content: vec![7; 6_000_000],
    };
    let mail = OutgoingMail {
        files: vec![film.clone()],
        ..answer()
    };
    let lose = Fault::DropAfter;
    gmail
        .google()
        .fail_next("gmail.users.drafts.create", 1, lose);
    let lost = gmail.mail.send(&account(), &mail, "k").await;
    assert!(
        matches!(lost, Err(AccountError::NotReached { .. })),
        "{lost:?}"
    );
    let receipt = gmail.mail.send(&account(), &mail, "k").await.unwrap();
    assert_eq!(sent(&gmail), [receipt.id.to_string()]);
    assert_eq!(drafts(&gmail), 0);
    let threads = [receipt.id.as_str(), &lunch];
    let [own, answered] = threads.map(|id| gmail.mailbox(|mailbox| mailbox.thread_of(id)));
    assert_eq!(own, answered);
    let there = gmail.mail.attachment(&account(), &receipt.id, 0).await;
    assert!(there.unwrap() == Some(film.content), "byte by byte");
}
