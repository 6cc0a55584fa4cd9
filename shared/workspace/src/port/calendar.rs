//! The calendar. A change waits for no reader, and while others are notified the calendar stays readable.

use crate::Result;
use alfred_core::id::EventId;
use alfred_core::ports::{
    Account, AccountError, AccountService, Attendance, Availability, Calendar, Event, EventPage,
    Mail, NewEvent, Notice, Response, Span,
};
use async_trait::async_trait;
use jiff::Timestamp;
use std::io;
use tokio::time::timeout_at;

use super::{CALENDAR_SERVER_LOGIN, Workspace};
use crate::calendar::{CalendarFolder, Invitation, Pass, Step, invite, lost, timed};
use crate::caller::{Caller, to_the_end};
use crate::mail::Letter;
use crate::person::{Person, not_reached};

impl Workspace {
    async fn calendar<T: Send + 'static>(
        &self,
        account: &Account,
        act: impl FnOnce(&mut CalendarFolder) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let person = self.person(account, AccountService::Calendar)?;
        let done = person.with_calendar(act).await;
        done.map_err(|error| match error {
            // The server is in the settings, so the owner can't reconnect it.
            AccountError::Expired(_) if self.by.is_none() => {
                AccountError::refused(CALENDAR_SERVER_LOGIN)
            }
            other => other,
        })
    }

    /// Changes a calendar in one pass, or in two if others must be notified.
    async fn change<T: Send + 'static>(
        &self,
        account: &Account,
        key: &str,
        act: impl Fn(&mut CalendarFolder, &Pass) -> Result<Step<T>> + Clone + Send + 'static,
    ) -> Result<T> {
        let (workspace, account, key) = (self.clone(), account.clone(), key.to_owned());
        to_the_end(self.queues, |caller| async move {
            let person = workspace.person(&account, AccountService::Calendar)?;
            let turn = timeout_at(caller.queues_until, person.changing.lock()).await;
            let busy = "another change of this calendar is still under way";
            let _turn = turn.map_err(|_| not_reached(io::Error::other(busy)))?;
            let mut pass = Pass {
                key,
                at: workspace.now(),
                notified: false,
            };
            let (first, asks, again) = (pass.clone(), caller.clone(), act.clone());
            let planned = workspace.calendar(&account, move |calendar| {
                asks.check()?;
                again(calendar, &first)
            });
            let notice = match planned.await? {
                Step::Done(done) => return Ok(done),
                Step::Notify(notice) => notice,
            };
            workspace.notify(&person, &notice, pass.at, &caller).await?;
            pass.notified = true;
            let written = workspace.calendar(&account, move |calendar| act(calendar, &pass));
            match written.await {
                Ok(Step::Done(done)) => Ok(done),
                Ok(Step::Notify(_)) => Err(lost()),
                Err(AccountError::Refused { reason }) => {
                    let reason = format!("{reason} Others were already notified by mail.");
                    Err(AccountError::Refused { reason })
                }
                Err(other) => Err(other),
            }
        })
        .await
    }

    /// Sends a notice once per key.
    async fn notify(
        &self,
        person: &Person,
        notice: &Invitation,
        at: Timestamp,
        caller: &Caller,
    ) -> Result<()> {
        let (mail, key) = (&notice.mail, &*notice.key);
        if let Some(by) = &self.by {
            caller.check()?;
            return by.send(&person.who.account, mail, key).await.map(drop);
        }
        let letter = Letter {
            mail,
            key,
            at,
            caller,
        };
        person.send(&letter, self.smtp.clone()).await.map(drop)
    }

    /// Returns the event if the change was made. `Unknown` if a notice may have been sent without it. Doesn't
    /// wait for a running change: a notice on its way is `Unknown`, and a repetition waits for its turn.
    async fn changed(
        &self,
        account: &Account,
        notice: &str,
        find: impl FnOnce(&mut CalendarFolder) -> Result<Option<Event>> + Send + 'static,
    ) -> Result<Option<Event>> {
        let found = self.calendar(account, find).await?;
        if found.is_none() {
            match &self.by {
                Some(by) => by.find_sent(account, notice).await?,
                None => Mail::find_sent(self, account, notice).await?,
            };
        }
        Ok(found)
    }
}

#[async_trait]
impl Calendar for Workspace {
    async fn events(&self, account: &Account, span: Span) -> Result<EventPage> {
        self.calendar(account, move |calendar| calendar.events(span))
            .await
    }

    async fn event(&self, account: &Account, id: &EventId) -> Result<Option<Event>> {
        let id = id.clone();
        self.calendar(account, move |calendar| calendar.event(&id))
            .await
    }

    async fn availability(
        &self,
        account: &Account,
        addresses: &[String],
        span: Span,
    ) -> Result<Vec<Availability>> {
        let addresses = addresses.to_vec();
        self.calendar(account, move |calendar| {
            calendar.availability(&addresses, span)
        })
        .await
    }

    async fn create(&self, account: &Account, event: &NewEvent, key: &str) -> Result<Event> {
        let event = event.clone();
        self.change(account, key, move |calendar, pass| {
            calendar.create(&event, pass)
        })
        .await
    }

    async fn find_created(&self, account: &Account, key: &str) -> Result<Option<Event>> {
        let key = key.to_owned();
        let notice = invite::created_key(account, &key);
        self.changed(account, &notice, move |calendar| calendar.made_under(&key))
            .await
    }

    async fn reschedule(
        &self,
        account: &Account,
        id: &EventId,
        span: Span,
        notice: Option<&Notice>,
        key: &str,
    ) -> Result<Event> {
        let (id, notice) = (id.clone(), notice.cloned());
        self.change(account, key, move |calendar, pass| {
            calendar.reschedule(&id, span, notice.as_ref(), pass)
        })
        .await
    }

    async fn find_moved(
        &self,
        account: &Account,
        id: &EventId,
        span: Span,
        key: &str,
    ) -> Result<Option<Event>> {
        let (id, notice) = (id.clone(), invite::moved_key(key));
        self.changed(account, &notice, move |calendar| {
            let event = calendar.event(&id)?;
            Ok(event.filter(|event| event.time == timed(span)))
        })
        .await
    }

    async fn cancel(
        &self,
        account: &Account,
        id: &EventId,
        notify: bool,
        key: &str,
    ) -> Result<bool> {
        let id = id.clone();
        self.change(account, key, move |calendar, pass| {
            calendar.cancel(&id, notify, pass)
        })
        .await
    }

    async fn find_cancelled(
        &self,
        account: &Account,
        id: &EventId,
        key: &str,
    ) -> Result<Option<Event>> {
        let id = id.clone();
        let notice = invite::cancelled_key(key);
        self.changed(account, &notice, move |calendar| {
            calendar.find_cancelled(&id)
        })
        .await
    }

    async fn respond(
        &self,
        account: &Account,
        id: &EventId,
        response: &Response,
        key: &str,
    ) -> Result<Event> {
        let (id, response) = (id.clone(), response.clone());
        self.change(account, key, move |calendar, pass| {
            calendar.respond(&id, &response, pass)
        })
        .await
    }

    async fn find_responded(
        &self,
        account: &Account,
        id: &EventId,
        attendance: Attendance,
        key: &str,
    ) -> Result<Option<Event>> {
        let (id, notice) = (id.clone(), invite::answered_key(key));
        self.changed(account, &notice, move |calendar| {
            let event = calendar.event(&id)?;
            Ok(event.filter(|event| event.attendance == attendance))
        })
        .await
    }
}
