//! Finds a free place for a block: the nearest on its day, else the first on a later working day.

use alfred_planner::gaps::free;
use alfred_planner::{ClockTime, DayClock, Span, TimeBlock};

use super::Place;
use crate::fields::is_weekend;
use crate::prelude::*;

/// In minutes. The current time is rounded up to a multiple of it.
const STEP: u16 = 15;

pub(super) struct OpenDay {
    pub clock: DayClock,
    pub taken: Vec<TimeBlock>,
    /// The rest of the working hours; `None` when they are over.
    pub left: Option<Span>,
}

impl OpenDay {
    pub fn new(clock: DayClock, taken: Vec<TimeBlock>, works: Span, now: Timestamp) -> Self {
        let rounded = |time: ClockTime| {
            ClockTime::from_minutes(time.minutes().next_multiple_of(STEP).min(1_440))
        };
        let from = clock.at_or_after(now).and_then(rounded);
        let left = from.and_then(|from| Span::new(works.start().max(from), works.end()));
        Self { clock, taken, left }
    }

    /// The free place for a block that is nearest to `to`.
    fn nearest(&self, block: &TimeBlock, to: ClockTime) -> Option<Place> {
        let length = block.span.wall_minutes();
        let others = self.taken.iter().filter(|other| other.id != block.id);
        let gaps = free(others.map(|block| block.span), self.left?);
        let starts = gaps.into_iter().filter_map(|gap| {
            let last = gap.end().minutes().checked_sub(length)?;
            let first = gap.start().minutes();
            (first <= last).then(|| to.minutes().clamp(first, last))
        });
        let start = starts.min_by_key(|start| (start.abs_diff(to.minutes()), *start))?;
        let start = ClockTime::from_minutes(start)?;
        let span = Span::new(start, start.plus(length.into()))?;
        let exist = self.clock.exists(start) && self.clock.exists(span.end());
        let date = self.clock.date();
        exist.then_some(Place { date, span })
    }
}

/// The place for a block of `date`. `days` are in order.
pub(super) fn place(days: &[OpenDay], block: &TimeBlock, date: Date) -> Option<Place> {
    let from = days.iter().filter(|day| day.clock.date() >= date);
    let mut open = from.filter(|day| day.clock.date() == date || !is_weekend(day.clock.date()));
    open.find_map(|day| {
        let first = day.left?.start();
        let own = day.clock.date() == date;
        day.nearest(block, if own { block.span.start() } else { first })
    })
}

#[cfg(test)]
#[path = "place_tests.rs"]
mod tests;
