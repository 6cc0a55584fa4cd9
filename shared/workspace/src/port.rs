//! The ports over the folders. Files block, so every call leaves the threads that mustn't.

use alfred_core::id::{EventId, MailId};
use alfred_core::ports::{
    Account, AccountError, AccountService, Availability, Calendar, Clock, Event, EventPage, Mail,
    MailMessage, MailPage, MailQuery, MailStatus, Mailbox, NewEvent, OutgoingMail, SentMail, Span,
};
use async_trait::async_trait;
use jiff::Timestamp;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use crate::person::{Identity, Person};

/// The folders of some people. Whoever has none is `NotConnected`.
#[derive(Clone)]
pub struct Workspace {
    people: Arc<HashMap<Account, Arc<Person>>>,
    clock: Arc<dyn Clock>,
}

impl Workspace {
    /// Each person with their folder. Nothing is opened yet.
    #[must_use]
    pub fn new(
        people: impl IntoIterator<Item = (Identity, PathBuf)>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let person = |(who, root): (Identity, PathBuf)| {
            (who.account.clone(), Arc::new(Person::new(who, root)))
        };
        Self {
            people: Arc::new(people.into_iter().map(person).collect()),
            clock,
        }
    }

    fn person(
        &self,
        account: &Account,
        service: AccountService,
    ) -> Result<Arc<Person>, AccountError> {
        let person = self.people.get(account).cloned();
        person.ok_or(AccountError::NotConnected(service))
    }

    /// To the second, as a mail's `Date` says it.
    fn now(&self) -> Timestamp {
        let now = self.clock.now();
        Timestamp::from_second(now.as_second()).unwrap_or(now)
    }

    async fn mail<T: Send + 'static>(
        &self,
        account: &Account,
        act: impl FnOnce(&Person) -> Result<T, AccountError> + Send + 'static,
    ) -> Result<T, AccountError> {
        let person = self.person(account, AccountService::Mail)?;
        blocking(move || act(&person)).await
    }

    async fn calendar<T: Send + 'static>(
        &self,
        account: &Account,
        act: impl FnOnce(&Person) -> Result<T, AccountError> + Send + 'static,
    ) -> Result<T, AccountError> {
        let person = self.person(account, AccountService::Calendar)?;
        blocking(move || act(&person)).await
    }
}

async fn blocking<T: Send + 'static>(
    act: impl FnOnce() -> Result<T, AccountError> + Send + 'static,
) -> Result<T, AccountError> {
    let done = tokio::task::spawn_blocking(act).await;
    done.unwrap_or_else(|ended| {
        // It panicked, or the process ends: nobody knows how far it came.
        Err(AccountError::Unknown {
            detail: ended.to_string(),
        })
    })
}

#[async_trait]
impl Mail for Workspace {
    async fn address(&self, account: &Account) -> Result<Mailbox, AccountError> {
        let person = self.person(account, AccountService::Mail)?;
        Ok(person.who.mailbox.clone())
    }

    async fn list(&self, account: &Account, query: &MailQuery) -> Result<MailPage, AccountError> {
        let query = query.clone();
        let list = move |person: &Person| person.with_mail(|mail| mail.list(&query));
        self.mail(account, list).await
    }

    async fn read(
        &self,
        account: &Account,
        id: &MailId,
    ) -> Result<Option<MailMessage>, AccountError> {
        let id = id.clone();
        let read = move |person: &Person| person.with_mail(|mail| mail.read(&id));
        self.mail(account, read).await
    }

    async fn set_status(
        &self,
        account: &Account,
        id: &MailId,
        status: MailStatus,
    ) -> Result<Option<MailStatus>, AccountError> {
        let id = id.clone();
        let set = move |person: &Person| person.with_mail(|mail| mail.set_status(&id, status));
        self.mail(account, set).await
    }

    async fn send(
        &self,
        account: &Account,
        mail: &OutgoingMail,
        idempotency_key: &str,
    ) -> Result<SentMail, AccountError> {
        let (outgoing, key, now) = (mail.clone(), idempotency_key.to_owned(), self.now());
        let send = move |person: &Person| {
            person.with_mail(|mail| mail.send(&person.who, &outgoing, &key, now))
        };
        self.mail(account, send).await
    }

    async fn find_sent(
        &self,
        account: &Account,
        idempotency_key: &str,
    ) -> Result<Option<SentMail>, AccountError> {
        let key = idempotency_key.to_owned();
        let find =
            move |person: &Person| person.with_mail(|mail| mail.find_sent(&person.who, &key));
        self.mail(account, find).await
    }
}

#[async_trait]
impl Calendar for Workspace {
    async fn events(&self, account: &Account, span: Span) -> Result<EventPage, AccountError> {
        let events = move |person: &Person| person.with_calendar(|calendar| calendar.events(span));
        self.calendar(account, events).await
    }

    async fn event(&self, account: &Account, id: &EventId) -> Result<Option<Event>, AccountError> {
        let id = id.clone();
        let event = move |person: &Person| person.with_calendar(|calendar| calendar.event(&id));
        self.calendar(account, event).await
    }

    async fn availability(
        &self,
        account: &Account,
        addresses: &[String],
        span: Span,
    ) -> Result<Vec<Availability>, AccountError> {
        let addresses = addresses.to_vec();
        let look = move |person: &Person| {
            person.with_calendar(|calendar| calendar.availability(&addresses, span))
        };
        self.calendar(account, look).await
    }

    async fn create(
        &self,
        account: &Account,
        event: &NewEvent,
        idempotency_key: &str,
    ) -> Result<Event, AccountError> {
        let (event, key, now) = (event.clone(), idempotency_key.to_owned(), self.now());
        let create = move |person: &Person| {
            person.with_calendar(|calendar| {
                let tell = |mail: &_, key: &str, itip: &_| {
                    person.with_mail(|folder| folder.tell(&person.who, mail, key, now, itip))
                };
                calendar.create(&event, &key, now, &tell)
            })
        };
        self.calendar(account, create).await
    }

    async fn find_created(
        &self,
        account: &Account,
        idempotency_key: &str,
    ) -> Result<Option<Event>, AccountError> {
        let key = idempotency_key.to_owned();
        let find =
            move |person: &Person| person.with_calendar(|calendar| calendar.find_created(&key));
        self.calendar(account, find).await
    }

    async fn reschedule(
        &self,
        account: &Account,
        id: &EventId,
        span: Span,
        notify: bool,
    ) -> Result<Event, AccountError> {
        let (id, now) = (id.clone(), self.now());
        let reschedule = move |person: &Person| {
            person.with_calendar(|calendar| {
                let tell = |mail: &_, key: &str, itip: &_| {
                    person.with_mail(|folder| folder.tell(&person.who, mail, key, now, itip))
                };
                calendar.reschedule(&id, span, now, notify.then_some(&tell))
            })
        };
        self.calendar(account, reschedule).await
    }

    async fn cancel(
        &self,
        account: &Account,
        id: &EventId,
        notify: bool,
    ) -> Result<bool, AccountError> {
        let (id, now) = (id.clone(), self.now());
        let cancel = move |person: &Person| {
            person.with_calendar(|calendar| {
                let tell = |mail: &_, key: &str, itip: &_| {
                    person.with_mail(|folder| folder.tell(&person.who, mail, key, now, itip))
                };
                calendar.cancel(&id, now, notify.then_some(&tell))
            })
        };
        self.calendar(account, cancel).await
    }
}
