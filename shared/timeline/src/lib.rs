//! Days of a calendar in three forms, all made from one [`Timeline`]: a picture (`png`), its alternative text ([`alt`]),
//! and lines for a terminal ([`text`]). No I/O: the current time and the time zone are part of the value.

#[cfg(feature = "render")]
mod picture;
#[cfg(test)]
mod tests;
mod words;

#[cfg(feature = "render")]
pub use picture::png::png;
pub use words::{alt, text};

use alfred_planner::{BlockType, Span};
use jiff::civil::{Date, DateTime};
use serde::{Deserialize, Serialize};
use thiserror::Error;

const MAX_ITEMS: usize = 8;
/// Maximum characters of a title; the widest bar shows fewer.
const MAX_TITLE_CHARS: usize = 120;

/// The picture could not be drawn. User text can't cause this error, so it is a defect.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct PictureError(String);

/// Draws a PNG file.
pub type Draw = fn(&Timeline) -> Result<Vec<u8>, PictureError>;

/// Consecutive days, in the wall-clock time of one zone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timeline {
    /// IANA name.
    pub zone: String,
    /// Marked by a red line if it falls on one of the days.
    pub now: DateTime,
    pub days: Vec<Day>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Day {
    pub date: Date,
    /// The working hours; `None` on a day off.
    pub works: Option<Span>,
    /// Ordered by start.
    pub bars: Vec<Bar>,
    /// A sentence about data that is missing, such as an unreadable calendar.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bar {
    pub kind: BlockType,
    #[serde(flatten)]
    pub span: Span,
    pub title: String,
    /// Titles of the planned tasks, at most eight.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<String>,
}

impl Timeline {
    pub fn file_name(&self) -> String {
        let first = self.days.first().map(|day| day.date.to_string());
        let what = if self.days.len() == 1 { "day" } else { "week" };
        format!("{what}-{}.png", first.unwrap_or_default())
    }
}

impl Day {
    /// Bars with hours, without those that span the whole day.
    fn timed(&self) -> impl Iterator<Item = &Bar> {
        self.bars.iter().filter(|bar| !bar.is_all_day())
    }

    fn all_day(&self) -> impl Iterator<Item = &Bar> {
        self.bars.iter().filter(|bar| bar.is_all_day())
    }
}

impl Bar {
    pub fn new(
        kind: BlockType,
        span: Span,
        title: &str,
        items: impl IntoIterator<Item = String>,
    ) -> Self {
        let items = items.into_iter().take(MAX_ITEMS);
        Self {
            kind,
            span,
            title: one_line(title),
            items: items.map(|item| one_line(&item)).collect(),
        }
    }

    fn is_all_day(&self) -> bool {
        self.span == Span::WHOLE_DAY
    }
}

/// Other people write titles, so control characters and line breaks are removed and the length is limited.
fn one_line(text: &str) -> String {
    let plain = text.replace(char::is_control, " ");
    let line = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(MAX_TITLE_CHARS).collect()
}
