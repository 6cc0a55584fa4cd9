//! Recurrence rules: the subset of RFC 5545 that Alfred creates. Calendars may contain others.

use jiff::ToSpan;
use jiff::civil::{Date, Time, Weekday};
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

use super::Span;

/// Allowed values of interval and count.
const INTERVAL: std::ops::RangeInclusive<u16> = 1..=99;
const COUNT: std::ops::RangeInclusive<u16> = 2..=999;

const DAYS: [(&str, Weekday); 7] = [
    ("MO", Weekday::Monday),
    ("TU", Weekday::Tuesday),
    ("WE", Weekday::Wednesday),
    ("TH", Weekday::Thursday),
    ("FR", Weekday::Friday),
    ("SA", Weekday::Saturday),
    ("SU", Weekday::Sunday),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frequency {
    Daily,
    /// Weeks start on Monday.
    Weekly,
    /// On the same day of the month. Months without that day are skipped.
    Monthly,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RepeatEnd {
    Never,
    /// After this many occurrences, including the first.
    After(u16),
    On(Date),
}

/// A rule, serialized as `FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE;UNTIL=20261231`. Days refer to the
/// event's time zone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Recurrence {
    pub frequency: Frequency,
    /// The interval, 1 to 99.
    pub interval: u16,
    /// Weekdays, sorted; only for weekly rules. Empty for the weekday of the first occurrence.
    pub days: Vec<Weekday>,
    pub end: RepeatEnd,
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BadRule {
    /// An unknown part or an invalid value.
    #[error(
        "has \u{201c}{0}\u{201d}, which isn't FREQ=DAILY, WEEKLY or MONTHLY, INTERVAL=1 to 99, BYDAY=MO,TU, COUNT=2 to 999 or UNTIL=YYYYMMDD."
    )]
    Part(String),
    #[error("has no FREQ: write FREQ=DAILY, WEEKLY or MONTHLY.")]
    NoFrequency,
    /// `BYDAY` in a rule that isn't weekly.
    #[error("has BYDAY, which goes with FREQ=WEEKLY alone.")]
    DaysOfNoWeek,
    #[error("has both COUNT and UNTIL; give one of them.")]
    TwoEnds,
}

impl FromStr for Recurrence {
    type Err = BadRule;

    fn from_str(text: &str) -> Result<Self, BadRule> {
        let text = text.trim().to_ascii_uppercase();
        let text = text.strip_prefix("RRULE:").unwrap_or(&text);
        let (mut frequency, mut interval, mut days) = (None, 1, Vec::new());
        let mut ends = Vec::new();
        for part in text.split(';').filter(|part| !part.is_empty()) {
            let bad = || BadRule::Part(part.chars().take(100).collect());
            let (name, value) = part.split_once('=').ok_or_else(bad)?;
            let number = |within: std::ops::RangeInclusive<u16>| {
                let number = value.parse().ok().filter(|number| within.contains(number));
                number.ok_or_else(bad)
            };
            match name {
                "FREQ" => frequency = Some(steps(value).ok_or_else(bad)?),
                "INTERVAL" => interval = number(INTERVAL)?,
                "BYDAY" => days = weekdays(value).ok_or_else(bad)?,
                "COUNT" => ends.push(RepeatEnd::After(number(COUNT)?)),
                "UNTIL" => {
                    let last = Date::strptime("%Y%m%d", value).map_err(|_| bad())?;
                    ends.push(RepeatEnd::On(last));
                }
                _ => return Err(bad()),
            }
        }
        let frequency = frequency.ok_or(BadRule::NoFrequency)?;
        if !days.is_empty() && frequency != Frequency::Weekly {
            return Err(BadRule::DaysOfNoWeek);
        }
        let end = match ends.as_slice() {
            [] => RepeatEnd::Never,
            [end] => *end,
            [..] => return Err(BadRule::TwoEnds),
        };
        Ok(Self {
            frequency,
            interval,
            days,
            end,
        })
    }
}

fn steps(value: &str) -> Option<Frequency> {
    match value {
        "DAILY" => Some(Frequency::Daily),
        "WEEKLY" => Some(Frequency::Weekly),
        "MONTHLY" => Some(Frequency::Monthly),
        _ => None,
    }
}

fn weekdays(value: &str) -> Option<Vec<Weekday>> {
    let day = |said: &str| DAYS.iter().find(|(name, _)| *name == said);
    let days: Option<Vec<_>> = value.split(',').map(|said| day(said.trim())).collect();
    let mut days: Vec<Weekday> = days?.into_iter().map(|(_, day)| *day).collect();
    days.sort_by_key(|day| day.to_monday_zero_offset());
    days.dedup();
    Some(days)
}

impl TryFrom<String> for Recurrence {
    type Error = BadRule;

    fn try_from(text: String) -> Result<Self, BadRule> {
        text.parse()
    }
}

impl From<Recurrence> for String {
    fn from(rule: Recurrence) -> Self {
        rule.to_string()
    }
}

impl fmt::Display for Recurrence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.without_end())?;
        match self.end {
            RepeatEnd::Never => Ok(()),
            RepeatEnd::After(count) => write!(f, ";COUNT={count}"),
            RepeatEnd::On(last) => write!(f, ";UNTIL={}", last.strftime("%Y%m%d")),
        }
    }
}

impl Recurrence {
    fn without_end(&self) -> String {
        let mut rule = match self.frequency {
            Frequency::Daily => "FREQ=DAILY".to_owned(),
            Frequency::Weekly => "FREQ=WEEKLY".to_owned(),
            Frequency::Monthly => "FREQ=MONTHLY".to_owned(),
        };
        if self.interval > 1 {
            rule.push_str(&format!(";INTERVAL={}", self.interval));
        }
        let named = DAYS.iter().filter(|(_, day)| self.days.contains(day));
        let named: Vec<&str> = named.map(|(name, _)| *name).collect();
        if !named.is_empty() {
            rule.push_str(&format!(";BYDAY={}", named.join(",")));
        }
        rule
    }

    /// The `RRULE` value for a timed event in this zone. There, `UNTIL` must be a moment in UTC.
    pub fn rrule(&self, zone: &TimeZone) -> String {
        let end = match self.end {
            RepeatEnd::On(last) => last
                .to_datetime(Time::constant(23, 59, 59, 0))
                .to_zoned(zone.clone())
                .map(|end| {
                    end.timestamp()
                        .strftime(";UNTIL=%Y%m%dT%H%M%SZ")
                        .to_string()
                }),
            RepeatEnd::Never | RepeatEnd::After(_) => return self.to_string(),
        };
        // The last days of the calendar need no end.
        self.without_end() + &end.unwrap_or_default()
    }

    /// Whether this day can be the first occurrence.
    pub fn takes(&self, first: Date) -> bool {
        self.dates(first).next() == Some(first)
    }

    /// The days of the rule, starting at the first. Without an end, it continues to the end of the calendar.
    pub fn dates(&self, first: Date) -> impl Iterator<Item = Date> + '_ {
        let (most, last) = match self.end {
            RepeatEnd::Never => (usize::MAX, Date::MAX),
            RepeatEnd::After(count) => (usize::from(count), Date::MAX),
            RepeatEnd::On(last) => (usize::MAX, last),
        };
        let since_monday = i64::from(first.weekday().to_monday_zero_offset());
        let monday = first.saturating_sub(since_monday.days());
        let interval = i64::from(self.interval);
        let (from, step, width) = match self.frequency {
            Frequency::Daily => (first, interval.days(), 1),
            Frequency::Weekly => (monday, interval.weeks(), 7),
            Frequency::Monthly => (first, interval.months(), 1),
        };
        let is_on = move |date: &Date| match (self.frequency, self.days.as_slice()) {
            (Frequency::Daily, _) => true,
            (Frequency::Weekly, []) => date.weekday() == first.weekday(),
            (Frequency::Weekly, days) => days.contains(&date.weekday()),
            // Adding months may end on the last day of a shorter month; such days are skipped.
            (Frequency::Monthly, _) => date.day() == first.day(),
        };
        let starts = from.series(step);
        let days = starts.flat_map(move |date| date.series(1.day()).take(width));
        days.skip_while(move |date| *date < first)
            .take_while(move |date| *date <= last)
            .filter(is_on)
            .take(most)
    }

    /// The time spans of the occurrences, at the same local time as the first. A time skipped by a
    /// clock change moves later by the length of the gap.
    pub fn spans(&self, first: Span, zone: TimeZone) -> impl Iterator<Item = Span> + '_ {
        let start = zone.to_datetime(first.start);
        let length = first.end.duration_since(first.start);
        self.dates(start.date()).map_while(move |date| {
            let start = date.to_datetime(start.time()).to_zoned(zone.clone());
            let start = start.ok()?.timestamp();
            let end = start.checked_add(length).ok()?;
            Some(Span { start, end })
        })
    }
}

#[cfg(test)]
#[path = "recurrence_tests.rs"]
mod tests;
