//! A mailbox in the local Graph with its client.

use alfred_accounts::oauth::Tokens;
use alfred_core::ports::{Account, AccountError, AccountService};
use alfred_graph_local::mail::{Folder, Mailbox};
use alfred_graph_local::{GraphLocal, Options, Running};
use alfred_microsoft::{Endpoints, Microsoft};
use alfred_testkit::{ManualClock, MemoryStore};
use async_trait::async_trait;
use secrecy::SecretString;
use std::sync::Arc;

pub const ANA: &str = "ana@example.com";
const EVERYTHING: [&str; 5] = [
    "User.Read",
    "Mail.ReadWrite",
    "Mail.Send",
    "Calendars.ReadWrite",
    "MailboxSettings.Read",
];

/// Tokens of one person, as if they had consented to these scopes.
struct Consented {
    graph: GraphLocal,
    scopes: Vec<&'static str>,
}

#[async_trait]
impl Tokens for Consented {
    async fn access(
        &self,
        whose: &Account,
        service: AccountService,
    ) -> Result<SecretString, AccountError> {
        match *whose == account() {
            true => Ok(self.graph.access_token(ANA, &self.scopes).into()),
            false => Err(AccountError::NotConnected(service)),
        }
    }

    async fn refused(&self, _: &Account, _: &SecretString) {}
}

/// An empty mailbox, by a clock that stands.
pub struct Outlook {
    pub running: Running,
    pub mail: Arc<Microsoft>,
    pub store: Arc<MemoryStore>,
    pub clock: ManualClock,
}

impl Outlook {
    pub async fn new() -> Self {
        Self::with(Options::default()).await
    }

    pub async fn with(options: Options) -> Self {
        // Another test of this process may have installed it.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let clock = ManualClock::default();
        let store = Arc::new(MemoryStore::new(Arc::new(clock.clone())));
        let graph = GraphLocal::new(options, Arc::new(clock.clone()));
        graph.put_mailbox(ANA, "Ana Marques");
        let running = graph.listen().await.unwrap();
        let mail = Arc::new(client(&running, &store, &clock, &EVERYTHING));
        Self {
            running,
            mail,
            store,
            clock,
        }
    }

    pub fn graph(&self) -> &GraphLocal {
        &self.running.graph
    }

    /// The client as another process has it.
    pub fn again(&self) -> Microsoft {
        self.granted(&EVERYTHING)
    }

    /// The same where this alone was granted.
    pub fn granted(&self, scopes: &[&'static str]) -> Microsoft {
        client(&self.running, &self.store, &self.clock, scopes)
    }

    /// Looks at the mailbox, or changes it, as its owner does elsewhere.
    pub fn mailbox<T>(&self, work: impl FnOnce(&mut Mailbox) -> T) -> T {
        self.graph().with_mailbox(ANA, work).unwrap()
    }

    pub fn in_folder(&self, folder: Folder) -> Vec<String> {
        self.mailbox(|mailbox| mailbox.in_folder(folder))
    }

    /// A mail arrives, unread; its id.
    pub fn arrive(&self, subject: &str, at: &str) -> String {
        let raw = format!(
            "From: Ben Okafor <ben@example.com>\r\nTo: {ANA}\r\nSubject: {subject}\r\nMessage-ID: <{}@example.com>\r\n\r\nHello.\r\n",
            subject.replace(' ', "-")
        );
        let at = at.parse().unwrap();
        self.mailbox(|mailbox| mailbox.deliver(raw.as_bytes(), Folder::Inbox, false, at))
    }
}

fn client(
    running: &Running,
    store: &Arc<MemoryStore>,
    clock: &ManualClock,
    scopes: &[&'static str],
) -> Microsoft {
    let tokens = Consented {
        graph: running.graph.clone(),
        scopes: scopes.to_vec(),
    };
    Microsoft::new(
        Endpoints::at(&running.url, &running.url, "common"),
        Arc::new(tokens),
        store.clone(),
        Arc::new(clock.clone()),
    )
}

/// Whose account is connected.
pub fn account() -> Account {
    Account {
        team: "T1".into(),
        user: "U1".into(),
    }
}

/// Somebody who connected nothing.
pub fn stranger() -> Account {
    Account {
        user: "U2".into(),
        ..account()
    }
}
