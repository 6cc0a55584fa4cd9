//! Lists of events: what touches a span, what has an extended property, and the dates of a series.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::event::Place;
use super::when::zone;
use super::{Calendar, shown};
use crate::asked::Asked;
use crate::error::ApiError;
use crate::exchange::Given;
use crate::mail::next_link;

/// The most of a page.
const PAGE: usize = 1_000;

fn bad(what: &str) -> ApiError {
    ApiError::new(400, "ErrorInvalidUrlQuery", what)
}

fn span(asked: &Asked) -> Result<(Timestamp, Timestamp), ApiError> {
    let at = |name: &str| {
        let text = asked.query(name).unwrap_or_default();
        text.parse::<Timestamp>().map_err(|_| bad(name))
    };
    let (from, to) = (at("startDateTime")?, at("endDateTime")?);
    (from <= to)
        .then_some((from, to))
        .ok_or_else(|| bad("endDateTime"))
}

fn page(calendar: &Calendar, places: &[Place], asked: &Asked) -> Result<Given, ApiError> {
    let number = |name: &str, otherwise| match asked.query(name) {
        Some(text) => text.parse().map_err(|_| bad(name)),
        None => Ok(otherwise),
    };
    let (top, skip) = (number("$top", 10)?, number("$skiptoken", 0)?);
    if !(1..=PAGE).contains(&top) {
        return Err(bad("$top"));
    }
    let some = places.iter().skip(skip).take(top);
    let some = some.map(|place| shown::event(calendar, *place, asked));
    let mut answer = json!({"value": some.collect::<Result<Vec<_>, _>>()?});
    if skip + top < places.len() {
        answer["@odata.nextLink"] = json!(next_link(asked, skip + top));
    }
    Ok(Given::Json(200, answer))
}

impl Calendar {
    /// All dates of an event that touch a span, with when they begin.
    pub(super) fn touching(
        &self,
        number: u64,
        (from, to): (Timestamp, Timestamp),
    ) -> Result<Vec<(Timestamp, Place)>, ApiError> {
        let stored = self.stored(number)?;
        // What was moved may have been later.
        let until = zone(&stored.item.when.zone)?.to_datetime(to).date();
        let until = until.saturating_add(jiff::ToSpan::days(40));
        let dates = match stored.pattern {
            Some(_) => stored.dates(until).into_iter().map(Some).collect(),
            None => vec![None],
        };
        let mut found = Vec::new();
        for date in dates {
            let item = self.item((number, date))?;
            let (start, end) = item.when.instants(&self.zone)?;
            if start < to && (end > from || start >= from) {
                found.push((start, (number, date)));
            }
        }
        Ok(found)
    }
}

pub(super) fn view(calendar: &Calendar, asked: &Asked) -> Result<Given, ApiError> {
    asked.only(&[
        "startDateTime",
        "endDateTime",
        "$select",
        "$top",
        "$skiptoken",
    ])?;
    let span = span(asked)?;
    let mut found = Vec::new();
    for number in calendar.events.keys() {
        found.extend(calendar.touching(*number, span)?);
    }
    found.sort();
    let places: Vec<Place> = found.into_iter().map(|(_, place)| place).collect();
    page(calendar, &places, asked)
}

pub(super) fn instances(calendar: &Calendar, asked: &Asked, id: &str) -> Result<Given, ApiError> {
    asked.only(&[
        "startDateTime",
        "endDateTime",
        "$select",
        "$top",
        "$skiptoken",
    ])?;
    let (number, date) = calendar.find(id)?;
    if date.is_some() || calendar.stored(number)?.pattern.is_none() {
        return Err(ApiError::new(
            400,
            "ErrorInvalidRequest",
            "It is no series.",
        ));
    }
    let found = calendar.touching(number, span(asked)?)?;
    let places: Vec<Place> = found.into_iter().map(|(_, place)| place).collect();
    page(calendar, &places, asked)
}

/// Events and series with an extended property of this value.
pub(super) fn by_property(calendar: &Calendar, asked: &Asked) -> Result<Given, ApiError> {
    asked.only(&["$filter", "$select", "$top"])?;
    let filter = asked.query("$filter").unwrap_or_default();
    let inner = filter.strip_prefix("singleValueExtendedProperties/Any(ep: ep/id eq '");
    let both = inner.and_then(|inner| {
        let (id, value) = inner.split_once("' and ep/value eq '")?;
        Some((id, value.strip_suffix("')")?))
    });
    let (id, value) = both.ok_or_else(|| bad("$filter"))?;
    let has = |number: &u64| {
        let stored = calendar.stored(*number);
        stored.is_ok_and(|stored| stored.item.properties.get(id).is_some_and(|v| v == value))
    };
    let places: Vec<Place> = calendar
        .events
        .keys()
        .copied()
        .filter(has)
        .map(|n| (n, None))
        .collect();
    page(calendar, &places, asked)
}

impl Calendar {
    /// Everything there is, as its owner sees it: events and series.
    pub fn kept(&self) -> Vec<Value> {
        let places = self.events.keys().map(|number| (*number, None));
        let shown = places.map(|place| shown::event(self, place, &Asked::of_owner()));
        shown.filter_map(Result::ok).collect()
    }
}
