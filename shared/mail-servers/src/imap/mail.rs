//! Implements the `Mail` port.

use crate::Result;
use alfred_accounts::turns::Turns;
use alfred_core::id::MailId;
use alfred_core::ports::{
    Account, AccountError, AccountService, Clock, Discarded, DraftRef, Mail, MailAccount,
    MailMessage, MailPage, MailQuery, MailStatus, MailSummary, Mailbox, OutgoingMail, SentMail,
    Store,
};
use alfred_smtp::Smtp;
use async_trait::async_trait;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

use crate::imap::id::Name;
use crate::imap::line::{Bytes, Line};
use crate::imap::list::{self, summary};
use crate::imap::open::ImapServer;
use crate::imap::shelf::Shelf;
use crate::imap::status;

/// Longest call. An effect has 30 s, which must also cover storing the outcome.
const PATIENCE: Duration = Duration::from_secs(25);
/// Bytes of the body that are read: 25 MB of attachments, encoded.
const MOST: usize = 36_000_000;

#[derive(Clone, Debug)]
pub struct Person {
    /// The sender of their mail.
    pub mailbox: Mailbox,
    pub imap: ImapServer,
    pub smtp: Smtp,
}

/// The mailboxes of some people. Anyone else is `NotConnected`.
pub struct ImapMail {
    people: HashMap<Account, Person>,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) turns: Turns,
}

impl ImapMail {
    /// Connects to nothing yet.
    pub fn new(
        people: impl IntoIterator<Item = (Account, Person)>,
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            people: people.into_iter().collect(),
            store,
            clock,
            turns: Turns::default(),
        }
    }
}

/// One person's mailbox.
pub(crate) struct ImapAccount<'a> {
    pub all: &'a ImapMail,
    pub account: &'a Account,
    pub person: &'a Person,
}

impl ImapAccount<'_> {
    /// Runs `act` on its own connection, within the longest time of a call.
    pub(crate) async fn on_a_line<T>(
        &self,
        act: impl AsyncFnOnce(&mut Line) -> Result<T>,
    ) -> Result<T> {
        self.within(PATIENCE, act).await
    }

    pub(crate) async fn within<T>(
        &self,
        limit: Duration,
        act: impl AsyncFnOnce(&mut Line) -> Result<T>,
    ) -> Result<T> {
        let server = &self.person.imap;
        let work = async {
            let mut line = Line::open(server).await?;
            let done = act(&mut line).await;
            // The call has succeeded, so a failed logout is ignored.
            drop(line.session.logout().await);
            done
        };
        let late = "the mail server: no answer in time";
        let done = timeout(limit, work).await;
        done.unwrap_or_else(|_| Err(AccountError::not_reached(late)))
    }

    async fn whole(&self, id: &MailId) -> Result<Option<Bytes>> {
        let Some(name) = Name::read(id) else {
            return Ok(None);
        };
        self.on_a_line(async |line| {
            let found = line.locate(&[name], &Shelf::ALL).await?;
            let found: Vec<_> = found.into_values().collect();
            Ok(line.read(&found, MOST).await?.pop())
        })
        .await
    }
}

#[async_trait]
impl MailAccount for ImapAccount<'_> {
    async fn address(&self) -> Result<Mailbox> {
        Ok(self.person.mailbox.clone())
    }

    async fn list(&self, query: &MailQuery) -> Result<MailPage> {
        let now = self.all.clock.now();
        self.on_a_line(async |line| list::list(line, query, now).await)
            .await
    }

    async fn read(&self, id: &MailId) -> Result<Option<MailMessage>> {
        let Some(bytes) = self.whole(id).await? else {
            return Ok(None);
        };
        let Some(message) = bytes.raw().message() else {
            return Ok(None);
        };
        let summary = summary(&bytes, &bytes.entry);
        Ok(summary.map(|summary| MailMessage { summary, ..message }))
    }

    async fn attachment(&self, id: &MailId, at: usize) -> Result<Option<Vec<u8>>> {
        let whole = self.whole(id).await?;
        Ok(whole.and_then(|bytes| bytes.raw().file(at)))
    }

    async fn summaries(&self, ids: &[MailId]) -> Result<Vec<Option<MailSummary>>> {
        let names: Vec<_> = ids.iter().map(Name::read).collect();
        self.on_a_line(async |line| list::summaries(line, &names).await)
            .await
    }

    async fn set_statuses(
        &self,
        ids: &[MailId],
        status: MailStatus,
    ) -> Result<Vec<Result<Option<MailStatus>>>> {
        let names: Vec<_> = ids.iter().map(Name::read).collect();
        let set = self.on_a_line(async |line| status::set_all(line, &names, status).await);
        Ok(set.await?.into_iter().map(Ok).collect())
    }

    async fn send(&self, mail: &OutgoingMail, key: &str) -> Result<SentMail> {
        self.send_once(mail, key).await
    }

    async fn find_sent(&self, key: &str) -> Result<Option<SentMail>> {
        self.find(key).await
    }

    async fn save_draft(&self, mail: &OutgoingMail, key: &str) -> Result<DraftRef> {
        self.keep(mail, key).await
    }

    async fn discard_draft(&self, draft: &DraftRef) -> Result<Discarded> {
        self.discard(draft).await
    }
}

#[async_trait]
impl Mail for ImapMail {
    async fn open<'a>(&'a self, account: &'a Account) -> Result<Box<dyn MailAccount + 'a>> {
        let person = self.people.get(account);
        Ok(Box::new(ImapAccount {
            all: self,
            account,
            person: person.ok_or(AccountError::NotConnected(AccountService::Mail))?,
        }))
    }
}
