//! Gmail passes the suite of every mailbox, whatever Google makes of `Message-ID`. `gmail.txt` has what only Gmail
//! does, and what goes wrong.

mod calls;

use alfred_core::ports::MailStatus;
use alfred_google_local::gmail::Mailbox;
use alfred_testkit::conformance::mail::{self, rfc5322};
use alfred_testkit::conformance::{self, AccountSide};

use crate::google::once::once;
use crate::google::support::{ANA, World, account};

impl World {
    /// Looks at the mailbox, or changes it, as its owner does elsewhere.
    fn mailbox<T>(&self, work: impl FnOnce(&mut Mailbox) -> T) -> T {
        self.ana(|account| work(&mut account.mailbox))
    }

    fn with_label(&self, label: &str) -> Vec<String> {
        self.mailbox(|mailbox| {
            let mails = mailbox.with_label(label).into_iter();
            mails.map(|(id, _)| id).collect()
        })
    }
}

/// A mail with this subject.
fn plain(subject: &str) -> Vec<u8> {
    format!(
        "From: Ben Okafor <ben@example.com>\r\nTo: {ANA}\r\nSubject: {subject}\r\nMessage-ID: <{subject}@example.com>\r\n\r\nHello.\r\n",
    )
    .into_bytes()
}

async fn given(replaces_message_id: bool) -> World {
    let world = World::new().await;
    world.mailbox(|mailbox| {
        mailbox.replaces_message_id = replaces_message_id;
        for mail in mail::mails() {
            let labels: &[&str] = match mail.summary.status {
                MailStatus::Unread => &["INBOX", "UNREAD"],
                MailStatus::Archived => &[],
                _ => &["INBOX"],
            };
            mailbox.deliver(&rfc5322(&mail), labels, mail.summary.received_at);
        }
    });
    world
}

#[tokio::test(flavor = "multi_thread")]
async fn mail_passes_the_suite() {
    for replaces_message_id in [false, true] {
        let given = async || {
            let given = given(replaces_message_id).await;
            AccountSide::new(given.google.clone(), account(), given)
        };
        conformance::mail(given).await;
    }
}

#[tokio::test]
async fn each_change_is_made_once() {
    once("gmail", calls::gmail).await;
}
