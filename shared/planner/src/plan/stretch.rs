//! Stretches of a day.

use std::ops::RangeInclusive;

/// A stretch in minutes since the day began. Unlike on the wall clock, sums are right on days of a clock change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stretch {
    pub from: u32,
    pub to: u32,
}

impl Stretch {
    pub const fn new(from: u32, to: u32) -> Self {
        Self { from, to }
    }

    pub const fn minutes(self) -> u32 {
        self.to.saturating_sub(self.from)
    }

    pub const fn overlaps(self, other: Self) -> bool {
        self.from < other.to && other.from < self.to
    }
}

/// The same stretches without the minutes of another one.
pub(super) fn without(stretches: Vec<Stretch>, cut: Stretch) -> Vec<Stretch> {
    let parts = stretches.into_iter().flat_map(|one| {
        let before = Stretch::new(one.from, one.to.min(cut.from));
        [before, Stretch::new(one.from.max(cut.to), one.to)]
    });
    parts.filter(|part| part.minutes() > 0).collect()
}

/// The place of a block in one of these stretches: the one whose start is nearest to a time, of two the later one.
/// It has the most minutes of the range, or all of a stretch that has at least the fewest.
pub(super) fn nearest(
    stretches: &[Stretch],
    at: u32,
    minutes: RangeInclusive<u32>,
) -> Option<Stretch> {
    let (least, most) = minutes.into_inner();
    let long = stretches.iter().filter(|one| one.minutes() >= least);
    let places = long.map(|one| {
        let length = one.minutes().min(most);
        let from = at.clamp(one.from, one.to - length);
        Stretch::new(from, from + length)
    });
    places.min_by_key(|place| (place.from.abs_diff(at), place.from < at))
}
