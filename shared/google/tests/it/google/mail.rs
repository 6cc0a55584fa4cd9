//! Gmail passes the suite of every mailbox, whatever Google makes of `Message-ID`.

use alfred_core::ports::{Account, Mail, MailStatus};
use alfred_google_local::gmail::Mailbox;
use alfred_testkit::conformance::mail::{self, MailUnderTest, rfc5322};
use jiff::Timestamp;
use std::sync::Arc;

use crate::google::support::{ANA, World, account, stranger};

impl World {
    /// Looks at the mailbox, or changes it, as its owner does elsewhere.
    pub fn mailbox<T>(&self, work: impl FnOnce(&mut Mailbox) -> T) -> T {
        self.ana(|account| work(&mut account.mailbox))
    }

    pub fn deliver(&self, subject: &str, labels: &[&str], at: &str) -> String {
        let (raw, at) = (plain(subject), at.parse().unwrap());
        self.mailbox(|mailbox| mailbox.deliver(&raw, labels, at))
    }

    /// A mail arrives, unread.
    pub fn arrive(&self, subject: &str, at: &str) -> String {
        self.deliver(subject, &["INBOX", "UNREAD"], at)
    }
}

/// A mail with this subject.
pub fn plain(subject: &str) -> Vec<u8> {
    format!(
        "From: Ben Okafor <ben@example.com>\r\nTo: {ANA}\r\nSubject: {subject}\r\nMessage-ID: <{}@example.com>\r\n\r\nHello.\r\n",
        subject.replace(|c: char| !c.is_ascii_alphanumeric(), "-"),
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
            mailbox.deliver(&rfc5322(&mail, None), labels, mail.summary.received_at);
        }
    });
    world
}

impl MailUnderTest for World {
    fn mail(&self) -> Arc<dyn Mail> {
        self.google.clone()
    }

    fn account(&self) -> Account {
        account()
    }

    fn stranger(&self) -> Account {
        stranger()
    }
}

mod message_id_kept {
    alfred_testkit::mail_conformance!(super::given(false).await);
}

mod message_id_replaced {
    alfred_testkit::mail_conformance!(super::given(true).await);
}

/// A mail's own claim doesn't count.
#[tokio::test]
async fn a_lists_page_is_signed_where_gmails_own_server_says_so() {
    let world = World::new().await;
    for (server, signed) in [("mx.google.com; ", true), ("mx.l.example; ", false)] {
        let raw = mail::of_a_list(server);
        let id = world.mailbox(|mailbox| mailbox.deliver(&raw, &["INBOX"], Timestamp::UNIX_EPOCH));
        let read = Mail::read(&*world.google, &account(), &id.into()).await;
        let read = read.unwrap().unwrap();
        assert_eq!(read.one_click.unwrap().signed, signed, "{server}");
    }
}
