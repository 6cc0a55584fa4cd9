//! Dates in a sentence, and what today is.

use jiff::ToSpan;
use jiff::civil::{Date, Weekday, date};

use super::holidays;
use super::lex::{Word, at};

/// What the system prompt says about now: `Now: 2026-11-21 Saturday 14:05, time zone Europe/Berlin`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Now {
    /// The person's date.
    pub(super) date: Option<Date>,
    /// The person's zone.
    pub(super) zone: Option<String>,
}

impl Now {
    /// Reads the line, in whatever order its parts come.
    pub(super) fn read(prompt: &str) -> Self {
        let line = prompt
            .lines()
            .find(|line| line.trim_start().to_lowercase().starts_with("now:"));
        let tokens = || {
            line.unwrap_or_default()
                .split(|c: char| c.is_whitespace() || ",;()".contains(c))
        };
        Self {
            date: tokens().find_map(|token| token.get(..10)?.parse().ok()),
            zone: tokens()
                .find(|token| token.contains('/') || *token == "UTC")
                .map(|token| token.trim_end_matches('.').to_owned()),
        }
    }
}

/// A date at this word as a tool takes it, and its words. Without a known
/// "now" the relative ones stay words, which the tools read too.
pub(super) fn day(words: &[Word], start: usize, now: &Now) -> Option<(String, usize)> {
    let low = words.get(start)?.low.as_str();
    let relative = |days: i64, len: usize| {
        let text = match now.date {
            Some(today) => today.checked_add(days.days()).ok()?.to_string(),
            None => ["yesterday", "today", "tomorrow"]
                .get(usize::try_from(days + 1).ok()?)
                .map_or_else(
                    || "day after tomorrow".to_owned(),
                    |word| (*word).to_owned(),
                ),
        };
        Some((text, len))
    };
    for (pattern, days) in [
        (&["the", "day", "after", "tomorrow"][..], 2),
        (&["day", "after", "tomorrow"], 2),
        (&["today"], 0),
        (&["todays"], 0),
        (&["tonight"], 0),
        (&["tomorrow"], 1),
        (&["tomorrows"], 1),
        (&["tmrw"], 1),
        (&["yesterday"], -1),
    ] {
        if at(words, start, pattern) {
            return relative(days, pattern.len());
        }
    }
    if let Some(day) = numbers(low).or_else(|| month_and_day(low, now)) {
        return Some((day, 1));
    }
    if let Some(today) = now.date
        && let Some((day, _, len)) = holidays::fixed(words, start, today)
    {
        return Some((day.to_string(), len));
    }
    if let Some(found) = weekday_at(words, start, now) {
        return Some(found);
    }
    month_day(words, start, now)
}

/// `2026-12-03`, `12/03/2026` (month first) and `3.12.2026` (day first). One
/// that doesn't exist is a date too: the tools say what is wrong with it.
fn numbers(low: &str) -> Option<String> {
    let separator = low.chars().find(|c| !c.is_ascii_digit())?;
    let parts: Vec<i16> = low
        .split(separator)
        .map(|part| part.parse().ok().filter(|_| part.len() <= 4))
        .collect::<Option<_>>()?;
    let [a, b, c] = parts[..] else { return None };
    let plausible = (1..40).contains(&a) && (1..40).contains(&b) && c >= 10;
    let (year, month, day) = match separator {
        '-' if a >= 1000 => (a, b, c),
        '/' if plausible && a <= 12 => (c, a, b),
        '/' | '.' if plausible => (c, b, a),
        _ => return None,
    };
    let year = if year < 100 { year + 2000 } else { year };
    (month < 100 && day < 100).then(|| format!("{year:04}-{month:02}-{day:02}"))
}

/// "11/24", where only one of the two can be the month.
fn month_and_day(low: &str, now: &Now) -> Option<String> {
    let (first, second) = low.split_once('/')?;
    let (first, second): (i8, i8) = (first.parse().ok()?, second.parse().ok()?);
    let (month, day) = match (first, second) {
        (1..=12, 13..=31) => (first, second),
        (13..=31, 1..=12) => (second, first),
        _ => return None,
    };
    let today = now.date?;
    let found = upcoming(today, Some(month), day).map(|found| found.to_string());
    Some(found.unwrap_or_else(|| missing(today, month, day)))
}

pub(super) fn weekday(low: &str) -> Option<Weekday> {
    Some(match low.trim_end_matches("s") {
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

/// "Friday", "next Friday", "this Friday": the first one after today; "last Friday": the one before.
fn weekday_at(words: &[Word], start: usize, now: &Now) -> Option<(String, usize)> {
    let first = words[start].low.as_str();
    let qualified = matches!(first, "next" | "this" | "coming" | "last");
    let place = start + usize::from(qualified);
    let wanted = weekday(&words.get(place)?.low)?;
    let len = 1 + usize::from(qualified);
    let Some(today) = now.date else {
        let said: Vec<&str> = words[start..start + len]
            .iter()
            .map(|word| word.low.as_str())
            .collect();
        return Some((said.join(" "), len));
    };
    let nth = if first == "last" { -1 } else { 1 };
    Some((today.nth_weekday(nth, wanted).ok()?.to_string(), len))
}

/// "Dec 1", "December 1st, 2026", "3rd of December", "29 February 2028", "the 15th".
fn month_day(words: &[Word], start: usize, now: &Now) -> Option<(String, usize)> {
    let mut at_word = start + usize::from(at(words, start, &["the"]));
    let low = |place: usize| words.get(place).map(|word| word.low.as_str());
    let (month, day);
    if let Some(found) = low(at_word).and_then(month_name) {
        month = Some(found);
        at_word += 1 + usize::from(low(at_word + 1) == Some("the"));
        day = ordinal(low(at_word)?)?.0;
    } else {
        let (number, is_ordinal) = ordinal(low(at_word)?)?;
        let of = usize::from(low(at_word + 1) == Some("of"));
        month = low(at_word + 1 + of).and_then(month_name);
        if month.is_some() {
            at_word += 1 + of;
        } else if !is_ordinal || at_word == start {
            return None;
        }
        day = number;
    }
    at_word += 1;
    let year = low(at_word)
        .filter(|text| text.len() == 4 && month.is_some())
        .and_then(|text| text.parse::<i16>().ok());
    at_word += usize::from(year.is_some());
    let found = match (year, now.date) {
        (Some(year), _) => format!("{year:04}-{:02}-{day:02}", month?),
        (None, Some(today)) => match upcoming(today, month, day) {
            Some(found) => found.to_string(),
            None => missing(today, month?, day),
        },
        (None, None) => return None,
    };
    Some((found, at_word - start))
}

/// A day that its month never has, in the next such month.
fn missing(today: Date, month: i8, day: i8) -> String {
    let year = today.year() + i16::from(month < today.month());
    format!("{year:04}-{month:02}-{day:02}")
}

/// The first such day within five years from today on.
fn upcoming(today: Date, month: Option<i8>, day: i8) -> Option<Date> {
    let first = date(today.year(), today.month(), 1);
    (0..60)
        .filter_map(|months: i64| first.checked_add(months.months()).ok())
        .filter(|first| month.is_none_or(|month| first.month() == month))
        .filter_map(|first| Date::new(first.year(), first.month(), day).ok())
        .find(|found| *found >= today)
}

fn month_name(low: &str) -> Option<i8> {
    const NAMES: [&str; 12] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    let full = NAMES.iter().position(|name| *name == low);
    let short = || {
        NAMES
            .iter()
            .position(|name| low.len() == 3 && name.starts_with(low))
    };
    let sept = || (low == "sept").then_some(8);
    full.or_else(short).or_else(sept).map(|n| n as i8 + 1)
}

/// A day of a month, and whether it is written as an ordinal.
fn ordinal(low: &str) -> Option<(i8, bool)> {
    let digits = low.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let suffix = &low[digits.len()..];
    if !matches!(suffix, "" | "st" | "nd" | "rd" | "th") {
        return None;
    }
    let day = digits.parse().ok().filter(|day| (1..=31).contains(day))?;
    Some((day, !suffix.is_empty()))
}

/// Monday and Sunday of "this week" or "next week".
pub(super) fn whole_week(words: &[Word], now: &Now) -> Option<(String, String)> {
    let monday = week(words, now)?.into_iter().next()?;
    let first: Date = monday.parse().ok()?;
    Some((monday, first.checked_add(6.days()).ok()?.to_string()))
}

/// The working days of "this week" or "next week" at this word.
pub(super) fn week(words: &[Word], now: &Now) -> Option<Vec<String>> {
    let next = super::lex::has(words, &["next week"]);
    if !next && !super::lex::has(words, &["this week", "the week", "my week", "weeks"]) {
        return None;
    }
    let today = now.date?;
    let since = i64::from(today.weekday().to_monday_zero_offset());
    // On a weekend "this week" is still the one that ends; what lies ahead is the next.
    let monday = today
        .checked_add((if next { 7 - since } else { -since }).days())
        .ok()?;
    (0..5)
        .map(|n: i64| monday.checked_add(n.days()).ok().map(|day| day.to_string()))
        .collect()
}

/// With a capital first letter.
pub(super) fn capitalised(title: &str) -> String {
    let mut chars = title.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(chars).collect()
    })
}

#[cfg(test)]
#[path = "dates_tests.rs"]
mod tests;
