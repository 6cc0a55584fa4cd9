//! Answers to invitations (<https://learn.microsoft.com/graph/api/event-accept>). Graph accepts no idempotency key and
//! sends a repeated answer again, and a declined event leaves most calendars. So a row records the attempt.

use crate::Result;
use alfred_core::id::EventId;
use alfred_core::ports::{AccountError, Attendance, Event, Response};
use alfred_core::text;
use serde_json::{Value, json};

use super::change::outlook_done_once;
use super::rows::nobody_knows;
use super::{OutlookCalendar, SERVICE};
use alfred_accounts::api::CallError;
use alfred_accounts::ask::Ask;

pub(super) const RESPOND: &str = "respond";

/// Graph's action for an answer. `None` for no answer.
fn verb(attendance: Attendance) -> Option<&'static str> {
    match attendance {
        Attendance::Accepted => Some("accept"),
        Attendance::Tentative => Some("tentativelyAccept"),
        Attendance::Declined => Some("decline"),
        Attendance::Unanswered => None,
    }
}

impl OutlookCalendar<'_> {
    /// Answers an invitation and notifies its organiser, once for the key.
    pub(super) async fn responded(
        &self,
        id: &EventId,
        response: &Response,
        key: &str,
    ) -> Result<Event> {
        let digest = self.digest(RESPOND, key);
        let _turn = self.graph.changing.of(&digest).await;
        let resource = self.there(id).await?;
        let (row, version) = self.row(&digest).await?;
        let Some(resource) = resource else {
            let declined = row.and_then(|row| answered(row.event, id, response.attendance));
            return declined.ok_or_else(Event::gone);
        };
        let event = self.given(&resource).await?;
        let Some(verb) = verb(response.attendance).filter(|_| resource.is_invitation()) else {
            return Err(AccountError::refused(text::not_invited(&event.title)));
        };
        if event.attendance == response.attendance {
            return Ok(event);
        }
        match row {
            Some(row) if row.in_flight(self.graph.clock.now()) => return Err(nobody_knows()),
            Some(row) if row.done => {
                return Err(AccountError::refused(outlook_done_once(&event.title)));
            }
            _ => {}
        }
        let expected = self.as_answered(event, response.attendance).await?;
        self.trying(&digest, version, Some(&expected)).await?;
        let url = format!("{}/{verb}", self.event_url(id));
        let body = json!({"comment": response.note, "sendResponse": true});
        match self.call::<Value>(&Ask::post(SERVICE, url, body)).await {
            Ok(_) => {
                self.done(&digest, &expected).await;
                Ok(expected)
            }
            Err(CallError::Status { code: 404, .. }) => {
                Err(self.not_made(&digest, Event::gone()).await)
            }
            Err(error) => {
                let error = self.not_made(&digest, error.into()).await;
                if !matches!(error, AccountError::Unknown { .. }) {
                    return Err(error);
                }
                let seen = self.answered_under(id, response.attendance, &digest).await;
                seen.ok().flatten().ok_or(error)
            }
        }
    }

    /// Returns the event if it has this answer. An event that vanished after an attempt to decline counts as declined.
    pub(super) async fn answered_under(
        &self,
        id: &EventId,
        attendance: Attendance,
        digest: &str,
    ) -> Result<Option<Event>> {
        let event = self.event_of(id).await?;
        let (row, _) = self.row(digest).await?;
        match (event, row) {
            (Some(event), row) if event.attendance == attendance => {
                if row.is_some_and(|row| !row.done) {
                    self.done(digest, &event).await;
                }
                Ok(Some(event))
            }
            (Some(_), Some(row)) if row.in_flight(self.graph.clock.now()) => Err(nobody_knows()),
            (Some(_), _) => Ok(None),
            (None, row) => Ok(row.and_then(|row| answered(row.event, id, attendance))),
        }
    }

    async fn as_answered(&self, event: Event, attendance: Attendance) -> Result<Event> {
        let me = self.graph.owner(self.account, SERVICE).await?;
        let takes_time = event.busy || event.attendance == Attendance::Declined;
        let mut event = Event {
            attendance,
            busy: takes_time && attendance != Attendance::Declined,
            ..event
        };
        let mut own = event.attendees.iter_mut();
        if let Some(own) = own.find(|one| one.mailbox.address.eq_ignore_ascii_case(&me)) {
            own.attendance = attendance;
        }
        Ok(event)
    }
}

/// The event of a row, if it was declined.
fn answered(known: Option<Event>, id: &EventId, attendance: Attendance) -> Option<Event> {
    let declined = attendance == Attendance::Declined;
    known.filter(|event| declined && event.id == *id && event.attendance == attendance)
}
