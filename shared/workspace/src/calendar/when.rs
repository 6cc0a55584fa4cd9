//! A date, or a time in a zone, as in an iCalendar file.

use alfred_core::id::EventId;
use alfred_core::ports::EventTime;
use calcard::icalendar::{
    ICalendarEntry, ICalendarParameter, ICalendarProperty, ICalendarValueType,
};
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};

use super::vevent::Length;

/// The notation in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Day,
    /// With a `Z`.
    Utc,
    Floating,
    /// With a `TZID`, as the file names it.
    Zoned(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct When {
    pub local: DateTime,
    pub zone: TimeZone,
    pub form: Form,
}

/// Identifies an occurrence by the instant or day that the rule gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Key {
    At(Timestamp),
    Day(Date),
}

impl Key {
    /// `20261124T090000Z`, `20261124`.
    pub fn text(&self) -> String {
        match self {
            Self::At(at) => at.strftime("%Y%m%dT%H%M%SZ").to_string(),
            Self::Day(day) => day.strftime("%Y%m%d").to_string(),
        }
    }

    /// Splits an event id into series and occurrence. `None` if it isn't an id.
    pub fn of_id(id: &EventId) -> Option<(&str, Option<Self>)> {
        match id.as_str().split_once('_') {
            None => Some((id.as_str(), None)),
            Some((uid, key)) => Some((uid, Some(Self::parse(key)?))),
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        if let Some(local) = text.strip_suffix('Z') {
            let local = DateTime::strptime("%Y%m%dT%H%M%S", local).ok()?;
            let zoned = local.to_zoned(TimeZone::UTC).ok()?;
            return Some(Self::At(zoned.timestamp()));
        }
        Date::strptime("%Y%m%d", text).ok().map(Self::Day)
    }
}

impl When {
    pub fn new(local: DateTime, zone: TimeZone, form: Form) -> Self {
        Self { local, zone, form }
    }

    pub fn day(day: Date) -> Self {
        Self::new(
            day.to_datetime(jiff::civil::Time::midnight()),
            TimeZone::UTC,
            Form::Day,
        )
    }

    pub fn is_day(&self) -> bool {
        self.form == Form::Day
    }

    /// A time in a daylight saving gap is moved forward by the gap. Of a repeated time the first is meant.
    pub fn instant(&self) -> Option<Timestamp> {
        let zoned = self.zone.to_ambiguous_timestamp(self.local);
        zoned.compatible().ok()
    }

    pub fn in_utc(&self) -> Option<Self> {
        let local = TimeZone::UTC.to_datetime(self.instant()?);
        Some(Self::new(local, TimeZone::UTC, Form::Utc))
    }

    /// Another time in the same notation.
    pub fn at(&self, local: DateTime) -> Self {
        Self {
            local,
            ..self.clone()
        }
    }

    /// Another instant in the same notation if that is unambiguous, otherwise in UTC.
    pub fn at_instant(&self, at: Timestamp) -> Self {
        let same = self.at(self.zone.to_datetime(at));
        if !self.is_day() && same.instant() == Some(at) {
            return same;
        }
        Self::new(TimeZone::UTC.to_datetime(at), TimeZone::UTC, Form::Utc)
    }

    pub fn at_key(&self, key: Key) -> Self {
        match key {
            Key::At(at) => self.at_instant(at),
            Key::Day(day) => Self::day(day),
        }
    }

    pub fn key(&self) -> Option<Key> {
        match self.form {
            Form::Day => Some(Key::Day(self.local.date())),
            _ => self.instant().map(Key::At),
        }
    }

    /// The occurrence that this value names in a series with that start. Some programs write a date for a
    /// time, or a time for a date.
    pub fn key_in(&self, series: &Self) -> Option<Key> {
        match (self.is_day(), series.is_day()) {
            (true, false) => series
                .at(self.local.date().to_datetime(series.local.time()))
                .key(),
            (false, true) => Some(Key::Day(self.local.date())),
            _ => self.key(),
        }
    }

    /// `None` if the end is before it.
    pub fn until(&self, end: &Self) -> Option<Length> {
        if self.is_day() || end.is_day() {
            let days = self.local.date().until(end.local.date()).ok()?.get_days();
            // Some programs write the same day as start and end of an all-day event.
            let days = i64::from(days.max(i32::from(days == 0 && self.is_day())));
            return (days >= 0).then_some(Length::Nominal {
                days,
                more: SignedDuration::ZERO,
            });
        }
        let length = end.instant()?.duration_since(self.instant()?);
        (!length.is_negative()).then_some(Length::Exact(length))
    }

    /// The time of an event with this start and length.
    pub fn for_length(&self, length: Length) -> Option<EventTime> {
        let nominal = |days: i64| self.local.checked_add(days.days()).ok();
        if self.is_day() {
            let days = match length {
                Length::Exact(_) => 1,
                Length::Nominal { days, .. } => days.clamp(1, 3_000_000),
            };
            return Some(EventTime::AllDay {
                first: self.local.date(),
                last: nominal(days - 1)?.date(),
            });
        }
        let start = self.instant()?;
        let end = match length {
            Length::Exact(length) => start.checked_add(length).ok()?,
            Length::Nominal { days, more } => {
                let days = (0..=3_000_000).contains(&days).then_some(days)?;
                let end = self.at(nominal(days)?).instant()?;
                end.checked_add(more).ok()?
            }
        };
        (end >= start).then_some(EventTime::Timed { start, end })
    }

    pub fn property(&self, name: ICalendarProperty) -> ICalendarEntry {
        let entry = ICalendarEntry::new(name);
        let local = self.local.strftime("%Y%m%dT%H%M%S").to_string();
        match &self.form {
            Form::Day => entry
                .with_param(ICalendarParameter::value(ICalendarValueType::Date))
                .with_value(&local[..8]),
            Form::Utc => entry.with_value(local + "Z"),
            Form::Floating => entry.with_value(local),
            Form::Zoned(id) => entry
                .with_param(ICalendarParameter::tzid(id.replace('"', "")))
                .with_value(local),
        }
    }
}
