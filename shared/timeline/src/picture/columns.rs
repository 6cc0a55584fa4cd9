//! Places bars that overlap next to each other.

use alfred_planner::Span;

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
