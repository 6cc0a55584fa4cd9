//! Clock times in a sentence.

use super::lex::{Word, at};

/// A clock time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Clock {
    /// Minutes since midnight; 24:00 only ends something.
    pub(super) minutes: i32,
    /// Whether morning or afternoon is sure: written with am or pm, in 24 hours, or as a word.
    pub(super) sure: bool,
    /// What was written, when no clock shows it: 25:00, 14:75, 13pm.
    pub(super) wrong: Option<Written>,
}

/// A clock time as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Written {
    hour: i32,
    minute: i32,
    half: Option<&'static str>,
}

impl Written {
    /// Why no clock shows it.
    fn problem(self) -> &'static str {
        if self.minute > 59 {
            "minutes run from 00 to 59"
        } else if self.half.is_some() {
            "with am and pm, hours run from 1 to 12"
        } else {
            "the day ends at 24:00"
        }
    }
}

impl Clock {
    /// A sure one.
    pub(super) fn sure(minutes: i32) -> Self {
        Self {
            minutes,
            sure: true,
            wrong: None,
        }
    }

    /// `HH:MM`; what was written if no clock shows it, which tools refuse with the reason.
    pub(super) fn text(self) -> String {
        match self.wrong {
            None => format!("{:02}:{:02}", self.minutes / 60, self.minutes % 60),
            Some(Written {
                hour,
                minute,
                half: None,
            }) => format!("{hour:02}:{minute:02}"),
            Some(Written {
                hour,
                minute: 0,
                half: Some(half),
            }) => format!("{hour}{half}"),
            Some(Written {
                hour,
                minute,
                half: Some(half),
            }) => format!("{hour}:{minute:02}{half}"),
        }
    }

    /// What is wrong with it, where no tool checks it.
    pub(super) fn problem(self) -> Option<String> {
        let written = self.wrong?;
        Some(format!(
            "\"{}\" is no time: {}.",
            self.text(),
            written.problem()
        ))
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
            ..self
        }
    }
}

/// Hour and minute as written, and whether the minute was.
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
    Some((
        hour.parse().ok()?,
        minute.parse().unwrap_or(0),
        with_minutes,
    ))
}

/// A clock time at this word and how many words it takes. `bare` also takes a lone hour such as the 9 of "at 9".
pub(super) fn clock(words: &[Word], start: usize, bare: bool) -> Option<(Clock, usize)> {
    let word = words.get(start)?;
    match word.low.as_str() {
        "noon" | "midday" => return Some((Clock::sure(720), 1)),
        "midnight" => return Some((Clock::sure(0), 1)),
        "half" | "quarter" => return spoken(words, start),
        _ => {}
    }
    let low = word.low.replace("a.m", "am").replace("p.m", "pm");
    let glued = ["am", "pm"]
        .into_iter()
        .find_map(|half| Some((low.strip_suffix(half)?, Some(half))));
    let (digits, glued) = glued.unwrap_or((low.as_str(), None));
    let number = spoken_number(digits)
        .filter(|_| bare)
        .map(|n| (n, 0, false));
    let (hour, minute, with_minutes) = hour_and_minute(digits).or(number)?;
    let (half, len) = match glued {
        Some(half) => (Some(half), 1),
        None => half_behind(words, start + 1),
    };
    let written = Written { hour, minute, half };
    let fits = |hours: std::ops::RangeInclusive<i32>| {
        hours.contains(&hour) && minute < 60 && (hour < 24 || minute == 0)
    };
    let wrong = |minutes: i32| Clock {
        minutes,
        sure: true,
        wrong: Some(written),
    };
    match half {
        Some(half) if fits(0..=12) => {
            let noon = if half == "pm" { 720 } else { 0 };
            Some((Clock::sure(hour % 12 * 60 + minute + noon), len))
        }
        Some(_) => Some((wrong(hour * 60 + minute), len)),
        None if with_minutes && digits.contains('.') => None,
        None if fits(0..=24) && (with_minutes || bare || len > 1) => {
            let clock = Clock {
                minutes: hour * 60 + minute,
                sure: (with_minutes && digits.len() == 5) || hour > 12 || hour == 0,
                wrong: None,
            };
            Some((clock, len))
        }
        None if with_minutes => Some((wrong(hour * 60 + minute), len)),
        None => None,
    }
}

/// "pm", "o'clock" or "in the evening" behind a number: the half of the day, and the words with the number.
fn half_behind(words: &[Word], next: usize) -> (Option<&'static str>, usize) {
    let low = words.get(next).map(|word| word.low.replace('.', ""));
    match low.as_deref() {
        Some("am") => return (Some("am"), 2),
        Some("pm") => return (Some("pm"), 2),
        _ => {}
    }
    let oclock = usize::from(low.as_deref() == Some("oclock"));
    for (part, half) in [("morning", "am"), ("afternoon", "pm"), ("evening", "pm")] {
        if at(words, next + oclock, &["in", "the", part]) {
            return (Some(half), 4 + oclock);
        }
    }
    (None, 1 + oclock)
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
    let clock = Clock {
        minutes,
        sure,
        wrong: None,
    };
    Some((clock, len + 2))
}

pub(super) fn spoken_number(low: &str) -> Option<i32> {
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
