//! A mailbox that is played, with its client.

use alfred_accounts::oauth::Tokens;
use alfred_core::ports::{Account, AccountError, AccountService};
use alfred_microsoft::{Endpoints, Microsoft};
use alfred_testkit::conformance::calendar::{COLLEAGUE, colleague};
use alfred_testkit::{ManualClock, MemoryStore};
use async_trait::async_trait;
use secrecy::SecretString;
use serde_json::json;
use std::sync::{Arc, MutexGuard};

use crate::outlook::{ANA, Mailbox, Player, each, recorded};

const EVERYTHING: &str =
    "User.Read,Mail.ReadWrite,Mail.Send,Calendars.ReadWrite,MailboxSettings.Read";

/// A token of one person that names these permissions.
struct Consented(&'static str);

#[async_trait]
impl Tokens for Consented {
    async fn access(
        &self,
        whose: &Account,
        service: AccountService,
    ) -> Result<SecretString, AccountError> {
        if *whose == account() {
            Ok(self.0.into())
        } else {
            Err(AccountError::NotConnected(service))
        }
    }

    async fn refused(&self, _: &Account, _: &SecretString) {}
}

/// A mailbox without mails, and with the events of the calendars' suite, by a clock that stands.
pub struct Outlook {
    player: Player,
    pub url: String,
    pub mail: Arc<Microsoft>,
    pub store: Arc<MemoryStore>,
    pub clock: ManualClock,
}

impl Outlook {
    pub async fn new() -> Self {
        // Another test of this process may have installed it.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let clock = ManualClock::default();
        let store = Arc::new(MemoryStore::new(Arc::new(clock.clone())));
        let (player, url) = Player::listen(clock.clone()).await;
        {
            let calendar = &mut player.mailbox().calendar;
            calendar.zone = "GMT Standard Time".into();
            calendar.others.insert(COLLEAGUE.into(), colleague());
            for event in each(&recorded("given")) {
                calendar.put(event);
            }
        }
        let mail = Arc::new(client(&url, &store, &clock, EVERYTHING));
        Self {
            player,
            url,
            mail,
            store,
            clock,
        }
    }

    pub fn graph(&self) -> &Player {
        &self.player
    }

    /// The client as another process has it.
    pub fn again(&self) -> Microsoft {
        self.granted(EVERYTHING)
    }

    /// The same with these permissions alone.
    pub fn granted(&self, permissions: &'static str) -> Microsoft {
        client(&self.url, &self.store, &self.clock, permissions)
    }

    /// Looks at the mailbox, or changes it, as its owner does elsewhere.
    pub fn mailbox(&self) -> MutexGuard<'_, Mailbox> {
        self.graph().mailbox()
    }

    /// A mail arrives, unread; its id.
    pub fn arrive(&self, subject: &str) -> String {
        let raw = format!(
            "From: Ben Okafor <ben@example.com>\r\nReply-To: team@example.com\r\nTo: {ANA}\r\nSubject: {subject}\r\nMessage-ID: <{}@example.com>\r\n\r\nHello.\r\n",
            subject.replace(' ', "-")
        );
        self.mailbox()
            .deliver(&raw, "inbox", json!({"isRead": false}))
    }
}

impl Drop for Outlook {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.player.assert_nothing_wrong();
        }
    }
}

fn client(
    url: &str,
    store: &Arc<MemoryStore>,
    clock: &ManualClock,
    permissions: &'static str,
) -> Microsoft {
    Microsoft::new(
        Endpoints::at(url, url, "common"),
        Arc::new(Consented(permissions)),
        store.clone(),
        Arc::new(clock.clone()),
    )
}

pub fn account() -> Account {
    Account::of(&"T1".into(), &"U1".into())
}
