//! The fields that are read of Graph's calendar answers (<https://learn.microsoft.com/graph/api/resources/event>).

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use serde::Deserialize;
use serde_json::Value;

use super::zone::zone;
use crate::person::{Recipient, mailbox};

/// Requested fields of an event.
pub(super) const FIELDS: &str = "id,subject,body,start,end,isAllDay,location,onlineMeeting,attendees,organizer,isOrganizer,responseStatus,showAs,isCancelled,type,seriesMasterId,originalStartTimeZone";

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Resource {
    #[serde(rename = "@odata.etag")]
    pub etag: Option<String>,
    pub id: String,
    pub subject: String,
    /// `itemBody`.
    pub body: Value,
    pub start: Option<When>,
    pub end: Option<When>,
    pub is_all_day: bool,
    pub location: Value,
    pub online_meeting: Value,
    pub attendees: Vec<Guest>,
    pub organizer: Recipient,
    pub is_organizer: bool,
    pub response_status: Value,
    pub show_as: String,
    pub is_cancelled: bool,
    /// `singleInstance`, `occurrence`, `exception`, `seriesMaster`.
    #[serde(rename = "type")]
    pub kind: String,
    pub series_master_id: Option<String>,
    pub original_start_time_zone: String,
    pub single_value_extended_properties: Vec<Property>,
    /// The changed occurrences of a series.
    pub exception_occurrences: Vec<Self>,
}

/// `dateTimeTimeZone`: a local time with its zone.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct When {
    pub date_time: String,
    pub time_zone: String,
}

impl When {
    pub fn date(&self) -> Option<Date> {
        let time: DateTime = self.date_time.parse().ok()?;
        Some(time.date())
    }

    pub fn at(&self) -> Option<Timestamp> {
        let time: DateTime = self.date_time.parse().ok()?;
        let at = time.to_zoned(zone(&self.time_zone)?).ok()?;
        Some(at.timestamp())
    }
}

/// `attendee`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Guest {
    #[serde(flatten)]
    pub person: Recipient,
    #[serde(rename = "type")]
    pub kind: Value,
    pub status: Value,
}

/// `singleValueLegacyExtendedProperty`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Property {
    pub id: String,
    pub value: String,
}

/// `scheduleInformation`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Schedule {
    pub schedule_id: String,
    pub schedule_items: Vec<ScheduleItem>,
    pub error: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ScheduleItem {
    pub status: String,
    pub start: When,
    pub end: When,
}

impl Resource {
    /// The guests without the organiser, whom Outlook lists among them.
    pub fn guests(&self) -> impl Iterator<Item = &Guest> {
        let organizer = mailbox(&self.organizer);
        self.attendees.iter().filter(move |guest| {
            let address = mailbox(&guest.person).address;
            !address.is_empty() && !address.eq_ignore_ascii_case(&organizer.address)
        })
    }

    /// Whether somebody else invited the calendar's owner.
    pub fn is_invitation(&self) -> bool {
        !self.is_organizer && self.guests().next().is_some()
    }

    pub fn property(&self, id: &str) -> &str {
        let mut all = self.single_value_extended_properties.iter();
        let found = all.find(|property| property.id.eq_ignore_ascii_case(id));
        found.map_or("", |property| &property.value)
    }
}
