//! Outlook passes the suites of mail, whatever becomes of `Message-ID`, and of calendars.

use alfred_core::id::MailId;
use alfred_core::ports::{AccountError, Mail, MailStatus};
use alfred_loopback::{HeldCall, Hold, Release};
use alfred_testkit::conformance::mail::{self, rfc5322};
use alfred_testkit::conformance::{self, AccountSide};
use serde_json::json;
use std::time::Duration;
use tokio::time::timeout;

use crate::microsoft::support::{Outlook, account};
use crate::outlook::{Fault, Refusal};

async fn with_mails(replaces_message_id: bool) -> Outlook {
    let outlook = Outlook::new().await;
    let mut mailbox = outlook.mailbox();
    mailbox.replaces_message_id = replaces_message_id;
    for mail in mail::mails() {
        let into = match mail.summary.status {
            MailStatus::Archived => "archive",
            _ => "inbox",
        };
        let raw = String::from_utf8(rfc5322(&mail)).unwrap();
        let is_read = mail.summary.status != MailStatus::Unread;
        let at = mail.summary.received_at.to_string();
        let fields = json!({"isRead": is_read, "receivedDateTime": at});
        mailbox.deliver(&raw, into, fields);
    }
    drop(mailbox);
    outlook
}

fn side(outlook: Outlook) -> AccountSide<alfred_microsoft::Microsoft> {
    AccountSide::new(outlook.mail.clone(), account(), outlook)
}

#[tokio::test(flavor = "multi_thread")]
async fn mail_passes_the_suite() {
    conformance::mail(async || side(with_mails(false).await)).await;
    conformance::mail(async || side(with_mails(true).await)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn calendars_pass_the_suite() {
    conformance::calendar_losing_declined(async || side(Outlook::new().await)).await;
    conformance::calendar(async || {
        let outlook = Outlook::new().await;
        outlook.mailbox().calendar.keeps_declined = true;
        side(outlook)
    })
    .await;
}

#[tokio::test]
async fn four_mails_are_put_away_at_once_even_if_an_answer_is_lost() {
    let (outlook, of) = (Outlook::new().await, &account());
    let (mail, graph) = (&outlook.mail, outlook.graph());
    let ids = ["a", "b", "c", "d", "e"].map(|subject| MailId::from(outlook.arrive(subject)));
    graph.fail_next("messages.move", 1, Fault::DropAfter);
    let mut gate = graph.hold("messages.move", Hold::BeforeEffect);
    let all_arrive = async move {
        let mut held: Vec<HeldCall> = Vec::new();
        while held.len() < 4 {
            held.push(gate.arrived().await);
        }
        // Meanwhile the mailbox gets no fifth request.
        let other = Mail::address(&**mail, of);
        assert!(timeout(Duration::from_millis(50), other).await.is_err());
        for call in held {
            call.release(Release::Complete);
        }
    };
    let set = mail.set_statuses(of, &ids, MailStatus::Archived);
    let (set, ()) = tokio::join!(set, all_arrive);
    let known = |set: &Result<_, _>| matches!(set, Ok(Some(_)));
    assert!(set.unwrap().iter().all(known));
    assert_eq!(outlook.mailbox().in_folder("archive").len(), 5);
}

#[tokio::test]
async fn of_two_mails_a_refused_one_leaves_the_other_put_away() {
    let (outlook, of) = (Outlook::new().await, &account());
    let ids = ["a", "b"].map(|subject| MailId::from(outlook.arrive(subject)));
    let full = Fault::Error(Refusal(507, "ErrorQuotaExceeded", None));
    outlook.graph().fail_next("messages.move", 1, full);
    let set = outlook.mail.set_statuses(of, &ids, MailStatus::Archived);
    let set = set.await.unwrap();
    let refused = |set: &&Result<_, _>| matches!(set, Err(AccountError::Refused { .. }));
    assert_eq!(set.iter().filter(refused).count(), 1, "{set:?}");
    assert_eq!(outlook.mailbox().in_folder("archive").len(), 1);
}
