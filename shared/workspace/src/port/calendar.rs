//! The calendar. A change waits for no reader, and while others are notified the calendar stays readable.

use crate::Result;
use alfred_core::id::EventId;
use alfred_core::ports::{
    Account, AccountError, AccountService, Attendance, Availability, Calendar, CalendarAccount,
    Event, EventChange, EventPage, MailAccount, NewEvent, Notice, Response, Span,
};
use async_trait::async_trait;
use jiff::Timestamp;
use tokio::time::timeout_at;

use super::{CALENDAR_SERVER_LOGIN, FolderAccount, Workspace};
use crate::calendar::{CalendarFolder, Invitation, Pass, Step, invite, lost};
use crate::caller::{Caller, to_the_end};
use crate::mail::Letter;

impl FolderAccount {
    async fn calendar<T: Send + 'static>(
        &self,
        act: impl FnOnce(&mut CalendarFolder) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let done = self.person.with_calendar(act).await;
        done.map_err(|error| match error {
            // The server is in the settings, so the owner can't reconnect it.
            AccountError::Expired(_) if self.workspace.by.is_none() => {
                AccountError::refused(CALENDAR_SERVER_LOGIN)
            }
            other => other,
        })
    }

    /// Changes a calendar in one pass, or in two if others must be notified.
    async fn apply(
        &self,
        key: &str,
        act: impl Fn(&mut CalendarFolder, &Pass) -> Result<Step> + Clone + Send + 'static,
    ) -> Result<Option<Event>> {
        let (folder, key) = (self.clone(), key.to_owned());
        to_the_end(self.workspace.queues, |caller| async move {
            let turn = timeout_at(caller.queues_until, folder.person.changing.lock()).await;
            let busy = "another change of this calendar is still under way";
            let _turn = turn.map_err(|_| AccountError::not_reached(busy))?;
            let mut pass = Pass {
                key,
                at: folder.workspace.now(),
                notified: false,
            };
            let (first, asks, again) = (pass.clone(), caller.clone(), act.clone());
            let planned = folder.calendar(move |calendar| {
                asks.check()?;
                again(calendar, &first)
            });
            let notices = match planned.await? {
                Step::Done(done) => return Ok(done),
                Step::Notify(notices) => notices,
            };
            for notice in notices {
                let sent = folder.notify(&notice, pass.at, &caller).await;
                sent.map_err(|error| pass.refused(error))?;
                pass.notified = true;
            }
            let later = pass.clone();
            let written = folder.calendar(move |calendar| act(calendar, &later));
            match written.await.map_err(|error| pass.refused(error))? {
                Step::Done(done) => Ok(done),
                Step::Notify(_) => Err(lost()),
            }
        })
        .await
    }

    async fn notify(&self, notice: &Invitation, at: Timestamp, caller: &Caller) -> Result<()> {
        let (mail, key) = (&notice.mail, &*notice.key);
        if let Some(by) = &self.workspace.by {
            caller.check()?;
            return by.send(&self.person.who.account, mail, key).await.map(drop);
        }
        let letter = Letter {
            mail,
            key,
            at,
            caller,
        };
        self.person
            .send(&letter, self.workspace.smtp.clone())
            .await
            .map(drop)
    }

    /// Returns the event if the change was made. `Unknown` if a notice may have been sent without it. Doesn't
    /// wait for a running change: a notice on its way is `Unknown`, and a repetition waits for its turn.
    async fn changed(
        &self,
        notices: &[String],
        find: impl FnOnce(&mut CalendarFolder) -> Result<Option<Event>> + Send + 'static,
    ) -> Result<Option<Event>> {
        let found = self.calendar(find).await?;
        for notice in notices.iter().filter(|_| found.is_none()) {
            match &self.workspace.by {
                Some(by) => by.find_sent(&self.person.who.account, notice).await?,
                None => self.find_sent(notice).await?,
            };
        }
        Ok(found)
    }
}

#[async_trait]
impl CalendarAccount for FolderAccount {
    async fn events(&self, span: Span) -> Result<EventPage> {
        self.calendar(move |calendar| calendar.events(span)).await
    }

    async fn event(&self, id: &EventId) -> Result<Option<Event>> {
        let id = id.clone();
        self.calendar(move |calendar| calendar.event(&id)).await
    }

    async fn availability(&self, addresses: &[String], span: Span) -> Result<Vec<Availability>> {
        let addresses = addresses.to_vec();
        self.calendar(move |calendar| calendar.availability(&addresses, span))
            .await
    }

    async fn create(&self, event: &NewEvent, key: &str) -> Result<Event> {
        let event = event.clone();
        self.apply(key, move |calendar, pass| calendar.create(&event, pass))
            .await?
            .ok_or_else(lost)
    }

    async fn find_created(&self, key: &str) -> Result<Option<Event>> {
        let key = key.to_owned();
        let notice = invite::created_key(&self.person.who.account, &key);
        self.changed(&[notice], move |calendar| calendar.made_under(&key))
            .await
    }

    async fn reschedule(
        &self,
        id: &EventId,
        span: Span,
        notice: Option<&Notice>,
        key: &str,
    ) -> Result<Event> {
        let (id, notice) = (id.clone(), notice.cloned());
        self.apply(key, move |calendar, pass| {
            calendar.reschedule(&id, span, notice.as_ref(), pass)
        })
        .await?
        .ok_or_else(lost)
    }

    async fn find_moved(&self, id: &EventId, span: Span, key: &str) -> Result<Option<Event>> {
        let (id, notice) = (id.clone(), invite::moved_key(key));
        self.changed(&[notice], move |calendar| {
            let event = calendar.event(&id)?;
            Ok(event.filter(|event| event.time == span.into()))
        })
        .await
    }

    async fn change(&self, id: &EventId, change: &EventChange, key: &str) -> Result<Event> {
        let (id, change) = (id.clone(), change.clone());
        self.apply(key, move |calendar, pass| calendar.edit(&id, &change, pass))
            .await?
            .ok_or_else(lost)
    }

    async fn find_changed(
        &self,
        id: &EventId,
        change: &EventChange,
        key: &str,
    ) -> Result<Option<Event>> {
        let (id, change) = (id.clone(), change.clone());
        self.changed(&invite::changed_keys(key), move |calendar| {
            let event = calendar.event(&id)?;
            Ok(event.filter(|event| change.is_made(event)))
        })
        .await
    }

    async fn cancel(&self, id: &EventId, notify: bool, key: &str) -> Result<bool> {
        let id = id.clone();
        let cancelled = self.apply(key, move |calendar, pass| {
            calendar.cancel(&id, notify, pass)
        });
        Ok(cancelled.await?.is_some())
    }

    async fn find_cancelled(&self, id: &EventId, key: &str) -> Result<Option<Event>> {
        let id = id.clone();
        let notice = invite::cancelled_key(key);
        self.changed(&[notice], move |calendar| calendar.find_cancelled(&id))
            .await
    }

    async fn respond(&self, id: &EventId, response: &Response, key: &str) -> Result<Event> {
        let (id, response) = (id.clone(), response.clone());
        self.apply(key, move |calendar, pass| {
            calendar.respond(&id, &response, pass)
        })
        .await?
        .ok_or_else(lost)
    }

    async fn find_responded(
        &self,
        id: &EventId,
        attendance: Attendance,
        key: &str,
    ) -> Result<Option<Event>> {
        let (id, notice) = (id.clone(), invite::answered_key(key));
        self.changed(&[notice], move |calendar| {
            let event = calendar.event(&id)?;
            Ok(event.filter(|event| event.attendance == attendance))
        })
        .await
    }
}

#[async_trait]
impl Calendar for Workspace {
    async fn open<'a>(&'a self, account: &'a Account) -> Result<Box<dyn CalendarAccount + 'a>> {
        Ok(Box::new(self.folder(account, AccountService::Calendar)?))
    }
}
