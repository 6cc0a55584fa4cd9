//! Drafts, lost answers, large files and threads when a mail is sent.

use alfred_core::ports::{AccountError, Mail, OutgoingFile, OutgoingMail};
use alfred_loopback::{Hold, Release};
use serde_json::json;

use crate::microsoft::case::{LATER, answer};
use crate::microsoft::support::{BUSY, Outlook, account};
use crate::outlook::Fault;

fn is_unknown<T>(told: &Result<T, AccountError>) -> bool {
    matches!(told, Err(AccountError::Unknown { .. }))
}

/// An empty mailbox but for the mail that is answered.
async fn asked() -> Outlook {
    let outlook = Outlook::new().await;
    outlook.arrive("Lunch");
    outlook
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
    outlook.mail.send(&account(), &answer(), "k").await.unwrap();
    assert_eq!(outlook.mailbox().times_sent, 1);
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
