//! Dates as people write them.

use jiff::ToSpan;
use jiff::civil::{Date, Weekday};

use crate::input::InputError;

/// Years in which something can be planned.
pub const YEARS: std::ops::RangeInclusive<i16> = 1900..=2199;

const WEEKDAYS: &str = "monday tuesday wednesday thursday friday saturday sunday";

const FORMS: &str = "It may be today, tomorrow, yesterday, a weekday or year-month-day.";

/// Reads a date: `YYYY-MM-DD`, today, tomorrow, yesterday, or a day of the week (its first occurrence from today on;
/// with "next" the first after today, with "last" the latest before). The year is one of `YEARS`.
pub fn parse_date(field: &str, text: &str, today: Date) -> Result<Date, InputError> {
    let trimmed = text.trim();
    let day = match digits(trimmed) {
        Some((year, month, day)) => calendar(year, month, day),
        None => relative(&trimmed.to_ascii_lowercase(), today)
            .ok_or_else(|| format!("is no date. {FORMS}")),
    };
    day.map_err(|problem| InputError::new(field, text, problem))
}

fn digits(text: &str) -> Option<(i16, i8, i8)> {
    let [year, month, day] = text.split('-').collect::<Vec<_>>().try_into().ok()?;
    let lengths = [year, month, day].map(str::len);
    let is_inner = |c: char| c == '-' || c.is_ascii_digit();
    let shaped = lengths == [4, 2, 2] && text.chars().all(is_inner);
    shaped.then_some((year.parse().ok()?, month.parse().ok()?, day.parse().ok()?))
}

fn calendar(year: i16, month: i8, day: i8) -> Result<Date, String> {
    if !YEARS.contains(&year) {
        return Err("is out of range: the year runs from 1900 to 2199.".to_owned());
    }
    let first = Date::new(year, month, 1)
        .map_err(|_| "doesn't exist: months run from 01 to 12.".to_owned())?;
    Date::new(year, month, day).map_err(|_| {
        let (month, days) = (first.strftime("%B %Y"), first.days_in_month());
        format!("doesn't exist: {month} has {days} days.")
    })
}

fn relative(text: &str, today: Date) -> Option<Date> {
    let (which, name) = text.rsplit_once(' ').unwrap_or(("", text));
    match (which.trim(), name) {
        ("", "today") => Some(today),
        ("", "tomorrow") => today.tomorrow().ok(),
        ("", "yesterday") => today.yesterday().ok(),
        ("day after" | "the day after", "tomorrow") => today.checked_add(2.days()).ok(),
        ("" | "on" | "this", _) if today.weekday() == weekday(name)? => Some(today),
        ("" | "on" | "this" | "next", _) => today.nth_weekday(1, weekday(name)?).ok(),
        ("last", _) => today.nth_weekday(-1, weekday(name)?).ok(),
        _ => None,
    }
}

/// A day of the week in lower case, by at least three letters: `mon`, `thurs`.
pub(crate) fn weekday(name: &str) -> Option<Weekday> {
    let mut days = WEEKDAYS.split(' ').zip(Weekday::Monday.cycle_forward());
    let is_named = |full: &str| name.len() >= 3 && full.starts_with(name);
    days.find_map(|(full, day)| is_named(full).then_some(day))
}
