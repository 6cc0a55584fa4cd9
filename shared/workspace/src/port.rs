//! Implements the ports on the folders. File access blocks, so it happens on blocking threads, except for
//! the short look-ups of `Outgoing::send`.

mod calendar;

use crate::Result;
use alfred_core::Progress;
use alfred_core::id::MailId;
use alfred_core::ports::{
    Account, AccountError, AccountService, Clock, Discarded, DraftRef, Mail, MailAccount,
    MailMessage, MailPage, MailQuery, MailStatus, Mailbox, OutgoingMail, SentMail,
};
use async_trait::async_trait;
use jiff::Timestamp;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::caller::{blocking, to_the_end};
use crate::mail::{self, Letter};
use crate::person::{Identity, Person};
use alfred_smtp::Smtp;

pub(crate) const CALENDAR_SERVER_LOGIN: &str = "The calendar server doesn't accept the sign-in, so nothing was changed; please ask an administrator to check it.";

/// Longest wait for another mail's delivery or another change of the calendar. With a delivery's own time it
/// stays within the time limit of an effect. A caller that gets no turn knows that nothing was done.
const QUEUES: Duration = Duration::from_secs(4);

/// The folders of some people. Anyone else is `NotConnected`.
#[derive(Clone)]
pub struct Workspace {
    people: Arc<HashMap<Account, Arc<Person>>>,
    clock: Arc<dyn Clock>,
    smtp: Option<Arc<Smtp>>,
    by: Option<Arc<dyn Mail>>,
    queues: Duration,
    progress: Arc<Progress>,
}

impl Workspace {
    /// Opens nothing yet.
    pub fn new(
        people: impl IntoIterator<Item = (Identity, PathBuf)>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let progress = Arc::new(Progress::default());
        let person = |(who, root): (Identity, PathBuf)| {
            let person = Person::new(who, root, progress.clone());
            (person.who.account.clone(), Arc::new(person))
        };
        Self {
            people: Arc::new(people.into_iter().map(person).collect()),
            clock,
            smtp: None,
            by: None,
            queues: QUEUES,
            progress,
        }
    }

    /// Progress of reading a mailbox. The first listing reads all of it.
    pub fn progress(&self) -> Arc<Progress> {
        self.progress.clone()
    }

    /// Sends mail through this server. Without one it is only written to `mail/sent`.
    pub fn with_smtp(mut self, smtp: Smtp) -> Self {
        self.smtp = Some(Arc::new(smtp));
        self
    }

    /// Sends notifications about events with this instead.
    pub fn with_invitations(mut self, by: Arc<dyn Mail>) -> Self {
        self.by = Some(by);
        self
    }

    /// Changes how long effects wait for others of the same person (4 s).
    pub fn queueing_for(self, queues: Duration) -> Self {
        Self { queues, ..self }
    }

    pub(crate) fn folder(
        &self,
        account: &Account,
        service: AccountService,
    ) -> Result<FolderAccount> {
        let person = self.people.get(account).cloned();
        Ok(FolderAccount {
            person: person.ok_or(AccountError::NotConnected(service))?,
            workspace: self.clone(),
        })
    }

    /// In whole seconds, like a mail's `Date`.
    fn now(&self) -> Timestamp {
        let now = self.clock.now();
        Timestamp::from_second(now.as_second()).unwrap_or(now)
    }
}

#[derive(Clone)]
pub(crate) struct FolderAccount {
    workspace: Workspace,
    pub person: Arc<Person>,
}

#[async_trait]
impl MailAccount for FolderAccount {
    async fn address(&self) -> Result<Mailbox> {
        Ok(self.person.who.mailbox.clone())
    }

    async fn list(&self, query: &MailQuery) -> Result<MailPage> {
        let query = query.clone();
        self.person.with_mail(move |mail| mail.list(&query)).await
    }

    async fn read(&self, id: &MailId) -> Result<Option<MailMessage>> {
        let id = id.clone();
        self.person.with_mail(move |mail| mail.read(&id)).await
    }

    async fn attachment(&self, id: &MailId, at: usize) -> Result<Option<Vec<u8>>> {
        let id = id.clone();
        self.person
            .with_mail(move |mail| mail.attachment(&id, at))
            .await
    }

    async fn set_status(&self, id: &MailId, status: MailStatus) -> Result<Option<MailStatus>> {
        let id = id.clone();
        self.person
            .with_mail(move |mail| mail.set_status(&id, status))
            .await
    }

    async fn send(&self, mail: &OutgoingMail, key: &str) -> Result<SentMail> {
        mail.check()?;
        let (mail, key) = (mail.clone(), key.to_owned());
        let (at, smtp) = (self.workspace.now(), self.workspace.smtp.clone());
        let person = self.person.clone();
        to_the_end(self.workspace.queues, |caller| async move {
            let letter = Letter {
                mail: &mail,
                key: &key,
                at,
                caller: &caller,
            };
            person.send(&letter, smtp).await
        })
        .await
    }

    async fn find_sent(&self, key: &str) -> Result<Option<SentMail>> {
        let (person, key) = (self.person.clone(), key.to_owned());
        blocking(move || person.find_sent(&key)).await
    }

    async fn save_draft(&self, mail: &OutgoingMail, key: &str) -> Result<DraftRef> {
        mail.check()?;
        let (mail, key, at) = (mail.clone(), key.to_owned(), self.workspace.now());
        let person = self.person.clone();
        blocking(move || mail::save(&person.mail_root(), &person.who, (&mail, &key), at)).await
    }

    async fn discard_draft(&self, draft: &DraftRef) -> Result<Discarded> {
        let (person, draft) = (self.person.clone(), draft.clone());
        blocking(move || mail::discard(&person.mail_root(), &draft)).await
    }
}

#[async_trait]
impl Mail for Workspace {
    async fn open<'a>(&'a self, account: &'a Account) -> Result<Box<dyn MailAccount + 'a>> {
        Ok(Box::new(self.folder(account, AccountService::Mail)?))
    }
}
