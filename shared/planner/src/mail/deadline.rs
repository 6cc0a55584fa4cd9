//! The date by which a mail wants something. Only dates after a word such as "by" count.

use jiff::ToSpan;
use jiff::civil::{Date, Weekday};

use super::phrases::List;

/// Words that may stand between "by" and its date: "due on the …".
const BETWEEN: usize = 4;
/// Days back in which a date without a year is one that has passed, and not that of the next year.
const PASSED: i32 = 60;

/// The first deadline of a text in lower case that was received on this date, which "tomorrow" is said from.
pub(super) fn deadline(text: &str, received: Date) -> Option<Date> {
    let inner = |c: char| c.is_alphanumeric() || "-./".contains(c);
    let words = text.split(|c| !inner(c));
    let words = words.map(|word| word.trim_matches(['-', '.', '/']));
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let due = List::Due.phrases();
    let starts = (0..words.len()).filter(|at| due.contains(&words[*at]));
    let dates = starts.filter_map(|at| after(&words[at + 1..], received));
    dates.min()
}

/// The date within the first of these words; "Friday 27 November" is the 27th.
fn after(words: &[&str], received: Date) -> Option<Date> {
    let near = || (0..words.len().min(BETWEEN)).map(|at| &words[at..]);
    let date = near().find_map(|rest| calendar(rest, received));
    date.or_else(|| near().find_map(|rest| relative(rest, received)))
}

/// `27 November`, `November 27th`, `27.11.`, `2026-11-27`.
fn calendar(words: &[&str], received: Date) -> Option<Date> {
    let first = *words.first()?;
    if let Ok(date) = first.parse::<Date>() {
        return Some(date);
    }
    let parts: Vec<&str> = first.split('.').collect();
    if let [day, month, year @ ..] = parts.as_slice() {
        let year = year.first().and_then(|year| year.parse().ok());
        return dated(day.parse().ok()?, month.parse().ok()?, year, received);
    }
    let next = *words.get(1)?;
    let month = |word: &str| Some(List::Months.position(word)? + 1);
    let (day, month) = match month(next) {
        Some(month) => (first, month),
        None => (next, month(first)?),
    };
    let day = day.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let year = words.get(2).and_then(|year| year.parse().ok());
    dated(day.parse().ok()?, month, year, received)
}

/// The date; without a year the one that is nearest, looking ahead.
fn dated(day: i8, month: i8, year: Option<i16>, received: Date) -> Option<Date> {
    if let Some(year @ 1900..) = year {
        return Date::new(year, month, day).ok();
    }
    let date = Date::new(received.year(), month, day).ok()?;
    let oldest = received.checked_sub(PASSED.days()).ok()?;
    let year = received.year() + i16::from(date < oldest);
    Date::new(year, month, day).ok()
}

/// Today, tomorrow, a day of the week, the end of the week, so many hours or days from now.
fn relative(words: &[&str], received: Date) -> Option<Date> {
    let first = *words.first()?;
    let ahead = |days: i64| received.checked_add(days.days()).ok();
    let until = |day: Weekday| ahead(received.weekday().until(day).into());
    if let Some(day) = List::Weekdays.position(first) {
        return until(Weekday::from_monday_zero_offset(day).ok()?);
    }
    let next = |names: &str| {
        let mut near = words.iter().skip(1).take(3);
        near.any(|word| names.split(' ').any(|name| name == *word))
    };
    match first {
        "today" | "tonight" | "heute" | "eod" | "cob" => Some(received),
        "tomorrow" | "morgen" => ahead(1),
        "end" | "ende" if next("day tages") => Some(received),
        "end" | "ende" if next("week woche") => until(Weekday::Friday),
        number => match number.parse::<i64>().ok()? {
            hours @ 0..=96 if next("hours hour h stunden") => ahead(hours.div_euclid(24)),
            days @ 0..=60 if next("days day tagen tage") => ahead(days),
            _ => None,
        },
    }
}
