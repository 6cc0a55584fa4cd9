use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use crate::error::ApiError;

/// `EventDateTime`: a day, or a time in a zone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct When {
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    date_time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time_zone: Option<String>,
}

/// An RFC 3339 time with its offset.
pub(super) fn instant(field: &str, text: &str) -> Result<Timestamp, ApiError> {
    text.parse()
        .map_err(|_| ApiError::invalid(format!("Invalid value for: {field}: {text}")))
}

fn written(at: Timestamp, zone: &TimeZone) -> String {
    let zoned = at.to_zoned(zone.clone());
    let format = if zoned.offset().is_zero() {
        "%Y-%m-%dT%H:%M:%SZ"
    } else {
        "%Y-%m-%dT%H:%M:%S%:z"
    };
    zoned.strftime(format).to_string()
}

impl When {
    pub fn is_day(&self) -> bool {
        self.date.is_some()
    }

    /// Whether a series may start so: a time needs its zone.
    pub fn repeats(&self) -> bool {
        self.is_day() || self.time_zone.is_some()
    }

    pub fn zone(&self, calendar: &TimeZone) -> TimeZone {
        let named = self.time_zone.as_deref();
        let named = named.and_then(|name| TimeZone::get(name).ok());
        named.unwrap_or_else(|| calendar.clone())
    }

    /// In the form that is stored.
    pub fn checked(&self, field: &str, calendar: &TimeZone) -> Result<Self, ApiError> {
        let invalid = |what: &str| ApiError::new(400, "invalid", format!("Invalid {field} {what}"));
        let named = self.time_zone.as_deref();
        if named.is_some_and(|name| TimeZone::get(name).is_err()) {
            return Err(invalid("time zone."));
        }
        match (&self.date, &self.date_time) {
            (Some(date), None) => {
                let date: Date = date.parse().map_err(|_| invalid("time."))?;
                Ok(Self {
                    date: Some(date.to_string()),
                    ..Self::default()
                })
            }
            (None, Some(text)) => {
                let zone = self.zone(calendar);
                let at = match text.parse::<Timestamp>() {
                    Ok(at) => at,
                    Err(_) if named.is_none() => {
                        let what = format!("Missing time zone definition for {field} time.");
                        return Err(ApiError::new(400, "required", what));
                    }
                    Err(_) => {
                        let local = text.parse::<DateTime>().ok();
                        let zoned = local.and_then(|local| local.to_zoned(zone.clone()).ok());
                        zoned.ok_or_else(|| invalid("time."))?.timestamp()
                    }
                };
                Ok(Self {
                    date: None,
                    date_time: Some(written(at, &zone)),
                    time_zone: self.time_zone.clone(),
                })
            }
            _ => Err(invalid("time.")),
        }
    }

    /// Of a day, its midnight in the calendar's zone.
    pub fn instant(&self, calendar: &TimeZone) -> Option<Timestamp> {
        match (&self.date, &self.date_time) {
            (Some(date), _) => {
                let date: Date = date.parse().ok()?;
                Some(date.to_zoned(calendar.clone()).ok()?.timestamp())
            }
            (None, Some(text)) => text.parse().ok(),
            (None, None) => None,
        }
    }

    /// The local time.
    pub fn local(&self, calendar: &TimeZone) -> Option<DateTime> {
        match &self.date {
            Some(date) => Some(date.parse::<Date>().ok()?.to_datetime(Default::default())),
            None => Some(self.zone(calendar).to_datetime(self.instant(calendar)?)),
        }
    }

    /// The same at another local time. Hours that clocks skip are moved later.
    pub fn at(&self, local: DateTime, calendar: &TimeZone) -> Option<Self> {
        if self.is_day() {
            return Some(Self {
                date: Some(local.date().to_string()),
                ..Self::default()
            });
        }
        let zone = self.zone(calendar);
        let at = local.to_zoned(zone.clone()).ok()?.timestamp();
        Some(Self {
            date_time: Some(written(at, &zone)),
            ..self.clone()
        })
    }

    /// The end that is as long after `start` as this one is after `own`.
    pub fn moved(&self, own: &Self, start: &Self, calendar: &TimeZone) -> Option<Self> {
        if self.is_day() {
            let days = own.local(calendar)?.until(self.local(calendar)?).ok()?;
            let end = start.local(calendar)?.checked_add(days).ok()?;
            return self.at(end, calendar);
        }
        let (from, to) = (own.instant(calendar)?, self.instant(calendar)?);
        let length = to.duration_since(from);
        let end = start.instant(calendar)?.checked_add(length).ok()?;
        Some(Self {
            date_time: Some(written(end, &self.zone(calendar))),
            ..self.clone()
        })
    }

    /// The end of a date's id within its series.
    pub fn suffix(&self, calendar: &TimeZone) -> String {
        match (&self.date, self.instant(calendar)) {
            (Some(date), _) => date.replace('-', ""),
            (None, Some(at)) => at.strftime("%Y%m%dT%H%M%SZ").to_string(),
            (None, None) => String::new(),
        }
    }

    /// The start of the date with this suffix, in a series that starts like this.
    pub fn of_suffix(&self, suffix: &str, calendar: &TimeZone) -> Option<Self> {
        self.at(self.read(suffix, calendar)?, calendar)
    }

    /// The local time of a compact day, or of a compact instant if this isn't a day (RFC 5545, 3.3.10).
    pub fn read(&self, text: &str, calendar: &TimeZone) -> Option<DateTime> {
        if self.is_day() {
            let day = Date::strptime("%Y%m%d", text).ok()?;
            return Some(day.to_datetime(Default::default()));
        }
        let utc = DateTime::strptime("%Y%m%dT%H%M%SZ", text).ok()?;
        let at = utc.to_zoned(TimeZone::UTC).ok()?.timestamp();
        Some(self.zone(calendar).to_datetime(at))
    }
}
