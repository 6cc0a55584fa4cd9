//! An event as it is kept.

use jiff::civil::Date;
use serde_json::{Value, json};
use std::collections::BTreeMap;

use super::Calendar;
use super::series::Pattern;
use super::when::When;
use crate::error::ApiError;
use crate::mail::base36;

/// What an immutable id of an event begins with, and any other.
const IMMUTABLE: &str = "AAkALgAAAAAAHYQDEapmEc2byACqAC-EWg0B";
const REGULAR: &str = "AAMkAGUwNjQ4ZjIxLTQ3Y2YtNDVkYjABEAAQ-";

/// What somebody is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// They are invited.
    Invited,
    /// It has changed.
    Changed,
    /// It is off.
    Cancelled,
    /// Of a guest's answer; its organiser is.
    Answered,
}

/// A mail that Exchange would have sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    /// To whom.
    pub to: String,
    /// Why.
    pub told: Told,
    /// The words beside it.
    pub comment: String,
    /// The event as it is then.
    pub event: Value,
}

/// What may differ from date to date of a series.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub subject: String,
    /// Whatever was given, Exchange keeps HTML.
    pub html: String,
    pub location: String,
    pub when: When,
    pub attendees: Vec<Value>,
    /// The owner's own answer.
    pub response: String,
    pub show_as: String,
    pub is_cancelled: bool,
    /// Where to join it.
    pub join: Option<String>,
    /// Extended properties by id.
    pub properties: BTreeMap<String, String>,
    /// Counts its changes.
    pub changes: u64,
}

/// An event or a series.
#[derive(Clone, Debug)]
pub(super) struct Stored {
    pub organizer: Value,
    pub item: Item,
    pub pattern: Option<Pattern>,
    /// Dates of a series that were changed; `None` for deleted ones.
    pub dates: BTreeMap<Date, Option<Item>>,
}

/// An event, or one date of a series.
pub(super) type Place = (u64, Option<Date>);

impl Stored {
    /// It, or what it is on one date.
    pub fn on(&self, date: Option<Date>) -> Option<Item> {
        let Some(date) = date else {
            return Some(self.item.clone());
        };
        match self.dates.get(&date) {
            Some(changed) => changed.clone(),
            None => Some(Item {
                when: self.item.when.on(date),
                ..self.item.clone()
            }),
        }
    }

    /// The dates on which it is until a day, those that were moved by where they were.
    pub fn dates(&self, until: Date) -> Vec<Date> {
        let all = self.pattern.as_ref().map(|pattern| pattern.dates(until));
        let mut all = all.unwrap_or_default();
        all.retain(|date| !matches!(self.dates.get(date), Some(None)));
        all
    }
}

impl Calendar {
    /// Whether its owner organises an event.
    pub(super) fn is_own(&self, stored: &Stored) -> bool {
        stored.organizer["emailAddress"]["address"] == self.email.as_str()
    }

    pub(super) fn me(&self) -> Value {
        json!({"emailAddress": {"name": self.name, "address": self.email}})
    }

    pub(super) fn add(&mut self, stored: Stored) -> u64 {
        self.sequence += 1;
        self.events.insert(self.sequence, stored);
        self.sequence
    }

    pub(super) fn stored(&self, number: u64) -> Result<&Stored, ApiError> {
        self.events.get(&number).ok_or_else(ApiError::not_found)
    }

    pub(super) fn item(&self, (number, date): Place) -> Result<Item, ApiError> {
        let item = self.stored(number)?.on(date);
        item.ok_or_else(ApiError::not_found)
    }

    /// Changes an event, or one date of a series.
    pub(super) fn edit(
        &mut self,
        (number, date): Place,
        work: impl FnOnce(&mut Item),
    ) -> Result<(), ApiError> {
        let stored = self.events.get_mut(&number);
        let stored = stored.ok_or_else(ApiError::not_found)?;
        let mut item = stored.on(date).ok_or_else(ApiError::not_found)?;
        work(&mut item);
        item.changes += 1;
        match date {
            Some(date) => drop(stored.dates.insert(date, Some(item))),
            None => stored.item = item,
        }
        Ok(())
    }

    pub(super) fn remove(&mut self, (number, date): Place) {
        match (date, self.events.get_mut(&number)) {
            (Some(date), Some(stored)) => drop(stored.dates.insert(date, None)),
            _ => drop(self.events.remove(&number)),
        }
    }

    /// Which event or date an id of either kind means.
    pub(super) fn find(&self, id: &str) -> Result<Place, ApiError> {
        let rest = [IMMUTABLE, REGULAR].into_iter();
        let mut rest = rest.filter_map(|prefix| id.strip_prefix(prefix)?.strip_suffix('='));
        let malformed = || ApiError::new(400, "ErrorInvalidIdMalformed", "Id is malformed.");
        let rest = rest.next().ok_or_else(malformed)?;
        let (number, date) = rest.split_once('_').unwrap_or((rest, ""));
        let number = u64::from_str_radix(number, 36).map_err(|_| malformed())?;
        let stored = self.stored(number)?;
        if date.is_empty() {
            return Ok((number, None));
        }
        let date = Date::strptime("%Y%m%d", date).map_err(|_| malformed())?;
        match stored.dates(date).contains(&date) {
            true => Ok((number, Some(date))),
            false => Err(ApiError::not_found()),
        }
    }

    pub(super) fn told((number, date): Place, immutable: bool) -> String {
        let prefix = if immutable { IMMUTABLE } else { REGULAR };
        let date = date.map(|date| date.strftime("_%Y%m%d").to_string());
        format!("{prefix}{}{}=", base36(number), date.unwrap_or_default())
    }

    pub(super) fn change_key(&self, place: Place) -> Result<String, ApiError> {
        let (series, item) = (self.stored(place.0)?, self.item(place)?);
        Ok(format!("DwAAAB{}-{}", series.item.changes, item.changes))
    }
}
