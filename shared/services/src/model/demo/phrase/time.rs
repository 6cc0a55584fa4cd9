//! Times and dates in words.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Unit, Zoned};
use serde_json::Value;

use super::{Outcome, day, text, with_note};
use crate::model::demo::intent::{Wait, Wanted};
use crate::model::demo::lex::fold;

/// `America/Argentina/Buenos_Aires` → `Buenos Aires`.
fn city(zone: &str) -> String {
    zone.rsplit('/').next().unwrap_or(zone).replace('_', " ")
}

impl Outcome {
    /// The nth place of the call, as the person wrote it, with the zone that was taken for it.
    fn place(&self, nth: usize, zone: &str) -> String {
        let known = city(zone);
        let written = self.places.get(nth).map(String::as_str);
        match written.filter(|written| !written.contains('/')) {
            Some(written) if !zone.starts_with("UTC") && fold(written) != fold(&known) => {
                format!("{} ({zone})", as_name(written))
            }
            _ => known,
        }
    }
}

/// "quito" → "Quito", "la" → "LA".
fn as_name(written: &str) -> String {
    if written.contains(char::is_uppercase) {
        return written.to_owned();
    }
    if written.len() <= 3 {
        return written.to_uppercase();
    }
    let words: Vec<String> = written
        .split(' ')
        .map(crate::model::demo::dates::capitalised)
        .collect();
    words.join(" ")
}

/// `(CET, UTC+01:00)`.
fn zone_note(local: &Value) -> String {
    let (short, offset) = (text(local, "abbreviation"), text(local, "utcOffset"));
    match (short.starts_with(char::is_alphabetic), offset.is_empty()) {
        (true, false) => format!("{short}, UTC{offset}"),
        (true, true) => short.into(),
        (false, false) => format!("UTC{offset}"),
        (false, true) => text(local, "timezone").into(),
    }
}

pub(super) fn time_now(outcome: &Outcome) -> String {
    let data = &outcome.data;
    match &outcome.wanted {
        Wanted::Wait(wait) => {
            return wait_left(data, wait).unwrap_or_else(|| {
                "I know the time there, but couldn't work out how long that is.".into()
            });
        }
        Wanted::Zone => {
            return format!(
                "Your time zone is {} ({}); it is {} there now.",
                text(data, "timezone"),
                zone_note(data),
                text(data, "time")
            );
        }
        Wanted::All
        | Wanted::Weekday(_)
        | Wanted::Due(_)
        | Wanted::Change(_)
        | Wanted::Archive { .. } => {}
    }
    let place = match outcome.arguments.get("timezone") {
        Some(_) => format!("In {} it", outcome.place(0, text(data, "timezone"))),
        None => "It".into(),
    };
    format!(
        "{place} is {} on {} ({}).",
        text(data, "time"),
        day(data),
        zone_note(data)
    )
}

pub(super) fn time_convert(outcome: &Outcome) -> String {
    let data = &outcome.data;
    let (from, to) = (&data["from"], &data["to"]);
    let mut line = format!(
        "{} in {} is {} in {}",
        text(from, "time"),
        outcome.place(0, text(from, "timezone")),
        text(to, "time"),
        outcome.place(1, text(to, "timezone"))
    );
    if text(from, "date") == text(to, "date") {
        line.push_str(&format!(" on {}.", day(to)));
    } else {
        line.push_str(&format!(" on {} (from {}).", day(to), day(from)));
    }
    with_note(line, data.pointer("/resolution/explanation"))
}

pub(super) fn time_add(outcome: &Outcome) -> String {
    let data = &outcome.data;
    if let Wanted::Weekday(name) = &outcome.wanted {
        return weekday(&data["result"], *name);
    }
    let (start, result) = (&data["start"], &data["result"]);
    let line = format!(
        "That is {} on {} in {} ({}), counted from {} on {}.",
        text(result, "time"),
        day(result),
        outcome.place(0, text(result, "timezone")),
        zone_note(result),
        text(start, "time"),
        day(start)
    );
    let line = with_note(line, data.pointer("/startResolution/explanation"));
    let line = with_note(line, data.pointer("/resolution/explanation"));
    with_note(line, data.get("note"))
}

/// "Christmas Day, 25 December 2026, is a Friday."
fn weekday(there: &Value, name: Option<&str>) -> String {
    let Ok(date) = text(there, "date").parse::<Date>() else {
        return format!("That is {}.", day(there));
    };
    let (date, weekday) = (date.strftime("%-d %B %Y"), date.strftime("%A"));
    match name {
        Some(name) => format!(
            "{}, {date}, is a {weekday}.",
            crate::model::demo::dates::capitalised(name)
        ),
        None => format!("{date} is a {weekday}."),
    }
}

/// How long it is from the time that was told until then.
fn wait_left(data: &Value, wait: &Wait) -> Option<String> {
    let at: Timestamp = text(data, "dateTime").parse().ok()?;
    let zone = TimeZone::get(text(data, "timezone")).ok()?;
    let now = at.to_zoned(zone);
    let minutes = wait.clock.map_or(0, |clock| clock.minutes);
    let then = |day: Date| {
        let midnight = day.at(0, 0, 0, 0);
        let wall = midnight
            .checked_add(jiff::Span::new().minutes(minutes))
            .ok()?;
        wall.to_zoned(now.time_zone().clone()).ok()
    };
    let target = match wait.day {
        Some(day) => then(day)?,
        None => {
            let today = then(now.date())?;
            if today > now {
                today
            } else {
                then(now.date().tomorrow().ok()?)?
            }
        }
    };
    let until = if wait.clock.is_some() {
        target.strftime("%H:%M on %A, %-d %B %Y").to_string()
    } else {
        target.strftime("%A, %-d %B %Y").to_string()
    };
    if target <= now {
        return Some(format!("That is past already: {until}."));
    }
    Some(format!("{} until {until}.", counted(&now, &target, wait)?))
}

/// In the unit that was asked for, and the next smaller one for what is over.
fn counted(now: &Zoned, target: &Zoned, wait: &Wait) -> Option<String> {
    let whole_days = wait.clock.is_none();
    let unit = wait
        .unit
        .unwrap_or(if whole_days { Unit::Day } else { Unit::Hour });
    // Days are those of the calendar: tomorrow is one day away at any hour.
    let coarse = matches!(unit, Unit::Day | Unit::Week | Unit::Month);
    let span = if whole_days && coarse {
        now.date().until((unit, target.date())).ok()?
    } else {
        now.until((unit, target)).ok()?
    };
    let parts = [
        (i64::from(span.get_months()), "month"),
        (i64::from(span.get_weeks()), "week"),
        (i64::from(span.get_days()), "day"),
        (i64::from(span.get_hours()), "hour"),
        (span.get_minutes(), "minute"),
    ];
    let said: Vec<String> = parts
        .iter()
        .filter(|(n, _)| *n != 0)
        .map(|(n, unit)| format!("{n} {unit}{}", if *n == 1 { "" } else { "s" }))
        .collect();
    Some(match said.as_slice() {
        [] => "Less than a minute".into(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    })
}
