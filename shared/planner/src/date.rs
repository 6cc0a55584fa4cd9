//! Dates as people write them.

use jiff::ToSpan;
use jiff::civil::{Date, Weekday};

use crate::input::InputError;

/// Years in which something can be planned.
pub const YEARS: std::ops::RangeInclusive<i16> = 1900..=2199;

const WEEKDAYS: &str = "monday tuesday wednesday thursday friday saturday sunday";

const FORMS: &str = "A date such as 2026-11-27, today, tomorrow, yesterday or friday would do.";

/// Reads a date: `YYYY-MM-DD`, today, tomorrow, yesterday, or a day of the week (its first occurrence from today on;
/// with "next" the first after today, with "last" the latest before).
///
/// # Errors
/// Names the field and the value: 31 February, a year outside 1900–2199, other words.
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
    let is_shaped = |(at, byte): (usize, u8)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    };
    let shaped = text.len() == 10 && text.bytes().enumerate().all(is_shaped);
    let (year, rest) = text.split_once('-').filter(|_| shaped)?;
    let (month, day) = rest.split_once('-')?;
    Some((year.parse().ok()?, month.parse().ok()?, day.parse().ok()?))
}

fn calendar(year: i16, month: i8, day: i8) -> Result<Date, String> {
    if !YEARS.contains(&year) {
        return Err("is out of range: the year runs from 1900 to 2199.".to_owned());
    }
    let first = Date::new(year, month, 1)
        .map_err(|_| "does not exist: months run from 01 to 12.".to_owned())?;
    Date::new(year, month, day).map_err(|_| {
        let (month, days) = (first.strftime("%B %Y"), first.days_in_month());
        format!("does not exist: {month} has {days} days.")
    })
}

fn relative(text: &str, today: Date) -> Option<Date> {
    match text {
        "today" => return Some(today),
        "tomorrow" => return today.tomorrow().ok(),
        "yesterday" => return today.yesterday().ok(),
        "day after tomorrow" | "the day after tomorrow" => {
            return today.checked_add(2.days()).ok();
        }
        _ => {}
    }
    let (which, name) = text.rsplit_once(' ').unwrap_or(("", text));
    let wanted = weekday(name)?;
    match which.trim() {
        "" | "on" | "this" if today.weekday() == wanted => Some(today),
        "" | "on" | "this" | "next" => today.nth_weekday(1, wanted).ok(),
        "last" => today.nth_weekday(-1, wanted).ok(),
        _ => None,
    }
}

/// A day of the week in lower case, by at least three letters: `mon`, `thurs`.
pub(crate) fn weekday(name: &str) -> Option<Weekday> {
    let mut days = WEEKDAYS.split(' ').zip(Weekday::Monday.cycle_forward());
    let is_named = |full: &str| name.len() >= 3 && full.starts_with(name);
    days.find_map(|(full, day)| is_named(full).then_some(day))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::check;
    use jiff::civil::date;
    use proptest::prelude::*;

    const SATURDAY: Date = date(2026, 11, 21);

    #[test]
    fn words_count_from_the_reference_date() {
        check("words count from the reference date", |[text]| {
            let found = parse_date("date", &format!(" {text} "), SATURDAY);
            found.unwrap().to_string()
        });
    }

    #[test]
    fn an_invalid_date_is_named_with_its_field() {
        check("an invalid date is named with its field", |[text]| {
            let error = parse_date("dueDate", text, SATURDAY).unwrap_err();
            error.to_string()
        });
    }

    proptest! {
        #[test]
        fn a_written_date_is_the_date(y in 1900_i16..=2199, m in 1_i8..=12, d in 1_i8..=31) {
            let text = format!("{y:04}-{m:02}-{d:02}");
            prop_assert_eq!(parse_date("d", &text, SATURDAY).ok(), Date::new(y, m, d).ok());
        }

        #[test]
        fn a_weekday_is_within_the_next_week(offset in 0_i32..4_000, day in 0_usize..7) {
            let name = WEEKDAYS.split(' ').nth(day).unwrap();
            let today = SATURDAY + offset.days();
            let found = parse_date("d", name, today).unwrap();
            prop_assert!((0..7).contains(&(found - today).get_days()));
            prop_assert_eq!(usize::try_from(found.weekday().to_monday_zero_offset()).unwrap(), day);
            let next = parse_date("d", &format!("next {name}"), today).unwrap();
            prop_assert!((1..=7).contains(&(next - today).get_days()));
        }
    }
}
