//! Dates as people write them.

use jiff::ToSpan;
use jiff::civil::{Date, Weekday};

use crate::input::InputError;

/// Years in which something can be planned.
pub const YEARS: std::ops::RangeInclusive<i16> = 1900..=2199;

const FORMS: &str = "A date such as 2026-11-27, today, tomorrow, yesterday or friday would do.";

/// Reads a date: `YYYY-MM-DD`, today, tomorrow, yesterday, or a day of the week
/// (its first occurrence from today on; after "next" the first after today,
/// after "last" the latest before).
///
/// # Errors
/// Names the field and the value: 31 February, a year outside 1900–2199, other words.
pub fn parse_date(field: &str, text: &str, today: Date) -> Result<Date, InputError> {
    let error = |problem: String| InputError::new(field, text, problem);
    let trimmed = text.trim();
    if let Some((year, month, day)) = digits(trimmed) {
        return calendar(year, month, day).map_err(error);
    }
    relative(&trimmed.to_ascii_lowercase(), today)
        .ok_or_else(|| error(format!("is no date. {FORMS}")))
}

fn digits(text: &str) -> Option<(i16, i8, i8)> {
    let shaped = text.len() == 10
        && text.bytes().enumerate().all(|(i, b)| match i {
            4 | 7 => b == b'-',
            _ => b.is_ascii_digit(),
        });
    if !shaped {
        return None;
    }
    Some((
        text[..4].parse().ok()?,
        text[5..7].parse().ok()?,
        text[8..].parse().ok()?,
    ))
}

fn calendar(year: i16, month: i8, day: i8) -> Result<Date, String> {
    if !YEARS.contains(&year) {
        return Err(format!(
            "is out of range: the year runs from {} to {}.",
            YEARS.start(),
            YEARS.end()
        ));
    }
    let first = Date::new(year, month, 1)
        .map_err(|_| "does not exist: months run from 01 to 12.".to_owned())?;
    Date::new(year, month, day).map_err(|_| {
        format!(
            "does not exist: {} has {} days.",
            first.strftime("%B %Y"),
            first.days_in_month()
        )
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

fn weekday(name: &str) -> Option<Weekday> {
    Some(match name {
        "monday" | "mon" => Weekday::Monday,
        "tuesday" | "tue" | "tues" => Weekday::Tuesday,
        "wednesday" | "wed" => Weekday::Wednesday,
        "thursday" | "thu" | "thur" | "thurs" => Weekday::Thursday,
        "friday" | "fri" => Weekday::Friday,
        "saturday" | "sat" => Weekday::Saturday,
        "sunday" | "sun" => Weekday::Sunday,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;
    use proptest::prelude::*;

    const SATURDAY: Date = date(2026, 11, 21);

    #[test]
    fn words_count_from_the_reference_date() {
        for (text, expected) in [
            ("2026-02-28", date(2026, 2, 28)),
            ("2028-02-29", date(2028, 2, 29)),
            ("today", SATURDAY),
            ("Tomorrow", date(2026, 11, 22)),
            ("yesterday", date(2026, 11, 20)),
            ("day after tomorrow", date(2026, 11, 23)),
            ("saturday", SATURDAY),
            ("next Saturday", date(2026, 11, 28)),
            ("last saturday", date(2026, 11, 14)),
            ("mon", date(2026, 11, 23)),
            ("on Friday", date(2026, 11, 27)),
            (" this sunday ", date(2026, 11, 22)),
        ] {
            assert_eq!(
                parse_date("date", text, SATURDAY).unwrap(),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_no_date_is_named_with_its_field() {
        for (text, part) in [
            ("2026-02-31", "February 2026 has 28 days"),
            ("2026-02-29", "28 days"),
            ("2026-13-01", "months run"),
            ("2026-00-10", "months run"),
            ("2026-11-00", "30 days"),
            ("0000-01-01", "out of range"),
            ("9999-12-31", "out of range"),
            ("31 February", "is no date"),
            ("21.11.2026", "is no date"),
            ("2026-1-1", "is no date"),
            ("2026-11-21T10:00", "is no date"),
            ("some monday", "is no date"),
            ("", "is no date"),
            ("２０２６-01-01", "is no date"),
        ] {
            let error = parse_date("dueDate", text, SATURDAY)
                .unwrap_err()
                .to_string();
            assert!(
                error.starts_with(&format!("dueDate: \"{text}\" ")),
                "{error}"
            );
            assert!(error.contains(part), "{error}");
        }
    }

    proptest! {
        #[test]
        fn a_written_date_is_the_date(y in 1900_i16..=2199, m in 1_i8..=12, d in 1_i8..=31) {
            let text = format!("{y:04}-{m:02}-{d:02}");
            prop_assert_eq!(parse_date("d", &text, SATURDAY).ok(), Date::new(y, m, d).ok());
        }

        #[test]
        fn a_weekday_is_within_the_next_week(offset in 0_i32..4_000, day in 0_usize..7) {
            let names = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
            let today = SATURDAY + offset.days();
            let found = parse_date("d", names[day], today).unwrap();
            let ahead = (found - today).get_days();
            prop_assert!((0..7).contains(&ahead));
            prop_assert_eq!(usize::try_from(found.weekday().to_monday_zero_offset()).unwrap(), day);
            let next = parse_date("d", &format!("next {}", names[day]), today).unwrap();
            prop_assert!((1..=7).contains(&(next - today).get_days()));
        }

        #[test]
        fn no_text_panics(text in "\\PC{0,12}") {
            let _ = parse_date("d", &text, SATURDAY);
        }
    }
}
