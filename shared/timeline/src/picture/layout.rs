//! Where days and bars are: the hours that a picture shows, and the columns of bars that overlap.

use alfred_planner::Span;

use crate::Day;

/// Shown if a day has neither working hours nor bars.
const DEFAULT: (u16, u16) = (8, 18);
/// Minimum; a picture with fewer hours would be too low.
const MIN_HOURS: u16 = 4;

/// `[from, to)`, in hours from midnight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hours {
    pub from: u16,
    pub to: u16,
}

impl Hours {
    /// The whole hours that hold the working hours and all timed bars.
    pub fn from_days(days: &[Day]) -> Self {
        let works = days.iter().filter_map(|day| day.works);
        let bars = days.iter().flat_map(Day::timed).map(|bar| bar.span);
        let spans: Vec<Span> = works.chain(bars).collect();
        let starts = spans.iter().map(|span| span.start().minutes() / 60);
        let ends = spans.iter().map(|span| span.end().minutes().div_ceil(60));
        let (from, to) = starts.min().zip(ends.max()).unwrap_or(DEFAULT);
        let to = to.max(from + MIN_HOURS).min(24);
        let from = from.min(to - MIN_HOURS);
        Self { from, to }
    }

    pub fn count(self) -> u16 {
        self.to - self.from
    }

    /// The share of these hours that is over at a minute of the day, from 0 to 1.
    pub fn share(self, minute: u16) -> f32 {
        let hours = f32::from(minute) / 60.0 - f32::from(self.from);
        (hours / f32::from(self.count())).clamp(0.0, 1.0)
    }
}

/// The share of a day's width that a bar gets: the column `at` (from 0) of `of` equal ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    pub at: usize,
    pub of: usize,
}

/// The column of each span; they are ordered by start.
pub fn columns(spans: &[Span]) -> Vec<Column> {
    let mut columns: Vec<Column> = Vec::with_capacity(spans.len());
    // A group is a run of spans that overlap directly or through others. Its spans share the width.
    let mut group = 0;
    // The end of the last span in each column of the group.
    let mut ends = Vec::new();
    for (index, span) in spans.iter().enumerate() {
        if ends.iter().all(|end| *end <= span.start()) {
            ends.clear();
            group = index;
        }
        let free = ends.iter().position(|end| *end <= span.start());
        let at = free.unwrap_or(ends.len());
        match ends.get_mut(at) {
            Some(end) => *end = span.end(),
            None => ends.push(span.end()),
        }
        columns.push(Column { at, of: 1 });
        for column in &mut columns[group..] {
            column.of = ends.len();
        }
    }
    columns
}
