//! Mail goes out once, whatever is cut, and whoever is at it.

use alfred_core::ports::{AccountError, Mail, Mailbox, OutgoingFile, OutgoingMail, SentMail};
use alfred_loopback::{Hold, Release};
use alfred_microsoft::Microsoft;
use serde_json::json;
use std::time::Duration;

use crate::microsoft::support::{BUSY, Outlook, account};
use crate::outlook::Fault;

/// The calls of a sending, in their order.
const CALLS: [&str; 7] = [
    "me.get",
    "messages.find",
    "messages.createReply",
    "messages.patch",
    "attachments.create",
    "messages.send",
    "messages.get",
];
/// Longer than a sent mail is taken to be on its way.
const LATER: Duration = Duration::from_secs(180);

fn answer() -> OutgoingMail {
    OutgoingMail {
        to: vec![Mailbox::new("Ben Okafor", "ben@example.com")],
        subject: "Re: Lunch".into(),
        text: "At noon.".into(),
        in_reply_to: Some("Lunch@example.com".into()),
        references: vec!["Lunch@example.com".into()],
        files: vec![OutgoingFile {
            name: "menu.txt".into(),
            content_type: "text/plain".into(),
            content: b"Soup".to_vec(),
        }],
        ..OutgoingMail::default()
    }
}

fn is_unknown<T>(told: &Result<T, AccountError>) -> bool {
    matches!(told, Err(AccountError::Unknown { .. }))
}

/// As a run does: it looks, and repeats what certainly didn't happen. Where nobody can tell, its look is later.
async fn settled(outlook: &Outlook, graph: &Microsoft, key: &str) -> SentMail {
    for _ in 0..10 {
        match graph.find_sent(&account(), key).await {
            Ok(Some(sent)) => return sent,
            Ok(None) => {
                if let Ok(sent) = graph.send(&account(), &answer(), key).await {
                    return sent;
                }
            }
            Err(AccountError::NotReached { .. } | AccountError::Unknown { .. }) => {
                outlook.clock.advance(LATER);
            }
            Err(error) => panic!("{error}"),
        }
    }
    panic!("it never went out");
}

/// One mail went out, it answers what it should, and nothing is left of its drafts.
async fn went_out_once(outlook: &Outlook, graph: &Microsoft, key: &str, case: &str) {
    let receipt = settled(outlook, graph, key).await;
    assert_eq!(outlook.mailbox().times_sent, 1, "{case}");
    let sent = outlook.mailbox().in_folder("sentitems");
    assert_eq!(sent, [receipt.id.to_string()], "{case}");
    assert_eq!(outlook.mailbox().in_folder("drafts"), [""; 0], "{case}");
    let found = graph.find_sent(&account(), key).await.unwrap();
    assert_eq!(found.as_ref(), Some(&receipt), "{case}");
    let read = graph.read(&account(), &receipt.id).await.unwrap().unwrap();
    assert_eq!(read.attachments.len(), 1, "{case}");
    assert_eq!(read.references[0], "Lunch@example.com", "{case}");
    // Exchange proposes other people, words and a subject for an answer.
    let seen = (
        &read.summary.to,
        &read.summary.subject,
        read.text.trim_end(),
    );
    let mail = answer();
    assert_eq!(
        seen,
        (&mail.to, &mail.subject, mail.text.as_str()),
        "{case}"
    );
}

/// An empty mailbox but for the mail that is answered.
async fn asked() -> Outlook {
    let outlook = Outlook::new().await;
    outlook.arrive("Lunch");
    outlook
}

#[tokio::test]
async fn whatever_call_fails_in_whatever_way_one_mail_goes_out() {
    let faults = [
        Fault::DropBefore,
        Fault::DropAfter,
        Fault::GarbledAfter,
        Fault::ErrorAfter(503),
        BUSY,
    ];
    for sends_later in [false, true] {
        for fault in &faults {
            for (call, times) in CALLS.iter().flat_map(|call| [(call, 1), (call, 4)]) {
                let outlook = asked().await;
                outlook.mailbox().sends_later = sends_later;
                outlook.graph().fail_next(call, times, fault.clone());
                let case = format!("{call} {fault:?} {times} times, later: {sends_later}");
                let first = outlook.mail.send(&account(), &answer(), "k").await;
                let refused = matches!(first, Err(AccountError::Refused { .. }));
                assert!(!refused, "{case}: {first:?}");
                // Sending ends before anybody may look and repeat.
                outlook.mailbox().finish_sending();
                outlook.mailbox().sends_later = false;
                went_out_once(&outlook, &outlook.mail, "k", &case).await;
            }
        }
    }
}

#[tokio::test]
async fn a_process_that_dies_at_any_call_leaves_it_to_the_next() {
    for hold in [Hold::BeforeEffect, Hold::AfterEffect] {
        for call in CALLS {
            let outlook = asked().await;
            let mut gate = outlook.graph().hold(call, hold);
            let graph = outlook.mail.clone();
            let task = tokio::spawn(async move { graph.send(&account(), &answer(), "k").await });
            let held = gate.arrived().await;
            task.abort();
            assert!(task.await.unwrap_err().is_cancelled());
            held.release(Release::Drop);
            drop(gate);
            let case = format!("{call} {hold:?}");
            went_out_once(&outlook, &outlook.again(), "k", &case).await;
        }
    }
}

#[tokio::test]
async fn two_processes_at_once_send_one() {
    let outlook = asked().await;
    let other = outlook.again();
    let (mail, whose) = (answer(), account());
    let send = |graph| Microsoft::send(graph, &whose, &mail, "k");
    let (a, b, c) = tokio::join!(send(&outlook.mail), send(&other), send(&outlook.mail));
    assert!([a, b, c].iter().any(Result::is_ok));
    went_out_once(&outlook, &other, "k", "both").await;
}

#[tokio::test]
async fn what_is_on_its_way_isnt_sent_again() {
    let outlook = asked().await;
    outlook.mailbox().sends_later = true;
    outlook
        .graph()
        .fail_next("messages.send", 1, Fault::DropAfter);
    let (mail, whose) = (&outlook.mail, account());
    for _ in 0..2 {
        assert!(is_unknown(&mail.send(&whose, &answer(), "k").await));
        assert!(is_unknown(&mail.find_sent(&whose, "k").await));
    }
    outlook.mailbox().finish_sending();
    went_out_once(&outlook, &outlook.mail, "k", "later").await;
}

#[tokio::test]
async fn what_was_refused_needs_no_waiting() {
    let outlook = asked().await;
    outlook.graph().fail_next("messages.send", 1, BUSY);
    let first = outlook.mail.send(&account(), &answer(), "k").await;
    let told = matches!(&first, Err(AccountError::NotReached { retry_after: Some(after), .. })
        if after.as_secs() == 60);
    assert!(told, "{first:?}");
    assert_eq!(outlook.mail.find_sent(&account(), "k").await.unwrap(), None);
    went_out_once(&outlook, &outlook.mail, "k", "at once").await;
}

#[tokio::test]
async fn a_draft_that_its_owner_changed_stays_theirs() {
    let outlook = asked().await;
    outlook
        .graph()
        .fail_next("messages.send", 1, Fault::DropBefore);
    assert!(is_unknown(
        &outlook.mail.send(&account(), &answer(), "k").await
    ));
    let theirs = outlook.mailbox().in_folder("drafts").remove(0);
    outlook.mailbox().change(&theirs, &json!({})).unwrap();
    outlook.clock.advance(LATER);
    let sent = outlook.mail.send(&account(), &answer(), "k").await.unwrap();
    assert_eq!(
        outlook.mailbox().in_folder("sentitems"),
        [sent.id.to_string()]
    );
    assert_eq!(outlook.mailbox().in_folder("drafts"), [theirs]);
}

#[tokio::test]
async fn a_mail_that_its_owner_deleted_is_nobodys_to_tell() {
    let outlook = asked().await;
    outlook
        .graph()
        .fail_next("messages.send", 1, Fault::DropAfter);
    let mut gate = outlook.graph().hold("messages.get", Hold::AfterEffect);
    let graph = outlook.mail.clone();
    let task = tokio::spawn(async move { graph.send(&account(), &answer(), "k").await });
    // The first is of the draft with its file.
    gate.arrived().await.release(Release::Complete);
    let held = gate.arrived().await;
    drop(gate);
    let sent = outlook.mailbox().in_folder("sentitems").remove(0);
    outlook.mailbox().messages.remove(&sent);
    held.release(Release::Drop);
    assert!(is_unknown(&task.await.unwrap()));
    assert!(is_unknown(&outlook.mail.find_sent(&account(), "k").await));
    // By then its owner was asked, and wants it sent.
    outlook.clock.advance(LATER);
    outlook.mail.send(&account(), &answer(), "k").await.unwrap();
    assert_eq!(outlook.mailbox().in_folder("sentitems").len(), 1);
}

#[tokio::test]
async fn a_large_file_goes_out_whole_and_once() {
    let outlook = asked().await;
    let film = OutgoingFile {
        name: "film.mp4".into(),
        content_type: "video/mp4".into(),
        content: vec![7; 8_000_000],
    };
    let mail = OutgoingMail {
        files: vec![film.clone()],
        ..answer()
    };
    let lose = Fault::DropAfter;
    outlook.graph().fail_next("attachments.upload", 1, lose);
    let lost = outlook.mail.send(&account(), &mail, "k").await;
    assert!(
        matches!(lost, Err(AccountError::NotReached { .. })),
        "{lost:?}"
    );
    let receipt = outlook.mail.send(&account(), &mail, "k").await.unwrap();
    assert_eq!(
        outlook.mailbox().in_folder("sentitems"),
        [receipt.id.to_string()]
    );
    assert_eq!(outlook.mailbox().in_folder("drafts"), [""; 0]);
    let there = outlook.mail.attachment(&account(), &receipt.id, 0).await;
    assert!(there.unwrap() == Some(film.content), "byte by byte");
}

#[tokio::test]
async fn an_answer_to_a_mail_that_is_gone_goes_out_without_its_thread() {
    let outlook = Outlook::new().await;
    let sent = outlook.mail.send(&account(), &answer(), "k").await.unwrap();
    let read = outlook.mail.read(&account(), &sent.id).await.unwrap();
    assert_eq!(read.unwrap().references, [sent.message_id]);
    assert_eq!(outlook.graph().calls("messages.createReply"), 0);
}
