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
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use tokio::io::{self, AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

pub struct World {
    pub mail: Arc<ImapMail>,
    pub clock: Arc<ManualClock>,
    pub smtp: Server,
    user: String,
    port: u16,
}

pub fn account(user: &str) -> Account {
    Account::of(&"T1".into(), &user.into())
}

/// Stores keywords; shared by all tests of a process.
fn pymap() -> &'static Pymap {
    static SHARED: OnceLock<Pymap> = OnceLock::new();
    SHARED.get_or_init(|| Pymap::start(true))
}

pub fn mail_at(url: &str, password: &str, smtp: &Server, clock: &Arc<ManualClock>) -> ImapMail {
    let person = Person {
        mailbox: owner(),
        imap: ImapServer::read(url, Some(password.into())).unwrap(),
        smtp: Smtp::read(&smtp.url(), None).unwrap(),
    };
    let store = Arc::new(MemoryStore::new(clock.clone()));
    ImapMail::new([(account("UANA"), person)], store, clock.clone())
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
            let appended = session.append(shelf, Some(flags), Some(&at), rfc5322(mail));
            appended.await.unwrap();
        }
        world
    }

    pub fn empty(server: &Pymap) -> Self {
        let (user, port) = (unique(), server.port());
        let (smtp, clock) = (Server::start(), Arc::new(ManualClock::default()));
        let url = format!("imap://{user}@127.0.0.1:{port}");
        Self {
            mail: Arc::new(mail_at(&url, PASSWORD, &smtp, &clock)),
            clock,
            smtp,
            user,
            port,
        }
    }

    /// The mailbox, reached through a proxy. It counts `FETCH` answers, of which the server gives one for each mail.
    pub async fn counting(&self) -> (ImapMail, Arc<AtomicUsize>) {
        let proxy = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = proxy.local_addr().unwrap().port();
        let (server, count) = (self.port, Arc::new(AtomicUsize::new(0)));
        let told = count.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = proxy.accept().await {
                let server = TcpStream::connect(("127.0.0.1", server)).await.unwrap();
                let (mut from_client, mut to_client) = client.into_split();
                let (from_server, mut to_server) = server.into_split();
                tokio::spawn(async move { io::copy(&mut from_client, &mut to_server).await });
                let told = told.clone();
                tokio::spawn(async move {
                    let mut lines = BufReader::new(from_server);
                    let mut line = Vec::new();
                    while lines.read_until(b'\n', &mut line).await? > 0 {
                        let is_told = line.windows(7).any(|part| part == b" FETCH ");
                        told.fetch_add(is_told.into(), Relaxed);
                        to_client.write_all(&std::mem::take(&mut line)).await?;
                    }
                    io::Result::Ok(())
                });
            }
        });
        let url = format!("imap://{}@127.0.0.1:{port}", self.user);
        (mail_at(&url, PASSWORD, &self.smtp, &self.clock), count)
    }

    /// A session like that of the owner's mail program.
    pub async fn signed_in(&self) -> Session<TcpStream> {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let mut client = Client::new(stream);
        client.read_response().await.unwrap();
        let signed = client.login(&self.user, PASSWORD).await;
        signed.map_err(|(error, _)| error).unwrap()
    }
}
