//! Which hours are drawn.

use crate::Day;

/// A day is drawn from 8 to 18 when nothing says otherwise.
const USUAL: (u16, u16) = (8, 18);
/// Fewer hours would make an odd picture.
const FEWEST: u16 = 4;

/// Hours from midnight, `[from, to)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    pub from: u16,
    pub to: u16,
}

impl Frame {
    /// The hours in which somebody works or something is, in whole ones.
    pub fn from_days(days: &[Day]) -> Self {
        let works = days.iter().filter_map(|day| day.works);
        let bars = days.iter().flat_map(|day| &day.bars);
        let taken = bars
            .filter(|bar| !bar.takes_the_day())
            .map(|bar| (bar.start, bar.end));
        let spans: Vec<(u16, u16)> = works
            .chain(taken)
            .map(|(start, end)| (start.minutes() / 60, end.minutes().div_ceil(60)))
            .collect();
        let from = spans.iter().map(|span| span.0).min().unwrap_or(USUAL.0);
        let to = spans.iter().map(|span| span.1).max().unwrap_or(USUAL.1);
        let to = to.max(from + FEWEST).min(24);
        Self {
            from: from.min(to - FEWEST),
            to,
        }
    }

    pub fn hours(self) -> u16 {
        self.to - self.from
    }

    /// How far down a minute of the day is, in hours.
    pub fn at(self, minute: u16) -> f32 {
        let into = f32::from(minute) / 60.0 - f32::from(self.from);
        into.clamp(0.0, f32::from(self.hours()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bar;
    use alfred_planner::{BlockType, ClockTime};

    fn at(minutes: u16) -> ClockTime {
        ClockTime::from_minutes(minutes).unwrap()
    }

    fn day(works: Option<(u16, u16)>, bars: &[(u16, u16)]) -> Day {
        let bar = |(start, end): &(u16, u16)| {
            Bar::new(BlockType::Work, (at(*start), at(*end)), "B", []).unwrap()
        };
        Day {
            date: "2026-11-23".parse().unwrap(),
            works: works.map(|(start, end)| (at(start), at(end))),
            bars: bars.iter().map(bar).collect(),
            note: None,
        }
    }

    #[test]
    fn it_holds_work_and_everything_that_takes_time() {
        let frame = |works, bars: &[(u16, u16)]| {
            let frame = Frame::from_days(&[day(works, bars)]);
            (frame.from, frame.to)
        };
        assert_eq!(frame(None, &[]), (8, 18));
        assert_eq!(frame(Some((540, 1_020)), &[]), (9, 17));
        assert_eq!(
            frame(Some((540, 1_020)), &[(450, 480), (1_021, 1_030)]),
            (7, 18)
        );
        assert_eq!(
            frame(None, &[(0, 1_440)]),
            (8, 18),
            "a whole day stretches nothing"
        );
        assert_eq!(frame(None, &[(1_380, 1_440)]), (20, 24));
        assert_eq!(frame(None, &[(5, 10)]), (0, 4));
    }
}
