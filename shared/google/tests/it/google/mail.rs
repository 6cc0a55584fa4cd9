//! Gmail passes the suite of every mailbox, whatever Google makes of `Message-ID`.

use alfred_core::ports::{Account, Mail, MailStatus};
use alfred_google::Google;
use alfred_google_local::{GoogleLocal, Options, Quotas, Running};
use alfred_testkit::conformance::mail::{self, MailUnderTest, rfc5322};
use alfred_testkit::{ManualClock, MemoryStore};
use jiff::Timestamp;
use std::sync::Arc;

use crate::google::support::{self, account, connected};

pub const ANA: &str = "ana@example.com";

/// A mailbox in the local Google with its client, by a clock that stands.
pub struct Gmail {
    pub running: Running,
    pub mail: Arc<Google>,
    pub store: Arc<MemoryStore>,
    pub clock: ManualClock,
}

impl Gmail {
    /// An empty one, at the beginning of a minute.
    pub async fn new() -> Self {
        Self::with(Quotas::default()).await
    }

    pub async fn with(quotas: Quotas) -> Self {
        let clock = ManualClock::default();
        let store = Arc::new(MemoryStore::new(Arc::new(clock.clone())));
        let options = Options {
            quotas,
            ..Options::default()
        };
        let (running, google) = connected(options, store.clone(), Arc::new(clock.clone())).await;
        Self {
            running,
            mail: Arc::new(google),
            store,
            clock,
        }
    }

    pub fn google(&self) -> &GoogleLocal {
        &self.running.google
    }

    /// Looks at the mailbox, or changes it, as its owner does elsewhere.
    pub fn mailbox<T>(
        &self,
        work: impl FnOnce(&mut alfred_google_local::gmail::Mailbox) -> T,
    ) -> T {
        let done = self
            .google()
            .with_account(ANA, |account| work(&mut account.mailbox));
        done.unwrap()
    }

    /// A mail arrives, unread.
    pub fn arrive(&self, subject: &str, at: &str) -> String {
        let raw = plain(subject);
        let at: Timestamp = at.parse().unwrap();
        self.mailbox(|mailbox| mailbox.deliver(&raw, &["INBOX", "UNREAD"], at))
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

async fn given(replaces_message_id: bool) -> Gmail {
    let gmail = Gmail::new().await;
    gmail.mailbox(|mailbox| {
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
    gmail
}

impl MailUnderTest for Gmail {
    fn mail(&self) -> Arc<dyn Mail> {
        self.mail.clone()
    }

    fn account(&self) -> Account {
        account()
    }

    fn stranger(&self) -> Account {
        support::stranger()
    }
}

mod message_id_kept {
    alfred_testkit::mail_conformance!(super::given(false).await);
}

mod message_id_replaced {
    alfred_testkit::mail_conformance!(super::given(true).await);
}

/// What a mail brought with it says nothing.
#[tokio::test]
async fn a_lists_page_is_signed_where_gmails_own_server_says_so() {
    let gmail = Gmail::new().await;
    for (server, signed) in [("mx.google.com; ", true), ("mx.l.example; ", false)] {
        let raw = mail::of_a_list(server);
        let id = gmail.mailbox(|mailbox| mailbox.deliver(&raw, &["INBOX"], Timestamp::UNIX_EPOCH));
        let read = gmail.mail.read(&account(), &id.into()).await.unwrap();
        assert_eq!(read.unwrap().one_click.unwrap().signed, signed, "{server}");
    }
}
