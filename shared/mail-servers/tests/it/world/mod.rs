//! A mailbox on pymap, with an SMTP server.

use alfred_core::ports::{Account, MailMessage, MailStatus};
use alfred_mail_servers::imap::{ImapMail, ImapServer, Person};
use alfred_smtp::Smtp;
use alfred_testkit::conformance::mail::{owner, rfc5322};
use alfred_testkit::conformance::unique;
use alfred_testkit::pymap::{PASSWORD, Pymap};
use alfred_testkit::smtp_server::Server;
use alfred_testkit::{ManualClock, MemoryStore};
use async_imap::{Client, Session};
use std::sync::{Arc, OnceLock};
use tokio::net::TcpStream;

pub struct World {
    pub mail: Arc<ImapMail>,
    pub clock: Arc<ManualClock>,
    pub smtp: Server,
    user: String,
    port: u16,
}

pub fn account(user: &str) -> Account {
    Account {
        team: "T1".into(),
        user: user.into(),
    }
}

/// Stores keywords; shared by all tests of a process.
fn pymap() -> &'static Pymap {
    static SHARED: OnceLock<Pymap> = OnceLock::new();
    SHARED.get_or_init(|| Pymap::start(true))
}

impl World {
    /// A mailbox with these mails and an archive.
    pub async fn holding(mails: &[MailMessage]) -> Self {
        Self::on(pymap(), mails).await
    }

    pub async fn on(server: &Pymap, mails: &[MailMessage]) -> Self {
        let world = Self::empty(server);
        let mut session = world.signed_in().await;
        session.create("Archive").await.unwrap();
        for mail in mails {
            let (shelf, flags) = match mail.summary.status {
                MailStatus::Archived => ("Archive", "()"),
                MailStatus::Unread => ("INBOX", "()"),
                _ => ("INBOX", "(\\Seen)"),
            };
            let at = mail.summary.received_at;
            let at = at.strftime("\"%d-%b-%Y %H:%M:%S +0000\"").to_string();
            let appended = session.append(shelf, Some(flags), Some(&at), rfc5322(mail, None));
            appended.await.unwrap();
        }
        world
    }

    pub fn empty(server: &Pymap) -> Self {
        let (user, port) = (unique(), server.port());
        let smtp = Server::start();
        let url = format!("imap://{user}@127.0.0.1:{port}");
        let person = Person {
            mailbox: owner(),
            imap: ImapServer::read(&url, Some(PASSWORD.into())).unwrap(),
            smtp: Smtp::read(&smtp.url(), None).unwrap(),
        };
        let clock = Arc::new(ManualClock::default());
        let store = Arc::new(MemoryStore::new(clock.clone()));
        let people = [(account("UANA"), person)];
        Self {
            mail: Arc::new(ImapMail::new(people, store.clone(), clock.clone())),
            clock,
            smtp,
            user,
            port,
        }
    }

    /// A session like that of the owner's mail program.
    pub async fn signed_in(&self) -> Session<TcpStream> {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).await.unwrap();
        let mut client = Client::new(stream);
        client.read_response().await.unwrap();
        let signed = client.login(&self.user, PASSWORD).await;
        signed.map_err(|(error, _)| error).unwrap()
    }
}
