//! Calendars (<https://learn.microsoft.com/graph/api/resources/event>): the default one of each mailbox. Guests'
//! calendars aren't changed; what they would be told is taken down.

mod elsewhere;
mod event;
mod list;
mod respond;
mod schedule;
mod series;
mod shown;
mod when;
mod write;

pub use event::{Notice, Told};

use axum::http::Method;
use serde_json::{Value, json};
use std::collections::BTreeMap;

use crate::asked::Asked;
use crate::error::ApiError;
use crate::exchange::Given;
use crate::mail::Mailbox;
use event::Stored;

/// The calendar of a mailbox.
#[derive(Debug)]
pub struct Calendar {
    /// Its owner's time zone, as Outlook names it.
    pub zone: String,
    /// Whether meetings of Teams can be made.
    pub teams: bool,
    /// Whether a meeting stays when it is declined (Exchange's `PreserveDeclinedMeetings`).
    pub keeps_declined: bool,
    /// Whether others see when its owner is busy.
    pub shared: bool,
    /// What others were told by its owner's changes.
    pub notices: Vec<Notice>,
    email: String,
    name: String,
    events: BTreeMap<u64, Stored>,
    /// What was created under a `transactionId`, and by which words.
    transactions: BTreeMap<String, (u64, Value)>,
    sequence: u64,
}

impl Calendar {
    pub(crate) fn new(email: &str, name: &str) -> Self {
        Self {
            zone: "UTC".into(),
            teams: true,
            keeps_declined: false,
            shared: true,
            notices: Vec::new(),
            email: email.to_owned(),
            name: name.to_owned(),
            events: BTreeMap::new(),
            transactions: BTreeMap::new(),
            sequence: 0,
        }
    }

    /// How many events and series there are.
    pub fn count(&self) -> usize {
        self.events.len()
    }
}

/// What a call is named in faults and counts; `None` where it is none of a calendar.
pub(crate) fn name(asked: &Asked) -> Option<&'static str> {
    let path: Vec<&str> = asked.path.iter().map(String::as_str).collect();
    let ["me", rest @ ..] = path.as_slice() else {
        return None;
    };
    Some(match (&asked.verb, rest) {
        (&Method::GET, ["mailboxSettings"]) => "mailboxSettings.get",
        (&Method::GET, ["calendar"]) => "calendar.get",
        (&Method::GET, ["calendar", "calendarView"]) => "calendarView.list",
        (&Method::POST, ["calendar", "getSchedule"]) => "calendar.getSchedule",
        (&Method::GET, ["calendar", "events"]) => "events.list",
        (&Method::POST, ["calendar", "events"]) => "events.create",
        (&Method::GET, ["calendar", "events", _]) => "events.get",
        (&Method::PATCH, ["calendar", "events", _]) => "events.patch",
        (&Method::DELETE, ["calendar", "events", _]) => "events.delete",
        (&Method::GET, ["calendar", "events", _, "instances"]) => "events.instances",
        (&Method::POST, ["calendar", "events", _, "cancel"]) => "events.cancel",
        (&Method::POST, ["calendar", "events", _, "accept"]) => "events.accept",
        (&Method::POST, ["calendar", "events", _, "decline"]) => "events.decline",
        (&Method::POST, ["calendar", "events", _, "tentativelyAccept"]) => {
            "events.tentativelyAccept"
        }
        _ => return None,
    })
}

/// What a call needs to have been granted.
pub(crate) fn scope(name: &str) -> &'static str {
    match name {
        "mailboxSettings.get" => "MailboxSettings.Read",
        _ => "Calendars.ReadWrite",
    }
}

/// Serves a call of somebody's own calendar; others are looked at for when they are busy.
pub(crate) fn served(
    mailboxes: &mut BTreeMap<String, Mailbox>,
    email: &str,
    asked: &Asked,
) -> Result<Given, ApiError> {
    let name = name(asked).unwrap_or_default();
    if name == "calendar.getSchedule" {
        return schedule::look(mailboxes, email, asked);
    }
    let mailbox = mailboxes.get_mut(email);
    let calendar = &mut mailbox.ok_or_else(ApiError::no_mailbox)?.calendar;
    let id = asked.path.get(3).map(String::as_str).unwrap_or_default();
    match name {
        "mailboxSettings.get" => {
            asked.only(&["$select"])?;
            Ok(Given::Json(200, json!({"timeZone": calendar.zone})))
        }
        "calendar.get" => {
            asked.only(&["$select"])?;
            let providers: &[&str] = if calendar.teams {
                &["teamsForBusiness"]
            } else {
                &[]
            };
            let shown = json!({"allowedOnlineMeetingProviders": providers});
            Ok(Given::Json(200, shown))
        }
        "calendarView.list" => list::view(calendar, asked),
        "events.list" => list::by_property(calendar, asked),
        "events.instances" => list::instances(calendar, asked, id),
        "events.get" => {
            asked.only(&["$select", "$expand"])?;
            let at = calendar.find(id)?;
            Ok(Given::Json(200, shown::event(calendar, at, asked)?))
        }
        "events.create" => write::create(calendar, asked),
        "events.patch" => write::patch(calendar, asked, id),
        "events.delete" => write::delete(calendar, asked, id),
        "events.cancel" => write::cancel(calendar, asked, id),
        _ => respond::answer(calendar, asked, id),
    }
}
