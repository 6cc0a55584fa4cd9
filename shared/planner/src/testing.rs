//! What the tests of several modules share.

use crate::clock_time::ClockTime;
use crate::span::Span;

/// The cases of a table: one a line, cells between `|`.
pub(crate) fn cases<const N: usize>(table: &str) -> impl Iterator<Item = [&str; N]> {
    table.trim().lines().map(|line| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        cells.try_into().unwrap()
    })
}

pub(crate) fn time(text: &str) -> ClockTime {
    ClockTime::parse_end("time", text).unwrap()
}

/// `09:00-10:30`.
pub(crate) fn span(text: &str) -> Span {
    let (start, end) = text.split_once('-').unwrap();
    Span::new(time(start), time(end)).unwrap()
}
