//! The resource `Event`, as it is kept and as somebody sees it.

use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::series;
use super::when::When;
use crate::error::ApiError;

/// The fields that Alfred writes. As Google does, the stand-in ignores others.
const WRITABLE: [&str; 9] = [
    "start",
    "end",
    "recurrence",
    "attendees",
    "summary",
    "description",
    "location",
    "extendedProperties",
    "conferenceData",
];
/// Each copy has its own.
pub(super) const PRIVATE: [&str; 2] = ["transparency", "extendedProperties"];

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Event {
    pub id: String,
    #[serde(rename = "iCalUID")]
    pub ical_uid: String,
    pub version: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    pub start: When,
    pub end: When,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub recurrence: Vec<String>,
    #[serde(rename = "recurringEventId", skip_serializing_if = "Option::is_none")]
    pub series: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub original_start_time: Option<When>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attendees: Vec<Attendee>,
    pub organizer: Person,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hangout_link: Option<String>,
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Person {
    pub email: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Attendee {
    pub email: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    #[serde(default = "needs_action")]
    pub response_status: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub optional: Option<bool>,
}

fn needs_action() -> String {
    "needsAction".into()
}

impl Event {
    pub fn is_cancelled(&self) -> bool {
        self.status.as_deref() == Some("cancelled")
    }

    pub fn set_cancelled(&mut self) {
        self.status = Some("cancelled".into());
    }

    pub fn etag(&self) -> String {
        format!("\"{}\"", self.version)
    }

    pub fn is_organised_by(&self, email: &str) -> bool {
        self.organizer.email == email
    }

    pub fn attendee(&self, email: &str) -> Option<&Attendee> {
        let mut people = self.attendees.iter();
        people.find(|one| one.email.eq_ignore_ascii_case(email))
    }

    /// Replaces what this guest answered.
    pub fn answer(&mut self, said: &Attendee) {
        for attendee in &mut self.attendees {
            if attendee.email == said.email {
                *attendee = said.clone();
            }
        }
    }

    /// The date of this series that starts so.
    pub fn one(&self, start: &When, calendar: &TimeZone) -> Self {
        let end = self.end.moved(&self.start, start, calendar);
        Self {
            id: format!("{}_{}", self.id, start.suffix(calendar)),
            start: start.clone(),
            end: end.unwrap_or_else(|| start.clone()),
            recurrence: Vec::new(),
            series: Some(self.id.clone()),
            original_start_time: Some(start.clone()),
            ..self.clone()
        }
    }

    /// With a patch (RFC 7396): null removes a field, a list replaces the old one.
    pub fn patched(&self, patch: &Value, calendar: &TimeZone) -> Result<Self, ApiError> {
        let invalid =
            |error: serde_json::Error| ApiError::invalid(format!("Invalid value: {error}"));
        let Value::Object(patch) = patch else {
            return Err(ApiError::invalid("Missing event."));
        };
        let mut value = serde_json::to_value(self).map_err(invalid)?;
        for name in WRITABLE {
            if let Some(new) = patch.get(name) {
                merge(&mut value[name], new);
            }
        }
        if let Value::Object(fields) = &mut value {
            fields.retain(|_, value| !value.is_null());
        }
        let mut event: Self = serde_json::from_value(value).map_err(invalid)?;
        event.check(calendar)?;
        Ok(event)
    }

    fn check(&mut self, calendar: &TimeZone) -> Result<(), ApiError> {
        self.start = self.start.checked("start", calendar)?;
        self.end = self.end.checked("end", calendar)?;
        if self.start.is_day() != self.end.is_day() {
            return Err(ApiError::new(400, "invalid", "Invalid start time."));
        }
        if self.end.instant(calendar) < self.start.instant(calendar) {
            let message = "The specified time range is empty.";
            return Err(ApiError::new(400, "timeRangeEmpty", message));
        }
        if !self.recurrence.is_empty() && !self.start.repeats() {
            let message = "Missing time zone definition for start time.";
            return Err(ApiError::new(400, "required", message));
        }
        series::check(self, calendar)?;
        for attendee in &mut self.attendees {
            attendee.email = attendee.email.to_lowercase();
        }
        Ok(())
    }

    /// As the owner of this calendar sees it.
    pub fn shown(&self, email: &str) -> Value {
        if let (true, Some(series)) = (self.is_cancelled(), &self.series) {
            // Google promises nothing else for these.
            return json!({
                "kind": "calendar#event",
                "id": self.id,
                "etag": self.etag(),
                "status": "cancelled",
                "recurringEventId": series,
                "originalStartTime": self.original_start_time,
            });
        }
        let mut value = serde_json::to_value(self).unwrap_or_default();
        value["kind"] = json!("calendar#event");
        value["etag"] = json!(self.etag());
        value["status"] = json!(self.status.as_deref().unwrap_or("confirmed"));
        let marked = |person: &mut Value| {
            if person["email"] == email {
                person["self"] = json!(true);
            }
        };
        marked(&mut value["organizer"]);
        value["creator"] = value["organizer"].clone();
        if let Some(Value::Array(attendees)) = value.get_mut("attendees") {
            for attendee in attendees {
                if attendee["email"] == self.organizer.email.as_str() {
                    attendee["organizer"] = json!(true);
                }
                marked(attendee);
            }
        }
        if let Value::Object(fields) = &mut value {
            fields.remove("version");
        }
        value
    }
}

fn merge(value: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        *value = patch.clone();
        return;
    };
    if !value.is_object() {
        *value = json!({});
    }
    for (name, new) in patch {
        merge(&mut value[name], new);
    }
    if let Value::Object(fields) = value {
        fields.retain(|_, value| !value.is_null());
    }
}
