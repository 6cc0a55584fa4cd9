//! A stretch of a day on the wall clock.

use serde::{Deserialize, Deserializer, Serialize, de};
use std::fmt;

use crate::{ClockTime, InputError};

/// `[start, end)` of one day; never empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Span {
    start: ClockTime,
    end: ClockTime,
}

impl Span {
    pub const WHOLE_DAY: Self = Self {
        start: ClockTime::MIDNIGHT,
        end: ClockTime::END_OF_DAY,
    };

    /// A stretch, or `None` when it doesn't end after it starts.
    pub fn new(start: ClockTime, end: ClockTime) -> Option<Self> {
        (start < end).then_some(Self { start, end })
    }

    /// The part of it that lies in the other one.
    pub fn within(self, other: Self) -> Option<Self> {
        Self::new(self.start.max(other.start), self.end.min(other.end))
    }

    /// Reads both ends, of which the second must be later; each argument is a field's name and its text.
    pub fn parse(start: (&str, &str), end: (&str, &str)) -> Result<Self, InputError> {
        let from = ClockTime::parse(start.0, start.1)?;
        let to = ClockTime::parse_end(end.0, end.1)?;
        let problem = || format!("must be later than {} ({from}).", start.0);
        Self::new(from, to).ok_or_else(|| InputError::new(end.0, end.1, problem()))
    }

    pub const fn start(self) -> ClockTime {
        self.start
    }

    /// The first minute after it.
    pub const fn end(self) -> ClockTime {
        self.end
    }

    /// Minutes on the wall clock; on a day of a clock change an hour more or less may pass.
    pub const fn wall_minutes(self) -> u16 {
        self.end.minutes() - self.start.minutes()
    }

    pub fn overlaps(self, other: Self) -> bool {
        self.start < other.end && other.start < self.end
    }

    pub fn holds(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Ends {
            start: ClockTime,
            end: ClockTime,
        }
        let ends = Ends::deserialize(deserializer)?;
        Self::new(ends.start, ends.end)
            .ok_or_else(|| de::Error::custom("a stretch must end after it starts"))
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}–{}", self.start, self.end)
    }
}
