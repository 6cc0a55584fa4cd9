//! How an event repeats: the part of RFC 5545's rules that Alfred makes. Calendars hold others too.

use jiff::ToSpan;
use jiff::civil::{Date, Time, Weekday};
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

use super::Span;

/// Between which numbers an interval lies, and a count.
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

/// In which steps an event repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frequency {
    /// By days.
    Daily,
    /// By weeks, which begin on Monday.
    Weekly,
    /// On the same day of a month; a month without that day is passed over.
    Monthly,
}

/// When it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RepeatEnd {
    /// Not by itself.
    Never,
    /// With this many occurrences, the first included.
    After(u16),
    /// With the last one of this day or before.
    On(Date),
}

/// A rule, written `FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE;UNTIL=20261231`. Days are those where the event is made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Recurrence {
    /// Its steps.
    pub frequency: Frequency,
    /// How many of them at once, 1 to 99.
    pub interval: u16,
    /// Days of the week, in order; empty for that of the first occurrence, and unless it is weekly.
    pub days: Vec<Weekday>,
    /// When it ends.
    pub end: RepeatEnd,
}

/// Why a text is no rule that is made here.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BadRule {
    /// A part that isn't known, or whose value isn't one.
    #[error(
        "has \u{201c}{0}\u{201d}, which isn't FREQ=DAILY, WEEKLY or MONTHLY, INTERVAL=1 to 99, BYDAY=MO,TU, COUNT=2 to 999 or UNTIL=YYYYMMDD."
    )]
    Part(String),
    /// It doesn't say how often.
    #[error("has no FREQ: write FREQ=DAILY, WEEKLY or MONTHLY.")]
    NoFrequency,
    /// Days of the week where they don't count.
    #[error("has BYDAY, which goes with FREQ=WEEKLY alone.")]
    DaysOfNoWeek,
    /// Two ends.
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

    /// The value of an `RRULE` for an event that starts at a time in this zone: there an end is an instant.
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
        // A day at the very end of time needs no end.
        self.without_end() + &end.unwrap_or_default()
    }

    /// Whether it can begin on this day.
    pub fn takes(&self, first: Date) -> bool {
        self.dates(first).next() == Some(first)
    }

    /// Its days from the first on, in order; without an end it goes on to the end of time.
    pub fn dates(&self, first: Date) -> impl Iterator<Item = Date> + '_ {
        let (most, last) = match self.end {
            RepeatEnd::Never => (usize::MAX, Date::MAX),
            RepeatEnd::After(count) => (usize::from(count), Date::MAX),
            RepeatEnd::On(last) => (usize::MAX, last),
        };
        let since_monday = i64::from(first.weekday().to_monday_zero_offset());
        let interval = i64::from(self.interval);
        let (from, step, width) = match self.frequency {
            Frequency::Daily => (first, interval.days(), 1),
            Frequency::Weekly => (
                first.saturating_sub(since_monday.days()),
                interval.weeks(),
                7,
            ),
            Frequency::Monthly => (first, interval.months(), 1),
        };
        let is_on = move |date: &Date| match (self.frequency, self.days.as_slice()) {
            (Frequency::Daily, _) => true,
            (Frequency::Weekly, []) => date.weekday() == first.weekday(),
            (Frequency::Weekly, days) => days.contains(&date.weekday()),
            // A shorter month gives its last day instead.
            (Frequency::Monthly, _) => date.day() == first.day(),
        };
        let days = from
            .series(step)
            .flat_map(move |date| date.series(1.day()).take(width));
        let ahead = days.skip_while(move |date| *date < first);
        ahead
            .take_while(move |date| *date <= last)
            .filter(is_on)
            .take(most)
    }

    /// When each occurrence is, at the first one's time of day in this zone; one that clocks skip is as late
    /// behind the hour before.
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
