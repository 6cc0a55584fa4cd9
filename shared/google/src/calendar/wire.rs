//! The fields that are read of Calendar's resources
//! (<https://developers.google.com/workspace/calendar/api/v3/reference/events>).

use alfred_core::ports::Span;
use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// `Event`. Every field may be missing: a cancelled occurrence has only ids and its original time.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Resource {
    pub id: String,
    #[serde(rename = "iCalUID")]
    pub ical_uid: String,
    pub etag: Option<String>,
    pub status: String,
    pub summary: String,
    pub description: String,
    pub location: String,
    pub hangout_link: String,
    pub start: Option<When>,
    pub end: Option<When>,
    pub recurrence: Vec<String>,
    pub recurring_event_id: Option<String>,
    pub original_start_time: Option<When>,
    pub transparency: String,
    pub organizer: Person,
    pub creator: Person,
    pub attendees: Vec<Guest>,
    pub extended_properties: Properties,
}

/// `EventDateTime`: has either `date` or `date_time`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct When {
    pub date: Option<Date>,
    pub date_time: Option<Timestamp>,
    pub time_zone: String,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Person {
    pub email: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub display_name: String,
    #[serde(rename = "self", skip_serializing)]
    pub is_self: bool,
}

/// `EventAttendee`. It is written back with the fields that aren't read, such as `optional`.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Guest {
    #[serde(flatten)]
    pub person: Person,
    pub response_status: String,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

/// `extendedProperties`. Private ones exist only on this copy of the event.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Properties {
    pub private: Map<String, Value>,
}

/// `Events`: a page of a list. Entries are parsed one by one, so a bad one doesn't hide the others.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Listed {
    pub items: Vec<Value>,
    pub next_page_token: Option<String>,
    pub time_zone: String,
}

/// `FreeBusyResponse`.
#[derive(Debug, Deserialize)]
pub(super) struct FreeBusy {
    pub calendars: std::collections::HashMap<String, Seen>,
}

/// `FreeBusyCalendar`.
#[derive(Debug, Deserialize)]
pub(super) struct Seen {
    #[serde(default)]
    pub errors: Vec<Value>,
    #[serde(default)]
    pub busy: Vec<Span>,
}

impl Resource {
    pub fn is_cancelled(&self) -> bool {
        self.status == "cancelled"
    }

    pub fn is_own(&self) -> bool {
        self.organizer.is_self || (self.organizer.email.is_empty() && self.creator.is_self)
    }

    /// The owner's own entry among the guests.
    pub fn me(&self) -> Option<&Guest> {
        self.attendees.iter().find(|guest| guest.person.is_self)
    }

    pub fn has_guests(&self) -> bool {
        self.attendees.iter().any(|guest| !guest.person.is_self)
    }
}
