//! Calendar v3 (<https://developers.google.com/workspace/calendar/api/v3/reference>): everybody's primary calendar
//! with ETags, client-chosen ids, series and their exceptions, invitations and what is told of them, free/busy.

mod conference;
mod event;
mod freebusy;
mod guests;
mod paging;
mod read;
mod series;
mod when;
mod write;

use axum::Router;
use axum::extract::State;
use axum::routing::{get, post};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

use crate::error::ApiError;
use crate::exchange::{Asked, Effect, Scene, Spec};
use crate::scope::{CALENDAR_EVENTS, CALENDAR_FREEBUSY};
use crate::state::GoogleLocal;
use event::Event;
pub use guests::{Notice, Told};

const EVENTS: &[&str] = &[CALENDAR_EVENTS];

pub(crate) fn routes() -> Router<GoogleLocal> {
    let served = |id: &'static str, scopes: &'static [&'static str], effect: Effect| {
        let spec = Spec::new(id, scopes, 1);
        move |State(google): State<GoogleLocal>, asked: Asked| google.api(asked, spec, effect)
    };
    let events = |id: &'static str, effect: Effect| served(id, EVENTS, effect);
    let all = "/calendar/v3/calendars/{calendarId}/events";
    Router::new()
        .route(
            all,
            get(events("calendar.events.list", read::list))
                .post(events("calendar.events.insert", write::insert)),
        )
        .route(
            &format!("{all}/{{eventId}}"),
            get(events("calendar.events.get", read::get))
                .patch(events("calendar.events.patch", write::patch))
                .delete(events("calendar.events.delete", write::delete)),
        )
        .route(
            &format!("{all}/{{eventId}}/instances"),
            get(events("calendar.events.instances", read::instances)),
        )
        .route(
            "/calendar/v3/freeBusy",
            post(served(
                "calendar.freebusy.query",
                &[CALENDAR_FREEBUSY],
                freebusy::query,
            )),
        )
}

/// Somebody's primary calendar.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Calendar {
    /// IANA zone of its whole days.
    pub time_zone: String,
    /// Whether others see when its owner is busy.
    pub shared: bool,
    /// What its owner's changes told others, in order.
    pub notices: Vec<Notice>,
    events: BTreeMap<String, Event>,
    /// Counts changes: the newest event's ETag, and the sync token.
    version: u64,
    /// Older sync tokens have expired.
    synced_since: u64,
}

impl Default for Calendar {
    fn default() -> Self {
        Self {
            time_zone: "UTC".into(),
            shared: true,
            notices: Vec::new(),
            events: BTreeMap::new(),
            version: 0,
            synced_since: 0,
        }
    }
}

impl Calendar {
    /// Puts an event there as the API would give it, behind the API's back: nobody is told, nothing is checked.
    ///
    /// # Errors
    /// When a field has another type than the API's.
    pub fn put(&mut self, event: Value) -> serde_json::Result<()> {
        let mut event: Event = serde_json::from_value(event)?;
        if event.ical_uid.is_empty() {
            event.ical_uid = format!("{}@google.com", event.id);
        }
        self.keep(event);
        Ok(())
    }

    /// Every event that is kept, cancelled ones too; of a series its rule and its exceptions.
    pub fn kept(&self) -> Vec<Value> {
        let values = self.events.values().map(serde_json::to_value);
        values.filter_map(Result::ok).collect()
    }

    /// Ends all sync tokens that were given.
    pub fn expire_sync(&mut self) {
        self.version += 1;
        self.synced_since = self.version;
    }

    fn zone(&self) -> TimeZone {
        TimeZone::get(&self.time_zone).unwrap_or(TimeZone::UTC)
    }

    /// Under a new version.
    fn keep(&mut self, mut event: Event) {
        self.version += 1;
        event.version = self.version;
        self.events.insert(event.id.clone(), event);
    }

    /// An event, a series or one of it, cancelled or not.
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

    /// What a series has until an instant and no exception stands for.
    fn unchanged(&self, series: &Event, until: Timestamp) -> Vec<Event> {
        let zone = self.zone();
        let starts = series::starts(series, &zone, until).into_iter();
        let all = starts.map(|start| series.one(&start, &zone));
        all.filter(|one| !self.events.contains_key(&one.id))
            .collect()
    }

    /// Takes an event out; a series with all its exceptions.
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
    /// The caller's calendar, if that is the one that is asked for.
    fn calendar(&mut self) -> Result<&mut Calendar, ApiError> {
        let id = self.asked.param("calendarId").to_lowercase();
        if id != "primary" && id != self.email {
            return Err(ApiError::not_found());
        }
        Ok(&mut self.account()?.calendar)
    }
}
