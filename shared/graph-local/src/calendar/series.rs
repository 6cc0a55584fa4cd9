//! How an event repeats (<https://learn.microsoft.com/graph/api/resources/patternedrecurrence>).

use jiff::ToSpan;
use jiff::civil::{Date, Weekday};
use serde_json::Value;

use super::when::{When, zone};
use crate::error::ApiError;

/// The most dates that are told of.
const MOST: usize = 5_000;
const WEEK: [(&str, Weekday); 7] = [
    ("monday", Weekday::Monday),
    ("tuesday", Weekday::Tuesday),
    ("wednesday", Weekday::Wednesday),
    ("thursday", Weekday::Thursday),
    ("friday", Weekday::Friday),
    ("saturday", Weekday::Saturday),
    ("sunday", Weekday::Sunday),
];

#[derive(Clone, Debug)]
enum Steps {
    Daily,
    /// On these days of weeks that begin on this one.
    Weekly(Vec<Weekday>, Weekday),
    Monthly,
}

/// A rule and how long it holds.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    steps: Steps,
    interval: i64,
    first: Date,
    last: Date,
    most: usize,
}

fn invalid(what: &str) -> ApiError {
    ApiError::new(400, "ErrorPropertyValidationFailure", what)
}

/// Nothing but these fields, and each of them.
fn exactly(value: &Value, fields: &[&str]) -> Result<(), ApiError> {
    let given = value.as_object().ok_or_else(|| invalid("recurrence"))?;
    let all = given.len() == fields.len() && fields.iter().all(|name| given.contains_key(*name));
    all.then_some(()).ok_or_else(|| invalid("recurrence"))
}

fn weekday(name: &Value) -> Result<Weekday, ApiError> {
    let mut week = WEEK.iter();
    let known = week.find(|(known, _)| name == known);
    known
        .map(|(_, day)| *day)
        .ok_or_else(|| invalid("dayOfWeek"))
}

fn date(value: &Value) -> Result<Date, ApiError> {
    let day = value.as_str().and_then(|text| text.parse().ok());
    day.ok_or_else(|| invalid("a date"))
}

impl Pattern {
    /// `None` where it is once.
    pub fn read(given: &Value, when: &When) -> Result<Option<Self>, ApiError> {
        if given.is_null() {
            return Ok(None);
        }
        let (pattern, range) = (&given["pattern"], &given["range"]);
        let steps = match pattern["type"].as_str() {
            Some("daily") => {
                exactly(pattern, &["type", "interval"])?;
                Steps::Daily
            }
            Some("weekly") => {
                exactly(
                    pattern,
                    &["type", "interval", "daysOfWeek", "firstDayOfWeek"],
                )?;
                let days = pattern["daysOfWeek"].as_array().into_iter().flatten();
                let days = days.map(weekday).collect::<Result<Vec<_>, _>>()?;
                Steps::Weekly(days, weekday(&pattern["firstDayOfWeek"])?)
            }
            Some("absoluteMonthly") => {
                exactly(pattern, &["type", "interval", "dayOfMonth"])?;
                if pattern["dayOfMonth"] != when.start.day() {
                    return Err(invalid("dayOfMonth"));
                }
                Steps::Monthly
            }
            _ => return Err(invalid("pattern.type")),
        };
        let common = ["type", "startDate", "recurrenceTimeZone"];
        let (mut last, mut most) = (Date::MAX, MOST);
        match range["type"].as_str() {
            Some("noEnd") => exactly(range, &common)?,
            Some("endDate") => {
                exactly(range, &[&common[..], &["endDate"]].concat())?;
                last = date(&range["endDate"])?;
            }
            Some("numbered") => {
                exactly(range, &[&common[..], &["numberOfOccurrences"]].concat())?;
                let number = range["numberOfOccurrences"].as_u64();
                let number = number.and_then(|number| usize::try_from(number).ok());
                most = number.ok_or_else(|| invalid("numberOfOccurrences"))?;
            }
            _ => return Err(invalid("range.type")),
        }
        let first = date(&range["startDate"])?;
        let named = range["recurrenceTimeZone"].as_str().unwrap_or_default();
        zone(named)?;
        if first != when.start.date() || named != when.zone {
            return Err(invalid("range"));
        }
        let interval = pattern["interval"]
            .as_i64()
            .filter(|n| (1..=99).contains(n));
        Ok(Some(Self {
            steps,
            interval: interval.ok_or_else(|| invalid("interval"))?,
            first,
            last,
            most,
        }))
    }

    /// Its dates until a day and with it. A month without the day has it on its last one.
    pub fn dates(&self, until: Date) -> Vec<Date> {
        let all: Box<dyn Iterator<Item = Date>> = match &self.steps {
            Steps::Daily => Box::new(self.first.series(self.interval.days())),
            Steps::Monthly => Box::new(self.first.series(self.interval.months())),
            Steps::Weekly(days, begins) => {
                let since = i64::from(begins.until(self.first.weekday()));
                let week = self.first.saturating_sub(since.days());
                let weeks = week.series(self.interval.weeks());
                let each = weeks.flat_map(|week| week.series(1.day()).take(7));
                let each = each.skip_while(|date| *date < self.first);
                Box::new(
                    each.take_while(move |date| *date <= until)
                        .filter(|date| days.contains(&date.weekday())),
                )
            }
        };
        let last = self.last.min(until);
        all.take_while(|date| *date <= last)
            .take(self.most)
            .collect()
    }
}
