//! Days as they stand, in three forms made from one value: a picture for Slack
//! and the local page ([`png`]), words for whoever doesn't see it ([`alt`]), and
//! lines for the terminal ([`text`]). Pure: now and the zone are in the value.

#[cfg(feature = "render")]
mod columns;
#[cfg(feature = "render")]
mod font;
#[cfg(feature = "render")]
mod frame;
#[cfg(feature = "render")]
mod png;
#[cfg(feature = "render")]
mod svg;
mod words;

pub use words::{alt, text, title};
#[cfg(feature = "render")]
pub use {png::png, svg::svg};

use alfred_planner::{BlockType, ClockTime, Span};
use jiff::civil::{Date, DateTime};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Things planned in it that a bar names.
const ITEMS: usize = 8;
/// Characters of a title: more than the widest bar shows.
const TITLE_CHARS: usize = 120;

/// A picture that couldn't be drawn. No text that a person writes leads there.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct PictureError(String);

/// Draws a timeline as a PNG file.
pub type Draw = fn(&Timeline) -> Result<Vec<u8>, PictureError>;

/// Days as they stand, on the clocks of one zone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timeline {
    /// The IANA name of the zone.
    pub zone: String,
    /// What the clock there showed; nothing is marked where it is on none of the days.
    pub now: DateTime,
    /// One day, or several in a row.
    pub days: Vec<Day>,
}

/// A day of a timeline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Day {
    /// Which.
    pub date: Date,
    /// When its owner works on it.
    pub works: Option<(ClockTime, ClockTime)>,
    /// What takes time, by start.
    pub bars: Vec<Bar>,
    /// What is missing here, as a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// What takes time on a day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bar {
    /// What it is.
    pub kind: BlockType,
    /// Its first minute.
    pub start: ClockTime,
    /// The first minute after it; always later.
    pub end: ClockTime,
    /// What it is called.
    pub title: String,
    /// What is planned in it, at most eight.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<String>,
}

impl Timeline {
    /// A file name that says what it shows: `day-2026-11-21.png`.
    pub fn file_name(&self) -> String {
        let first = self.days.first().map(|day| day.date.to_string());
        let what = if self.days.len() == 1 { "day" } else { "week" };
        format!("{what}-{}.png", first.unwrap_or_default())
    }
}

impl Bar {
    /// A bar; nothing where it doesn't end after it starts.
    pub fn new(
        kind: BlockType,
        span: (ClockTime, ClockTime),
        title: &str,
        items: impl IntoIterator<Item = String>,
    ) -> Option<Self> {
        let (start, end) = span;
        Span::new(start, end)?;
        Some(Self {
            kind,
            start,
            end,
            title: one_line(title),
            items: items
                .into_iter()
                .take(ITEMS)
                .map(|item| one_line(&item))
                .collect(),
        })
    }

    /// Whether it is said of the day and not of hours.
    fn takes_the_day(&self) -> bool {
        self.start == ClockTime::MIDNIGHT && self.end == ClockTime::END_OF_DAY
    }
}

/// Others may have written it: no controls, one line, of a bounded length.
fn one_line(text: &str) -> String {
    let plain = text.replace(char::is_control, " ");
    let line = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(TITLE_CHARS).collect()
}
