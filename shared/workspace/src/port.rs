//! Implements the ports on the folders. File access runs on blocking threads.

use alfred_core::Progress;
use alfred_core::id::{EventId, MailId};
use alfred_core::ports::{
    Account, AccountError, AccountService, Attendance, Availability, Calendar, Clock, Discarded,
    DraftRef, Event, EventPage, Mail, MailMessage, MailPage, MailQuery, MailStatus, Mailbox,
    NewEvent, Notice, OutgoingMail, Response, SentMail, Span,
};
use async_trait::async_trait;
use jiff::Timestamp;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use crate::calendar::Changes;
use crate::documents::DocumentsFolder;
use crate::mail::{self, Letter, MailFolder};
use crate::person::{Identity, Invitations, Person};
use alfred_smtp::Smtp;

pub(crate) const CALENDAR_SERVER_LOGIN: &str = "The calendar server doesn't accept the sign-in, so nothing was changed; please ask an administrator to check it.";

/// The folders of some people. Anyone else is `NotConnected`.
#[derive(Clone)]
pub struct Workspace {
    people: Arc<HashMap<Account, Arc<Person>>>,
    clock: Arc<dyn Clock>,
    smtp: Option<Arc<Smtp>>,
    by: Option<Arc<dyn Invitations>>,
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
            progress,
        }
    }

    /// Progress of reading a mailbox. The first listing reads all of it.
    pub fn progress(&self) -> Arc<Progress> {
        self.progress.clone()
    }

    /// Sends mail through this server. Without one it is only written to `mail/sent`.
    pub fn with_smtp(self, smtp: Smtp) -> Self {
        Self {
            smtp: Some(Arc::new(smtp)),
            ..self
        }
    }

    /// Sends notifications about events with this instead.
    pub fn with_invitations(mut self, by: Arc<dyn Invitations>) -> Self {
        self.by = Some(by);
        self
    }

    fn person(
        &self,
        account: &Account,
        service: AccountService,
    ) -> Result<Arc<Person>, AccountError> {
        let person = self.people.get(account).cloned();
        person.ok_or(AccountError::NotConnected(service))
    }

    /// In whole seconds, like a mail's `Date`.
    fn now(&self) -> Timestamp {
        let now = self.clock.now();
        Timestamp::from_second(now.as_second()).unwrap_or(now)
    }

    async fn mail<T: Send + 'static>(
        &self,
        account: &Account,
        act: impl FnOnce(&mut MailFolder) -> Result<T, AccountError> + Send + 'static,
    ) -> Result<T, AccountError> {
        let person = self.person(account, AccountService::Mail)?;
        person.with_mail(act).await
    }

    fn calendar(&self, account: &Account) -> Result<Changes, AccountError> {
        Ok(Changes {
            person: self.person(account, AccountService::Calendar)?,
            at: self.now(),
            smtp: self.smtp.clone(),
            by: self.by.clone(),
        })
    }

    /// `service` is documents or sheets: both are files of one folder.
    pub(crate) async fn in_documents<T: Send + 'static>(
        &self,
        account: &Account,
        service: AccountService,
        act: impl FnOnce(&DocumentsFolder) -> Result<T, AccountError> + Send + 'static,
    ) -> Result<T, AccountError> {
        let person = self.person(account, service)?;
        person.with_documents(|folder| act(folder)).await
    }
}

#[async_trait]
impl Mail for Workspace {
    async fn address(&self, account: &Account) -> Result<Mailbox, AccountError> {
        let person = self.person(account, AccountService::Mail)?;
        Ok(person.who.mailbox.clone())
    }

    async fn list(&self, account: &Account, query: &MailQuery) -> Result<MailPage, AccountError> {
        let query = query.clone();
        self.mail(account, move |mail| mail.list(&query)).await
    }

    async fn read(
        &self,
        account: &Account,
        id: &MailId,
    ) -> Result<Option<MailMessage>, AccountError> {
        let id = id.clone();
        self.mail(account, move |mail| mail.read(&id)).await
    }

    async fn attachment(
        &self,
        account: &Account,
        id: &MailId,
        at: usize,
    ) -> Result<Option<Vec<u8>>, AccountError> {
        let id = id.clone();
        self.mail(account, move |mail| mail.attachment(&id, at))
            .await
    }

    async fn set_status(
        &self,
        account: &Account,
        id: &MailId,
        status: MailStatus,
    ) -> Result<Option<MailStatus>, AccountError> {
        let id = id.clone();
        self.mail(account, move |mail| mail.set_status(&id, status))
            .await
    }

    async fn send(
        &self,
        account: &Account,
        mail: &OutgoingMail,
        idempotency_key: &str,
    ) -> Result<SentMail, AccountError> {
        let person = self.person(account, AccountService::Mail)?;
        mail.check()?;
        let letter = Letter {
            mail,
            key: idempotency_key,
            at: self.now(),
            itip: None,
        };
        mail::send(&person, &letter, self.smtp.as_deref()).await
    }

    async fn find_sent(
        &self,
        account: &Account,
        idempotency_key: &str,
    ) -> Result<Option<SentMail>, AccountError> {
        let person = self.person(account, AccountService::Mail)?;
        mail::find_sent(&person, idempotency_key).await
    }

    async fn save_draft(
        &self,
        account: &Account,
        mail: &OutgoingMail,
        idempotency_key: &str,
    ) -> Result<DraftRef, AccountError> {
        let person = self.person(account, AccountService::Mail)?;
        mail.check()?;
        let (root, who) = (person.root.join("mail"), person.who.clone());
        let (mail, key, at) = (mail.clone(), idempotency_key.to_owned(), self.now());
        person
            .with_mail(move |_| mail::save(&root, &who, &mail, &key, at))
            .await
    }

    async fn discard_draft(
        &self,
        account: &Account,
        draft: &DraftRef,
    ) -> Result<Discarded, AccountError> {
        let person = self.person(account, AccountService::Mail)?;
        let (root, draft) = (person.root.join("mail"), draft.clone());
        person
            .with_mail(move |_| mail::discard(&root, &draft))
            .await
    }
}

#[async_trait]
impl Calendar for Workspace {
    async fn events(&self, account: &Account, span: Span) -> Result<EventPage, AccountError> {
        let calendar = self.calendar(account)?;
        calendar.read(move |calendar| calendar.events(span)).await
    }

    async fn event(&self, account: &Account, id: &EventId) -> Result<Option<Event>, AccountError> {
        let (calendar, id) = (self.calendar(account)?, id.clone());
        calendar.read(move |calendar| calendar.event(&id)).await
    }

    async fn availability(
        &self,
        account: &Account,
        addresses: &[String],
        span: Span,
    ) -> Result<Vec<Availability>, AccountError> {
        let (calendar, addresses) = (self.calendar(account)?, addresses.to_vec());
        calendar
            .read(move |calendar| calendar.availability(&addresses, span))
            .await
    }

    async fn create(
        &self,
        account: &Account,
        event: &NewEvent,
        key: &str,
    ) -> Result<Event, AccountError> {
        self.calendar(account)?.create(event, key).await
    }

    async fn find_created(
        &self,
        account: &Account,
        key: &str,
    ) -> Result<Option<Event>, AccountError> {
        self.calendar(account)?.find_created(key).await
    }

    async fn reschedule(
        &self,
        account: &Account,
        id: &EventId,
        span: Span,
        notice: Option<&Notice>,
        key: &str,
    ) -> Result<Event, AccountError> {
        let calendar = self.calendar(account)?;
        calendar.reschedule(id, span, notice, key).await
    }

    async fn find_moved(
        &self,
        account: &Account,
        id: &EventId,
        span: Span,
        key: &str,
    ) -> Result<Option<Event>, AccountError> {
        self.calendar(account)?.find_moved(id, span, key).await
    }

    async fn cancel(
        &self,
        account: &Account,
        id: &EventId,
        notify: bool,
        key: &str,
    ) -> Result<bool, AccountError> {
        self.calendar(account)?.cancel(id, notify, key).await
    }

    async fn find_cancelled(
        &self,
        account: &Account,
        id: &EventId,
        key: &str,
    ) -> Result<Option<Event>, AccountError> {
        self.calendar(account)?.find_cancelled(id, key).await
    }

    async fn respond(
        &self,
        account: &Account,
        id: &EventId,
        response: &Response,
        key: &str,
    ) -> Result<Event, AccountError> {
        self.calendar(account)?.respond(id, response, key).await
    }

    async fn find_responded(
        &self,
        account: &Account,
        id: &EventId,
        attendance: Attendance,
        key: &str,
    ) -> Result<Option<Event>, AccountError> {
        let calendar = self.calendar(account)?;
        calendar.find_responded(id, attendance, key).await
    }
}
