//! Bars that share a minute stand side by side.

use crate::Bar;

/// Where a bar stands among those it overlaps with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// From 0.
    pub at: usize,
    /// So many share the width.
    pub of: usize,
}

/// The columns of bars that are ordered by start.
pub fn columns(bars: &[&Bar]) -> Vec<Column> {
    let mut columns = Vec::with_capacity(bars.len());
    let mut group = 0;
    // The minute at which each column of the group is free again.
    let mut free: Vec<u16> = Vec::new();
    for (index, bar) in bars.iter().enumerate() {
        let start = bar.start.minutes();
        if free.iter().all(|end| *end <= start) {
            close(&mut columns[group..], free.len());
            free.clear();
            group = index;
        }
        let at = free.iter().position(|end| *end <= start);
        let at = at.unwrap_or_else(|| {
            free.push(0);
            free.len() - 1
        });
        free[at] = bar.end.minutes();
        columns.push(Column { at, of: 1 });
    }
    close(&mut columns[group..], free.len());
    columns
}

fn close(group: &mut [Column], of: usize) {
    group.iter_mut().for_each(|column| column.of = of.max(1));
}

#[cfg(test)]
mod tests {
    use super::*;
    use alfred_planner::{BlockType, ClockTime};
    use proptest::prelude::*;

    fn bar(start: u16, end: u16) -> Bar {
        let at = |minutes| ClockTime::from_minutes(minutes).unwrap();
        Bar::new(BlockType::Work, (at(start), at(end)), "B", []).unwrap()
    }

    fn placed(spans: &[(u16, u16)]) -> Vec<(usize, usize)> {
        let bars: Vec<Bar> = spans.iter().map(|(start, end)| bar(*start, *end)).collect();
        let columns = columns(&bars.iter().collect::<Vec<_>>());
        columns
            .iter()
            .map(|column| (column.at, column.of))
            .collect()
    }

    #[test]
    fn neighbours_have_the_whole_width_and_overlaps_share_it() {
        assert_eq!(placed(&[]), []);
        assert_eq!(placed(&[(0, 60), (60, 90)]), [(0, 1), (0, 1)]);
        assert_eq!(
            placed(&[(0, 60), (30, 90), (60, 120), (120, 150)]),
            [(0, 2), (1, 2), (0, 2), (0, 1)]
        );
        assert_eq!(
            placed(&[(0, 90), (0, 30), (30, 60), (40, 50)]),
            [(0, 3), (1, 3), (1, 3), (2, 3)]
        );
    }

    proptest! {
        #[test]
        fn no_two_bars_that_overlap_share_a_column(spans in prop::collection::vec((0_u16..1_400, 1_u16..300), 0..30)) {
            let mut bars: Vec<Bar> = spans.iter().map(|(start, long)| bar(*start, (start + long).min(1_440))).collect();
            bars.sort_by_key(|bar| (bar.start, bar.end));
            let columns = columns(&bars.iter().collect::<Vec<_>>());
            for (i, a) in bars.iter().enumerate() {
                prop_assert!(columns[i].at < columns[i].of);
                for (j, b) in bars.iter().enumerate().skip(i + 1) {
                    if a.start < b.end && b.start < a.end {
                        prop_assert_ne!(columns[i].at, columns[j].at);
                        prop_assert_eq!(columns[i].of, columns[j].of);
                    }
                }
            }
        }
    }
}
