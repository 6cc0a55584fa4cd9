//! The dates of a series. The stand-in takes one `RRULE`; exceptions are events of their own.

use chrono::DateTime as ChronoDateTime;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use rrule::{RRule, RRuleSet, Tz, Unvalidated};

use super::event::Event;
use super::when::When;
use crate::error::ApiError;

/// With other parts a rule may match no date, and the search for one takes minutes.
const PARTS: [&str; 6] = ["FREQ", "INTERVAL", "COUNT", "UNTIL", "BYDAY", "WKST"];
const STEPS: [&str; 4] = ["DAILY", "WEEKLY", "MONTHLY", "YEARLY"];
/// In bytes.
const LONGEST: usize = 500;
/// Dates of a series; every day for 27 years.
const MOST: usize = 10_000;

struct Rule {
    set: RRuleSet,
    /// The last local time it allows.
    last: DateTime,
}

pub(super) fn check(event: &Event, calendar: &TimeZone) -> Result<(), ApiError> {
    if event.recurrence.is_empty() || rule(event, calendar).is_some() {
        return Ok(());
    }
    let message = format!("Invalid recurrence rule: {:?}", event.recurrence);
    Err(ApiError::new(400, "invalid", message))
}

/// The starts up to and including an instant.
pub(super) fn starts(event: &Event, calendar: &TimeZone, until: Timestamp) -> Vec<When> {
    let Some(Rule { set, last }) = rule(event, calendar) else {
        return Vec::new();
    };
    let last = last.min(event.start.zone(calendar).to_datetime(until));
    let locals = set.into_iter().take(MOST).map_while(|at| local(&at));
    let starts = locals.take_while(|local| *local <= last);
    let at = |local| event.start.at(local, calendar);
    starts.filter_map(at).collect()
}

fn rule(event: &Event, calendar: &TimeZone) -> Option<Rule> {
    let [line] = event.recurrence.as_slice() else {
        return None;
    };
    let text = line.strip_prefix("RRULE:")?;
    // The library panics at letters that no rule has.
    let fits = |c: char| c.is_ascii_alphanumeric() || "=;,+-".contains(c);
    if text.len() > LONGEST || !text.chars().all(fits) {
        return None;
    }
    let mut last = DateTime::MAX;
    let mut parts = Vec::new();
    for part in text.split(';') {
        match part.split_once('=')? {
            ("UNTIL", until) => last = event.start.read(until, calendar)?,
            ("FREQ", step) if !STEPS.contains(&step) => return None,
            (name, _) if !PARTS.contains(&name) => return None,
            _ => parts.push(part),
        }
    }
    let rule: RRule<Unvalidated> = parts.join(";").parse().ok()?;
    let start = as_utc(event.start.local(calendar)?)?;
    Some(Rule {
        set: rule.build(start).ok()?,
        last,
    })
}

/// A rule counts local time, so it is unrolled as if there were no zones.
fn as_utc(local: DateTime) -> Option<ChronoDateTime<Tz>> {
    let at = local.to_zoned(TimeZone::UTC).ok()?.timestamp();
    let at = ChronoDateTime::from_timestamp(at.as_second(), 0)?;
    Some(at.with_timezone(&Tz::UTC))
}

fn local(at: &ChronoDateTime<Tz>) -> Option<DateTime> {
    let at = Timestamp::from_second(at.timestamp()).ok()?;
    Some(TimeZone::UTC.to_datetime(at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{from_value, json};

    #[test]
    fn only_rules_that_end_soon_are_unrolled() {
        let long = format!("RRULE:FREQ=DAILY;BYDAY={}", "MO,".repeat(200));
        for (rule, taken) in [
            ("RRULE:FREQ=WEEKLY;BYDAY=FR;COUNT=3", true),
            ("RRULE:FREQ=DAILY;UNTIL=20261201T235959Z", true),
            ("RRULE:FREQ=DAILY;UNTIL=20261201", false),
            ("RRULE:FREQ=SECONDLY", false),
            ("RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", false),
            ("RRULE:FREQ=WEEKLY;BYDAY=€", false),
            ("FREQ=DAILY", false),
            (&long, false),
        ] {
            let start = json!({"dateTime": "2026-11-27T12:00:00Z", "timeZone": "Europe/Lisbon"});
            let event = json!({"start": start, "end": start, "recurrence": [rule]});
            let event: Event = from_value(event).unwrap();
            assert_eq!(check(&event, &TimeZone::UTC).is_ok(), taken, "{rule}");
        }
    }
}
