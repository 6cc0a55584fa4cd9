//! Times of a day, to the minute.

use jiff::civil::{Date, DateTime, Time};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;

use crate::input::InputError;

const FORMS: &str = "A time such as 14:00, 9am, 2:30 pm or noon would do.";

/// Minutes since midnight on the wall clock, 0 to 1,440. The last one, `24:00`, can only end something. Written
/// `HH:MM`, in JSON too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClockTime(u16);

impl ClockTime {
    pub const MIDNIGHT: Self = Self(0);
    pub const NOON: Self = Self(720);
    pub const END_OF_DAY: Self = Self(1_440);

    /// From minutes since midnight; `None` past 1,440.
    pub fn from_minutes(minutes: u16) -> Option<Self> {
        (minutes <= 1_440).then_some(Self(minutes))
    }

    pub const fn minutes(self) -> u16 {
        self.0
    }

    /// So many minutes later on the clock, at the latest `24:00`.
    pub fn plus(self, minutes: u32) -> Self {
        let later = u32::from(self.0).saturating_add(minutes);
        u16::try_from(later).map_or(Self::END_OF_DAY, |later| Self(later).min(Self::END_OF_DAY))
    }

    /// This time on that date; `24:00` is midnight of the next one, if the calendar has one.
    pub fn on(self, date: Date) -> DateTime {
        date.at(0, 0, 0, 0)
            .saturating_add(jiff::Span::new().minutes(self.0))
    }

    /// Reads a time at which something may start: `09:00`, `9:00`, `9am`, `2:30 pm`, `noon`, `midnight`.
    pub fn parse(field: &str, text: &str) -> Result<Self, InputError> {
        let problem = match read(text) {
            Ok(Self::END_OF_DAY) => {
                "can only be the end of something; the start of the day is 00:00.".to_owned()
            }
            Ok(time) => return Ok(time),
            Err(problem) => problem,
        };
        Err(InputError::new(field, text, problem))
    }

    /// Reads a time at which something may end: also `24:00`, which "midnight" means here.
    pub fn parse_end(field: &str, text: &str) -> Result<Self, InputError> {
        if text.trim().eq_ignore_ascii_case("midnight") {
            return Ok(Self::END_OF_DAY);
        }
        read(text).map_err(|problem| InputError::new(field, text, problem))
    }
}

impl From<Time> for ClockTime {
    fn from(time: Time) -> Self {
        let part = |part: i8| u16::from(part.unsigned_abs());
        Self(part(time.hour()) * 60 + part(time.minute()))
    }
}

fn read(text: &str) -> Result<ClockTime, String> {
    let lower = text.trim().to_ascii_lowercase();
    match lower.as_str() {
        "noon" | "midday" => return Ok(ClockTime::NOON),
        "midnight" => return Ok(ClockTime::MIDNIGHT),
        _ => {}
    }
    let with_half = [("am", 0), ("a.m.", 0), ("pm", 12), ("p.m.", 12)]
        .iter()
        .find_map(|(suffix, offset)| Some((lower.strip_suffix(suffix)?.trim_end(), Some(*offset))));
    let (digits, half) = with_half.unwrap_or((&lower, None));
    let (hour, minute) = match digits.split_once(':') {
        Some((hour, minute)) if minute.len() == 2 => (number(hour)?, number(minute)?),
        Some(_) => return Err(format!("is no time; minutes have two digits. {FORMS}")),
        None if half.is_some() => (number(digits)?, 0),
        None => {
            number(digits)?;
            return Err(format!("could be morning or evening. {FORMS}"));
        }
    };
    let hour = match half {
        _ if minute > 59 => return Err("is no time: minutes run from 00 to 59.".to_owned()),
        Some(_) if !(1..=12).contains(&hour) => {
            return Err("is no time: with am and pm, hours run from 1 to 12.".to_owned());
        }
        Some(offset) => hour % 12 + offset,
        None => hour,
    };
    let too_late = || "is no time: the day ends at 24:00.".to_owned();
    ClockTime::from_minutes(hour * 60 + minute).ok_or_else(too_late)
}

/// One or two ASCII digits.
fn number(text: &str) -> Result<u16, String> {
    let digits = text.len() <= 2 && text.bytes().all(|b| b.is_ascii_digit());
    let number = digits.then(|| text.parse().ok()).flatten();
    number.ok_or_else(|| format!("is no time. {FORMS}"))
}

impl fmt::Display for ClockTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}:{:02}", self.0 / 60, self.0 % 60)
    }
}

impl Serialize for ClockTime {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ClockTime {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse_end("time", &text).map_err(de::Error::custom)
    }
}
