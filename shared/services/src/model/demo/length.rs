//! Lengths of time in a sentence.

use jiff::Span;
use jiff::civil::Date;
use serde_json::{Map, Value};

use super::clock::spoken_number;
use super::lex::{Word, at};

/// A length of time, by unit as `time_add` takes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Length {
    units: [i64; 6],
}

const UNITS: [&str; 6] = ["years", "months", "weeks", "days", "hours", "minutes"];

impl Length {
    /// As arguments, negative when it lies before.
    pub(super) fn arguments(&self, sign: i64, into: &mut Map<String, Value>) {
        for (unit, n) in UNITS.iter().zip(self.units) {
            if n != 0 {
                into.insert((*unit).into(), (n * sign).into());
            }
        }
    }

    /// Minutes, when it has only hours and minutes.
    pub(super) fn minutes(&self) -> Option<i64> {
        let [0, 0, 0, 0, hours, minutes] = self.units else {
            return None;
        };
        Some(hours * 60 + minutes)
    }

    /// The date so far from another one, when it has only whole days.
    pub(super) fn after(&self, day: Date) -> Option<Date> {
        let [years, months, weeks, days, 0, 0] = self.units else {
            return None;
        };
        let span = Span::new()
            .try_years(years)
            .and_then(|span| span.try_months(months))
            .and_then(|span| span.try_weeks(weeks))
            .and_then(|span| span.try_days(days))
            .ok()?;
        day.checked_add(span).ok()
    }

    fn add(&mut self, unit: usize, n: i64) {
        self.units[unit] += n;
    }
}

fn unit(low: &str) -> Option<(usize, i64)> {
    Some(match low {
        "year" | "years" | "yr" | "yrs" => (0, 1),
        "month" | "months" => (1, 1),
        "week" | "weeks" | "wk" | "wks" => (2, 1),
        "fortnight" | "fortnights" => (2, 2),
        "day" | "days" => (3, 1),
        "hour" | "hours" | "h" | "hr" | "hrs" => (4, 1),
        "minute" | "minutes" | "min" | "mins" | "m" => (5, 1),
        _ => return None,
    })
}

/// A length at this word ("90 minutes", "an hour and a half", "1h30", "2 hours and 15 minutes") and its words.
pub(super) fn length(words: &[Word], start: usize) -> Option<(Length, usize)> {
    let (mut total, mut len) = one_length(words, start)?;
    loop {
        let skip = usize::from(at(words, start + len, &["and"]));
        if at(words, start + len, &["and", "a", "half"]) {
            let half = total.units.iter().rposition(|n| *n != 0);
            match half {
                Some(4) => total.add(5, 30),
                Some(3) => total.add(4, 12),
                _ => break,
            }
            len += 3;
        } else if let Some((more, words)) = one_length(words, start + len + skip) {
            for (unit, n) in more.units.into_iter().enumerate() {
                total.add(unit, n);
            }
            len += words + skip;
        } else {
            break;
        }
    }
    Some((total, len))
}

fn one_length(words: &[Word], start: usize) -> Option<(Length, usize)> {
    let low = words.get(start)?.low.as_str();
    let mut length = Length::default();
    if at(words, start, &["half", "an", "hour"]) || at(words, start, &["half", "a", "hour"]) {
        length.add(5, 30);
        return Some((length, 3));
    }
    if let Some(glued) = glued(low) {
        return Some((glued, 1));
    }
    let (halves, taken) = amount(words, start)?;
    let (unit, times) = unit(&words.get(start + taken)?.low)?;
    let halves = halves * times;
    length.add(unit, halves / 2);
    if halves % 2 == 1 {
        let (below, n) = [(1, 6), (0, 0), (3, 3), (4, 12), (5, 30), (5, 0)][unit];
        length.add(below, n);
    }
    Some((length, taken + 1))
}

/// A number of halves at this word, and its words.
fn amount(words: &[Word], start: usize) -> Option<(i64, usize)> {
    let low = words[start].low.as_str();
    if at(words, start, &["a", "couple", "of"]) {
        return Some((4, 3));
    }
    if let Ok(n) = low.parse::<f64>() {
        let sensible = (0.0..=1e6).contains(&n) && (n * 2.0).fract() == 0.0;
        return sensible.then_some(((n * 2.0) as i64, 1));
    }
    let n = match low {
        "a" | "an" => 1,
        _ => i64::from(spoken_number(low)?),
    };
    if at(words, start + 1, &["and", "a", "half"]) {
        return Some((n * 2 + 1, 4));
    }
    Some((n * 2, 1))
}

/// "2h", "90min", "1h30", "1h30m".
fn glued(low: &str) -> Option<Length> {
    let letters = low.find(|c: char| c.is_ascii_alphabetic())?;
    let (number, rest) = low.split_at(letters);
    let number: i64 = number.parse().ok()?;
    let end = rest
        .find(|c: char| !c.is_ascii_alphabetic())
        .unwrap_or(rest.len());
    let (name, rest) = rest.split_at(end);
    let (first, times) = unit(name)?;
    let mut length = Length::default();
    length.add(first, number.checked_mul(times)?);
    if !rest.is_empty() {
        let minutes = rest.trim_end_matches("min").trim_end_matches('m');
        if first != 4 {
            return None;
        }
        length.add(5, minutes.parse().ok()?);
    }
    Some(length)
}
