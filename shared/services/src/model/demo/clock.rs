//! Clock times and lengths of time in a sentence.

use jiff::Span;
use jiff::civil::Date;
use serde_json::{Map, Value};

use super::lex::{Word, at};

/// A clock time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Clock {
    /// Minutes since midnight.
    pub(super) minutes: i32,
    /// Whether morning or afternoon is sure: written with am or pm, in 24 hours, or as a word.
    pub(super) sure: bool,
}

impl Clock {
    /// `HH:MM`.
    pub(super) fn text(self) -> String {
        format!("{:02}:{:02}", self.minutes / 60, self.minutes % 60)
    }

    /// In a working day, one to six means the afternoon.
    pub(super) fn by_day(self) -> Self {
        let small = (60..420).contains(&self.minutes);
        let minutes = if small && !self.sure {
            self.minutes + 720
        } else {
            self.minutes
        };
        Self {
            minutes,
            sure: true,
        }
    }
}

fn hour_and_minute(text: &str) -> Option<(i32, i32, bool)> {
    let (hour, minute) = text.split_once([':', '.']).unwrap_or((text, ""));
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    if hour.is_empty() || hour.len() > 2 || !digits(hour) || !digits(minute) {
        return None;
    }
    let with_minutes = minute.len() == 2;
    if !minute.is_empty() && !with_minutes {
        return None;
    }
    let (hour, minute) = (hour.parse().ok()?, minute.parse().unwrap_or(0));
    ((0..=24).contains(&hour) && (0..60).contains(&minute)).then_some((hour, minute, with_minutes))
}

/// A clock time at this word and how many words it takes. `bare` also takes a lone hour such as the 9 of "at 9".
pub(super) fn clock(words: &[Word], start: usize, bare: bool) -> Option<(Clock, usize)> {
    let word = words.get(start)?;
    let sure = |minutes: i32, len: usize| {
        Some((
            Clock {
                minutes,
                sure: true,
            },
            len,
        ))
    };
    match word.low.as_str() {
        "noon" | "midday" => return sure(720, 1),
        "midnight" => return sure(0, 1),
        "half" | "quarter" => return spoken(words, start),
        _ => {}
    }
    let low = word.low.replace("a.m", "am").replace("p.m", "pm");
    let (digits, glued) = match low.strip_suffix("am").map(|rest| (rest, "am")) {
        Some(found) => found,
        None => low
            .strip_suffix("pm")
            .map_or((low.as_str(), ""), |rest| (rest, "pm")),
    };
    let number = spoken_number(digits)
        .filter(|_| bare)
        .map(|n| (n, 0, false));
    let (hour, minute, with_minutes) = hour_and_minute(digits).or(number)?;
    let mut len = 1;
    let mut half = glued.to_owned();
    let next = words.get(start + 1).map(|word| word.low.replace('.', ""));
    if half.is_empty() && matches!(next.as_deref(), Some("am" | "pm")) {
        half = next.unwrap_or_default();
        len = 2;
    } else if half.is_empty() && next.as_deref() == Some("oclock") {
        len = 2;
    }
    for (part, sign) in [("morning", "am"), ("afternoon", "pm"), ("evening", "pm")] {
        if half.is_empty() && at(words, start + len, &["in", "the", part]) {
            half = sign.into();
            len += 3;
        }
    }
    match half.as_str() {
        "am" if hour <= 12 => sure(hour % 12 * 60 + minute, len),
        "pm" if hour <= 12 => sure((hour % 12 + 12) * 60 + minute, len),
        "" if with_minutes && digits.contains('.') => None,
        "" if with_minutes || bare || len > 1 => {
            let is_sure = (with_minutes && digits.len() == 5) || hour > 12 || hour == 0;
            let clock = Clock {
                minutes: hour % 24 * 60 + minute,
                sure: is_sure,
            };
            Some((clock, len))
        }
        _ => None,
    }
}

/// "half past nine", "quarter to five".
fn spoken(words: &[Word], start: usize) -> Option<(Clock, usize)> {
    let offset = match (
        words[start].low.as_str(),
        words.get(start + 1)?.low.as_str(),
    ) {
        ("half", "past") => 30,
        ("quarter", "past" | "after") => 15,
        ("quarter", "to") => -15,
        _ => return None,
    };
    let (hour, len) = clock(words, start + 2, true)?;
    let minutes = (hour.minutes + offset).rem_euclid(1440);
    let sure = hour.sure || minutes >= 720;
    Some((Clock { minutes, sure }, len + 2))
}

fn spoken_number(low: &str) -> Option<i32> {
    const NAMES: [&str; 21] = [
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
        "twenty",
    ];
    match low {
        "thirty" => Some(30),
        "forty" => Some(40),
        "fifty" => Some(50),
        "sixty" => Some(60),
        "ninety" => Some(90),
        "hundred" => Some(100),
        _ => NAMES.iter().position(|name| *name == low).map(|n| n as i32),
    }
}

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
