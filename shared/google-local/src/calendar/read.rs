//! `events.list`, `events.get`, `events.instances`.

use jiff::{Timestamp, ToSpan};
use serde_json::{Value, json};

use super::Calendar;
use super::event::Event;
use super::paging::{Page, sync_token, synced};
use super::when::instant;
use crate::error::ApiError;
use crate::exchange::{Asked, Given, Scene};

/// How far series go on that are asked for without an end.
const AHEAD_DAYS: i64 = 731;

pub(super) fn get(scene: &mut Scene<'_>) -> Result<Given, ApiError> {
    let (id, email) = (scene.asked.param("eventId"), scene.email.clone());
    let event = scene.calendar()?.find(id).ok_or_else(ApiError::not_found)?;
    Ok(event.shown(&email).into())
}

/// What a list is asked for.
struct Wanted {
    min: Timestamp,
    max: Timestamp,
    /// Series as what they consist of.
    single: bool,
    deleted: bool,
    since: Option<u64>,
    ical_uid: Option<String>,
    types: Vec<String>,
}

impl Wanted {
    fn read(asked: &Asked, now: Timestamp, since: Option<u64>) -> Result<Self, ApiError> {
        let time = |name: &str| {
            asked
                .query(name)
                .map(|text| instant(name, text))
                .transpose()
        };
        let (min, max) = (time("timeMin")?, time("timeMax")?);
        if let (Some(min), Some(max)) = (min, max)
            && max <= min
        {
            let message = "The specified time range is empty.";
            return Err(ApiError::new(400, "timeRangeEmpty", message));
        }
        let ahead = now.checked_add((AHEAD_DAYS * 24).hours()).unwrap_or(now);
        Ok(Self {
            min: min.unwrap_or(Timestamp::MIN),
            max: max.unwrap_or(ahead),
            single: flag(asked, "singleEvents")?,
            deleted: flag(asked, "showDeleted")? || since.is_some(),
            since,
            ical_uid: asked.query("iCalUID").map(str::to_owned),
            types: asked.all("eventTypes").map(str::to_owned).collect(),
        })
    }

    fn of(&self, calendar: &Calendar) -> Vec<Event> {
        let mut all = Vec::new();
        for event in calendar.events.values() {
            match self.single && !event.recurrence.is_empty() {
                true => all.extend(calendar.unchanged(event, self.max)),
                false => all.push(event.clone()),
            }
        }
        all.retain(|event| self.takes(event, calendar));
        all
    }

    fn takes(&self, event: &Event, calendar: &Calendar) -> bool {
        let zone = calendar.zone();
        let start = event.start.instant(&zone);
        let end = event.end.instant(&zone);
        let whole = !event.recurrence.is_empty();
        let kind = event.rest.get("eventType").and_then(Value::as_str);
        start.is_none_or(|start| start < self.max)
            && (whole || end.is_none_or(|end| end > self.min))
            && (self.deleted || !event.is_cancelled() || self.is_exception(event, calendar))
            && self.since.is_none_or(|since| event.version > since)
            && self
                .ical_uid
                .as_ref()
                .is_none_or(|uid| *uid == event.ical_uid)
            && (self.types.is_empty() || self.types.iter().any(|t| *t == kind.unwrap_or("default")))
    }
    /// Dates that were taken out of a series are listed with its rule, which doesn't tell of them.
    fn is_exception(&self, event: &Event, calendar: &Calendar) -> bool {
        let series = event.series.as_ref();
        let series = series.and_then(|series| calendar.events.get(series));
        !self.single && series.is_some_and(|series| !series.is_cancelled())
    }
}

fn flag(asked: &Asked, name: &str) -> Result<bool, ApiError> {
    match asked.query(name) {
        None | Some("false") => Ok(false),
        Some("true") => Ok(true),
        Some(_) => Err(ApiError::invalid(format!(
            "Invalid boolean value for: {name}"
        ))),
    }
}

pub(super) fn list(scene: &mut Scene<'_>) -> Result<Given, ApiError> {
    let (asked, now, email) = (scene.asked, scene.now, scene.email.clone());
    let calendar = scene.calendar()?;
    let since = synced(asked, calendar.synced_since)?;
    let wanted = Wanted::read(asked, now, since)?;
    let mut events = wanted.of(calendar);
    match asked.query("orderBy") {
        None => {}
        Some("startTime") if wanted.single => {
            let zone = calendar.zone();
            events.sort_by_cached_key(|event| (event.start.instant(&zone), event.id.clone()));
        }
        Some("startTime") => {
            let message = "The requested ordering is not available for the particular query.";
            return Err(ApiError::new(400, "badRequest", message));
        }
        Some("updated") => events.sort_by_key(|event| event.version),
        Some(_) => return Err(ApiError::invalid("Invalid value for: orderBy")),
    }
    let page = Page::of(asked, calendar.version, events)?;
    Ok(answer(asked, calendar, &email, page))
}

pub(super) fn instances(scene: &mut Scene<'_>) -> Result<Given, ApiError> {
    let (asked, now, email) = (scene.asked, scene.now, scene.email.clone());
    let calendar = scene.calendar()?;
    let series = calendar.find(asked.param("eventId"));
    let series = series.ok_or_else(ApiError::not_found)?;
    if series.recurrence.is_empty() {
        return Err(ApiError::invalid("The event is not a recurring event."));
    }
    let mut wanted = Wanted::read(asked, now, None)?;
    wanted.single = true;
    let original = asked
        .query("originalStart")
        .map(|text| instant("originalStart", text));
    let original = original.transpose()?;
    let until = original.map_or(wanted.max, |original| wanted.max.max(original));
    let mut events = calendar.unchanged(&series, until);
    let changed = calendar.events.values();
    let changed = changed.filter(|one| one.series.as_deref() == Some(&series.id));
    events.extend(changed.cloned());
    let zone = calendar.zone();
    match original {
        Some(original) => events.retain(|one| {
            let start = one.original_start_time.as_ref();
            let at = start.and_then(|start| start.instant(&zone));
            at == Some(original) && (wanted.deleted || !one.is_cancelled())
        }),
        None => events.retain(|one| wanted.takes(one, calendar)),
    }
    let page = Page::of(asked, calendar.version, events)?;
    Ok(answer(asked, calendar, &email, page))
}

fn answer(asked: &Asked, calendar: &Calendar, email: &str, page: Page<Event>) -> Given {
    let items: Vec<Value> = page.items.iter().map(|event| event.shown(email)).collect();
    let mut body = json!({
        "kind": "calendar#events",
        "etag": format!("\"{}\"", calendar.version),
        "summary": email,
        "timeZone": calendar.time_zone,
        "accessRole": "owner",
        "items": items,
    });
    match page.next {
        Some(next) => body["nextPageToken"] = json!(next),
        None => {
            if let Some(token) = sync_token(asked, page.version) {
                body["nextSyncToken"] = json!(token);
            }
        }
    }
    body.into()
}
