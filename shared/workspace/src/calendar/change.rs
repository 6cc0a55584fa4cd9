//! Changes a person's events. Others are notified before the calendar is written, so a repetition after a
//! crash in between doesn't send the mail again.

use alfred_core::id::EventId;
use alfred_core::ports::{AccountError, Attendance, Event, NewEvent, Notice, Response, Span};
use alfred_smtp::Smtp;
use jiff::Timestamp;
use std::sync::Arc;

use super::invite::{self, Invitation};
use super::plan::{Plan, timed};
use super::when::Key;
use super::{CalendarFolder, lost};
use crate::mail::{self, Letter};
use crate::person::{Invitations, Person};
use crate::port::CALENDAR_SERVER_LOGIN;

/// A person's calendar, and how others are notified of its changes.
pub(crate) struct Changes {
    pub person: Arc<Person>,
    pub at: Timestamp,
    pub smtp: Option<Arc<Smtp>>,
    /// Sends the notifications instead of the folder's own outbox.
    pub by: Option<Arc<dyn Invitations>>,
}

impl Changes {
    pub async fn read<T: Send + 'static>(
        &self,
        act: impl FnOnce(&mut CalendarFolder) -> Result<T, AccountError> + Send + 'static,
    ) -> Result<T, AccountError> {
        let done = self.person.with_calendar(act).await;
        done.map_err(|error| match error {
            // The server is in the settings, so the owner can't reconnect it.
            AccountError::Expired(_) if self.by.is_none() => {
                AccountError::refused(CALENDAR_SERVER_LOGIN)
            }
            other => other,
        })
    }

    async fn event(&self, id: &EventId) -> Result<Event, AccountError> {
        let id = id.clone();
        let event = self.read(move |calendar| calendar.event(&id)).await?;
        event.ok_or_else(lost)
    }

    /// Notifies others, then writes. The calendar stays readable meanwhile. False if there is nothing to
    /// change.
    async fn apply(
        &self,
        plan: impl FnOnce(&mut CalendarFolder) -> Result<Option<Plan>, AccountError> + Send + 'static,
    ) -> Result<bool, AccountError> {
        let _alone = self.person.changes.lock().await;
        let Some(plan) = self.read(plan).await? else {
            return Ok(false);
        };
        if let Some(Invitation { mail, key, itip }) = &plan.invitation {
            if let Some(by) = &self.by {
                by.send(mail, itip, key).await?;
            } else {
                let (at, itip) = (self.at, Some(itip));
                let letter = Letter {
                    mail,
                    key,
                    at,
                    itip,
                };
                mail::send(&self.person, &letter, self.smtp.as_deref()).await?;
            }
        }
        self.read(move |calendar| calendar.write(&plan)).await?;
        Ok(true)
    }

    /// The result of an earlier change. Without one, `Unknown` if others may have been notified under this
    /// key.
    async fn find(
        &self,
        look: impl FnOnce(&mut CalendarFolder) -> Result<Option<Event>, AccountError> + Send + 'static,
        key: &str,
    ) -> Result<Option<Event>, AccountError> {
        let _alone = self.person.changes.lock().await;
        let found = self.read(look).await?;
        if found.is_none() {
            match &self.by {
                Some(by) => drop(by.was_sent(key).await?),
                None => drop(mail::find_sent(&self.person, key).await?),
            }
        }
        Ok(found)
    }

    pub async fn create(&self, new: &NewEvent, key: &str) -> Result<Event, AccountError> {
        new.check()?;
        let (new, planned, at) = (new.clone(), key.to_owned(), self.at);
        self.apply(move |calendar| calendar.plan_create(&new, &planned, at))
            .await?;
        let key = key.to_owned();
        let made = self.read(move |calendar| calendar.made_under(&key)).await?;
        made.ok_or_else(lost)
    }

    pub async fn find_created(&self, key: &str) -> Result<Option<Event>, AccountError> {
        let told = invite::key(&super::uid_of(&self.person.who, key));
        let key = key.to_owned();
        self.find(move |calendar| calendar.made_under(&key), &told)
            .await
    }

    pub async fn reschedule(
        &self,
        id: &EventId,
        span: Span,
        notice: Option<&Notice>,
        key: &str,
    ) -> Result<Event, AccountError> {
        span.check()?;
        let note = notice.map(|notice| notice.note.clone());
        let (moved, key, at) = (id.clone(), key.to_owned(), self.at);
        self.apply(move |calendar| calendar.plan_move(&moved, (span, note), &key, at))
            .await?;
        self.event(id).await
    }

    /// The occurrence, if it is at this time.
    pub async fn find_moved(
        &self,
        id: &EventId,
        span: Span,
        key: &str,
    ) -> Result<Option<Event>, AccountError> {
        let id = id.clone();
        let look = move |calendar: &mut CalendarFolder| {
            let there = calendar.event(&id)?;
            Ok(there.filter(|event| event.time == timed(span)))
        };
        self.find(look, &invite::moved_key(key)).await
    }

    /// False if there is no such event.
    pub async fn cancel(
        &self,
        id: &EventId,
        notify: bool,
        key: &str,
    ) -> Result<bool, AccountError> {
        let (id, key, at) = (id.clone(), key.to_owned(), self.at);
        self.apply(move |calendar| {
            let mut plan = calendar.plan_cancel(&id, &key, at)?;
            if let Some(plan) = &mut plan
                && !notify
            {
                plan.invitation = None;
            }
            Ok(plan)
        })
        .await
    }

    pub async fn find_cancelled(
        &self,
        id: &EventId,
        key: &str,
    ) -> Result<Option<Event>, AccountError> {
        let id = id.clone();
        let look = move |calendar: &mut CalendarFolder| match (calendar.find(&id)?, Key::of_id(&id))
        {
            (None, Some((uid, at))) => calendar.gone(uid, at),
            (Some(_), _) | (None, None) => Ok(None),
        };
        self.find(look, &invite::cancelled_key(key)).await
    }

    pub async fn respond(
        &self,
        id: &EventId,
        response: &Response,
        key: &str,
    ) -> Result<Event, AccountError> {
        let (answered, response) = (id.clone(), response.clone());
        let (key, at) = (key.to_owned(), self.at);
        self.apply(move |calendar| calendar.plan_answer(&answered, response, &key, at))
            .await?;
        self.event(id).await
    }

    /// The event, if it has this answer.
    pub async fn find_responded(
        &self,
        id: &EventId,
        attendance: Attendance,
        key: &str,
    ) -> Result<Option<Event>, AccountError> {
        let id = id.clone();
        let look = move |calendar: &mut CalendarFolder| {
            let there = calendar.event(&id)?;
            Ok(there.filter(|event| event.attendance == attendance))
        };
        self.find(look, &invite::answered_key(key)).await
    }
}
