//! Calendar v3 (<https://developers.google.com/workspace/calendar/api/v3/reference>): everybody's primary calendar
//! with ETags, client-chosen ids, series and their exceptions, invitations and what is told of them, free/busy.

mod event;
mod freebusy;
mod guests;
mod read;
mod series;
mod when;
mod write;

use alfred_core::ports::Span;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

use crate::error::ApiError;
use crate::exchange::Scene;
use crate::routes::{DELETE, GET, PATCH, POST, Routes, Spec};
use crate::scope::{CALENDAR_EVENTS, CALENDAR_FREEBUSY};
use event::Event;
pub use guests::{Notice, Told};

pub(crate) fn routes() -> Routes {
    let events = |id| Spec::new(id, &[CALENDAR_EVENTS], 1);
    let busy = Spec::new("calendar.freebusy.query", &[CALENDAR_FREEBUSY], 1);
    let all = "/calendars/{calendarId}/events";
    let one = "/calendars/{calendarId}/events/{eventId}";
    let instances = "/calendars/{calendarId}/events/{eventId}/instances";
    Routes::at("/calendar/v3")
        .method(GET, all, events("calendar.events.list"))
        .by(read::list)
        .method(POST, all, events("calendar.events.insert"))
        .by(write::insert)
        .method(GET, one, events("calendar.events.get"))
        .by(read::get)
        .method(PATCH, one, events("calendar.events.patch"))
        .by(write::patch)
        .method(DELETE, one, events("calendar.events.delete"))
        .by(write::delete)
        .method(GET, instances, events("calendar.events.instances"))
        .by(read::instances)
        .method(POST, "/freeBusy", busy)
        .by(freebusy::query)
}

fn span(start: Timestamp, end: Timestamp) -> Result<Span, ApiError> {
    if end <= start {
        let message = "The specified time range is empty.";
        return Err(ApiError::new(400, "timeRangeEmpty", message));
    }
    Ok(Span { start, end })
}

/// Somebody's primary calendar.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Calendar {
    /// IANA zone of whole days.
    pub time_zone: String,
    /// Whether others may query free/busy.
    pub shared: bool,
    /// Sent by changes of its owner, in order.
    pub notices: Vec<Notice>,
    events: BTreeMap<String, Event>,
    /// Counts changes: the newest event's ETag.
    version: u64,
}

impl Default for Calendar {
    fn default() -> Self {
        Self {
            time_zone: "UTC".into(),
            shared: true,
            notices: Vec::new(),
            events: BTreeMap::new(),
            version: 0,
        }
    }
}

impl Calendar {
    /// Adds an event in the API's form, without notices and without checks.
    pub fn put(&mut self, event: Value) -> serde_json::Result<()> {
        let mut event: Event = serde_json::from_value(event)?;
        if event.ical_uid.is_empty() {
            event.ical_uid = format!("{}@google.com", event.id);
        }
        self.keep(event);
        Ok(())
    }

    /// Every stored event, even cancelled ones; of a series its rule and its exceptions.
    pub fn kept(&self) -> Vec<Value> {
        let values = self.events.values().map(serde_json::to_value);
        values.filter_map(Result::ok).collect()
    }

    fn zone(&self) -> TimeZone {
        TimeZone::get(&self.time_zone).unwrap_or(TimeZone::UTC)
    }

    /// Stores it under a new version.
    fn keep(&mut self, mut event: Event) {
        self.version += 1;
        event.version = self.version;
        self.events.insert(event.id.clone(), event);
    }

    /// An event, a series or one of its dates, even a cancelled one.
    fn find(&self, id: &str) -> Option<Event> {
        if let Some(event) = self.events.get(id) {
            return Some(event.clone());
        }
        let (series, suffix) = id.rsplit_once('_')?;
        let series = self.events.get(series)?;
        let zone = self.zone();
        let start = series.start.of_suffix(suffix, &zone)?;
        let until = start.instant(&zone)?;
        let starts = series::starts(series, &zone, until);
        starts.contains(&start).then(|| series.one(&start, &zone))
    }

    /// The dates of a series without an exception, until an instant.
    fn unchanged(&self, series: &Event, until: Timestamp) -> Vec<Event> {
        let zone = self.zone();
        let starts = series::starts(series, &zone, until).into_iter();
        let all = starts.map(|start| series.one(&start, &zone));
        all.filter(|one| !self.events.contains_key(&one.id))
            .collect()
    }

    /// The events and dates of series that overlap with a span, by their start. Those without times are included.
    fn singles(&self, span: Span) -> Vec<Event> {
        let zone = self.zone();
        let mut all: Vec<Event> = Vec::new();
        for event in self.events.values() {
            if event.recurrence.is_empty() {
                all.push(event.clone());
            } else {
                all.extend(self.unchanged(event, span.end));
            }
        }
        all.retain(|event| {
            let (start, end) = (event.start.instant(&zone), event.end.instant(&zone));
            let overlaps = start.is_none_or(|start| start < span.end)
                && end.is_none_or(|end| end > span.start);
            overlaps && !event.is_cancelled()
        });
        all.sort_by_cached_key(|event| (event.start.instant(&zone), event.id.clone()));
        all
    }

    /// Cancels an event; a series with all its exceptions.
    fn cancel(&mut self, mut event: Event) {
        let mut of_it = self.events.values().cloned().collect::<Vec<_>>();
        of_it.retain(|one| one.series.as_deref() == Some(&event.id) && !one.is_cancelled());
        event.set_cancelled();
        self.keep(event);
        for mut one in of_it {
            one.set_cancelled();
            self.keep(one);
        }
    }
}

impl Scene<'_> {
    /// The caller's own.
    fn calendar(&mut self) -> Result<&mut Calendar, ApiError> {
        if self.asked.param("calendarId") != "primary" {
            return Err(ApiError::not_found());
        }
        Ok(&mut self.account()?.calendar)
    }
}
