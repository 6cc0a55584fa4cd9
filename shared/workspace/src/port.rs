//! Implements the ports on the folders. File access blocks, so every call runs on a blocking thread.

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
use std::time::Duration;

use crate::calendar::CalendarFolder;
use crate::caller::{Caller, blocking};
use crate::documents::DocumentsFolder;
use crate::mail::Letter;
use crate::person::{Identity, Person, Post};
use alfred_smtp::Smtp;

pub(crate) const CALENDAR_SERVER_LOGIN: &str = "The calendar server doesn't accept the sign-in, so nothing was changed; please ask an administrator to check it.";

/// Longest wait for another mail's delivery. With a delivery's own time it stays within the time limit of an
/// effect. A caller that gets no turn knows that nothing was done.
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
    pub fn with_smtp(self, smtp: Smtp) -> Self {
        Self {
            smtp: Some(Arc::new(smtp)),
            ..self
        }
    }

    /// Sends notifications about events with this instead.
    pub fn with_invitations(mut self, by: Arc<dyn Mail>) -> Self {
        self.by = Some(by);
        self
    }

    /// Changes how long calls wait for another mail's delivery (4 s).
    pub fn queueing_for(self, queues: Duration) -> Self {
        Self { queues, ..self }
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
        act: impl FnOnce(&Person, &Caller) -> Result<T, AccountError> + Send + 'static,
    ) -> Result<T, AccountError> {
        let person = self.person(account, AccountService::Mail)?;
        let (caller, _present) = Caller::new(self.queues);
        blocking(move || act(&person, &caller)).await
    }

    async fn calendar<T: Send + 'static>(
        &self,
        account: &Account,
        act: impl FnOnce(&mut CalendarFolder, &Post<'_>) -> Result<T, AccountError> + Send + 'static,
    ) -> Result<T, AccountError> {
        let person = self.person(account, AccountService::Calendar)?;
        let (at, smtp, by) = (self.now(), self.smtp.clone(), self.by.clone());
        let (caller, _present) = Caller::new(self.queues);
        let settings = by.is_none();
        let done = blocking(move || {
            let post = Post {
                person: &person,
                at,
                smtp: smtp.as_deref(),
                caller: &caller,
                by: by.as_deref(),
            };
            person.with_calendar(&caller, |calendar| act(calendar, &post))
        });
        done.await.map_err(|error| match error {
            // The server is in the settings, so the owner can't reconnect it.
            AccountError::Expired(_) if settings => AccountError::refused(CALENDAR_SERVER_LOGIN),
            other => other,
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
        let (caller, _present) = Caller::new(self.queues);
        blocking(move || person.with_documents(&caller, act)).await
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
        self.mail(account, move |person, caller| {
            person.with_mail(caller, |mail| mail.list(&query))
        })
        .await
    }

    async fn read(
        &self,
        account: &Account,
        id: &MailId,
    ) -> Result<Option<MailMessage>, AccountError> {
        let id = id.clone();
        self.mail(account, move |person, caller| {
            person.with_mail(caller, |mail| mail.read(&id))
        })
        .await
    }

    async fn attachment(
        &self,
        account: &Account,
        id: &MailId,
        at: usize,
    ) -> Result<Option<Vec<u8>>, AccountError> {
        let id = id.clone();
        self.mail(account, move |person, caller| {
            person.with_mail(caller, |mail| mail.attachment(&id, at))
        })
        .await
    }

    async fn set_status(
        &self,
        account: &Account,
        id: &MailId,
        status: MailStatus,
    ) -> Result<Option<MailStatus>, AccountError> {
        let id = id.clone();
        let set = move |person: &Person, caller: &Caller| {
            person.with_mail(caller, |mail| mail.set_status(&id, status))
        };
        self.mail(account, set).await
    }

    async fn send(
        &self,
        account: &Account,
        mail: &OutgoingMail,
        idempotency_key: &str,
    ) -> Result<SentMail, AccountError> {
        let (mail, key, at) = (mail.clone(), idempotency_key.to_owned(), self.now());
        let smtp = self.smtp.clone();
        let send = move |person: &Person, caller: &Caller| {
            mail.check()?;
            let letter = Letter {
                mail: &mail,
                key: &key,
                at,
                caller,
            };
            person.send(&letter, smtp.as_deref())
        };
        self.mail(account, send).await
    }

    async fn find_sent(
        &self,
        account: &Account,
        idempotency_key: &str,
    ) -> Result<Option<SentMail>, AccountError> {
        let key = idempotency_key.to_owned();
        let find = move |person: &Person, _: &Caller| person.find_sent(&key);
        self.mail(account, find).await
    }

    async fn save_draft(
        &self,
        account: &Account,
        mail: &OutgoingMail,
        idempotency_key: &str,
    ) -> Result<DraftRef, AccountError> {
        let (mail, key, at) = (mail.clone(), idempotency_key.to_owned(), self.now());
        let save = move |person: &Person, caller: &Caller| {
            mail.check()?;
            person.save_draft((&mail, &key), at, caller)
        };
        self.mail(account, save).await
    }

    async fn discard_draft(
        &self,
        account: &Account,
        draft: &DraftRef,
    ) -> Result<Discarded, AccountError> {
        let draft = draft.clone();
        let discard = move |person: &Person, caller: &Caller| person.discard_draft(&draft, caller);
        self.mail(account, discard).await
    }
}

#[async_trait]
impl Calendar for Workspace {
    async fn events(&self, account: &Account, span: Span) -> Result<EventPage, AccountError> {
        self.calendar(account, move |calendar, _| calendar.events(span))
            .await
    }

    async fn event(&self, account: &Account, id: &EventId) -> Result<Option<Event>, AccountError> {
        let id = id.clone();
        self.calendar(account, move |calendar, _| calendar.event(&id))
            .await
    }

    async fn availability(
        &self,
        account: &Account,
        addresses: &[String],
        span: Span,
    ) -> Result<Vec<Availability>, AccountError> {
        let addresses = addresses.to_vec();
        self.calendar(account, move |calendar, _| {
            calendar.availability(&addresses, span)
        })
        .await
    }

    async fn create(
        &self,
        account: &Account,
        event: &NewEvent,
        idempotency_key: &str,
    ) -> Result<Event, AccountError> {
        let (event, key) = (event.clone(), idempotency_key.to_owned());
        self.calendar(account, move |calendar, post| {
            calendar.create(&event, &key, post)
        })
        .await
    }

    async fn find_created(
        &self,
        account: &Account,
        idempotency_key: &str,
    ) -> Result<Option<Event>, AccountError> {
        let key = idempotency_key.to_owned();
        self.calendar(account, move |calendar, post| {
            calendar.find_created(&key, post)
        })
        .await
    }

    async fn reschedule(
        &self,
        account: &Account,
        id: &EventId,
        span: Span,
        notice: Option<&Notice>,
        idempotency_key: &str,
    ) -> Result<Event, AccountError> {
        let (id, notice, key) = (id.clone(), notice.cloned(), idempotency_key.to_owned());
        self.calendar(account, move |calendar, post| {
            calendar.reschedule(&id, span, notice.as_ref(), &key, post)
        })
        .await
    }

    async fn find_moved(
        &self,
        account: &Account,
        id: &EventId,
        span: Span,
        idempotency_key: &str,
    ) -> Result<Option<Event>, AccountError> {
        let (id, key) = (id.clone(), idempotency_key.to_owned());
        self.calendar(account, move |calendar, post| {
            calendar.find_moved(&id, span, &key, post)
        })
        .await
    }

    async fn cancel(
        &self,
        account: &Account,
        id: &EventId,
        notify: bool,
        idempotency_key: &str,
    ) -> Result<bool, AccountError> {
        let (id, key) = (id.clone(), idempotency_key.to_owned());
        self.calendar(account, move |calendar, post| {
            calendar.cancel(&id, notify, &key, post)
        })
        .await
    }

    async fn find_cancelled(
        &self,
        account: &Account,
        id: &EventId,
        idempotency_key: &str,
    ) -> Result<Option<Event>, AccountError> {
        let (id, key) = (id.clone(), idempotency_key.to_owned());
        self.calendar(account, move |calendar, post| {
            calendar.find_cancelled(&id, &key, post)
        })
        .await
    }

    async fn respond(
        &self,
        account: &Account,
        id: &EventId,
        response: &Response,
        idempotency_key: &str,
    ) -> Result<Event, AccountError> {
        let (id, response, key) = (id.clone(), response.clone(), idempotency_key.to_owned());
        self.calendar(account, move |calendar, post| {
            calendar.respond(&id, &response, &key, post)
        })
        .await
    }

    async fn find_responded(
        &self,
        account: &Account,
        id: &EventId,
        attendance: Attendance,
        idempotency_key: &str,
    ) -> Result<Option<Event>, AccountError> {
        let (id, key) = (id.clone(), idempotency_key.to_owned());
        self.calendar(account, move |calendar, post| {
            calendar.find_responded(&id, attendance, &key, post)
        })
        .await
    }
}
