//! The day while it is planned.

use std::ops::RangeInclusive;

use super::DayRequest;
use super::limits::Limits;
use super::outcome::{Change, Note, PlannedBlock, Rule};
use crate::block::BlockType;
use crate::clock_time::ClockTime;
use crate::day_clock::DayClock;
use crate::gaps;
use crate::span::Span;
use crate::wish::Wish;

/// New blocks start and end at multiples of this many minutes.
const GRID: u16 = 5;
/// Minutes without work after which the count to the next break starts anew.
pub(super) const REST: u32 = 15;
/// Minutes that a window must have to keep slack.
const SLACK_FROM: u32 = 120;

/// A stretch in minutes since the day began. Unlike on the wall clock, sums are right on days of a clock change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stretch {
    pub from: u32,
    pub to: u32,
}

impl Stretch {
    pub const fn minutes(self) -> u32 {
        self.to.saturating_sub(self.from)
    }
}

/// The same stretches without the minutes of another one.
pub(super) fn without(stretches: Vec<Stretch>, cut: Stretch) -> Vec<Stretch> {
    let parts = |one: Stretch| {
        let before = Stretch {
            to: one.to.min(cut.from),
            ..one
        };
        let after = Stretch {
            from: one.from.max(cut.to),
            ..one
        };
        [before, after]
    };
    let parts = stretches.into_iter().flat_map(parts);
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
        Stretch {
            from,
            to: from + length,
        }
    });
    places.min_by_key(|place| (place.from.abs_diff(at), place.from < at))
}

/// The state of planning: all blocks so far.
#[derive(Clone)]
pub(super) struct Day<'a> {
    pub request: &'a DayRequest,
    pub clock: &'a DayClock,
    pub limits: Limits,
    /// The time that can be planned; `None` once the working day is over.
    pub window: Option<Span>,
    /// Blocks that start before this time stay as they are.
    pub from: ClockTime,
    pub blocks: Vec<PlannedBlock>,
    pub removed: Vec<PlannedBlock>,
    /// Lunch and e-mail that the rules place anew, and blocks that move. Until then, their old places are reserved.
    pub replaced: Vec<PlannedBlock>,
    pub moving: Vec<PlannedBlock>,
    pub notes: Vec<Note>,
}

impl<'a> Day<'a> {
    pub fn new(request: &'a DayRequest, clock: &'a DayClock, mut limits: Limits) -> Self {
        let now = clock.at_or_after(request.now);
        let now = now.unwrap_or(ClockTime::END_OF_DAY);
        let from = request.only_from().max(now);
        let window = window(limits.working, from, clock);
        if limits.email.wish == Some(Wish::EmailFirst) {
            limits.email.at = window.map(Span::start);
        }
        Self {
            request,
            clock,
            limits,
            window,
            from,
            blocks: Vec::new(),
            removed: Vec::new(),
            replaced: Vec::new(),
            moving: Vec::new(),
            notes: Vec::new(),
        }
    }

    pub fn stretch(&self, span: Span) -> Stretch {
        Stretch {
            from: self.clock.elapsed(span.start()),
            to: self.clock.elapsed(span.end()),
        }
    }

    /// `None` if no two clock times name its ends.
    pub fn span(&self, stretch: Stretch) -> Option<Span> {
        // Where clocks skip an hour, a stretch ends before it and starts after it.
        let end = self.clock.plus(ClockTime::MIDNIGHT, stretch.to);
        let end = end.filter(|end| self.clock.elapsed(*end) == stretch.to);
        Span::new(
            self.time(stretch.from),
            end.unwrap_or_else(|| self.time(stretch.to)),
        )
    }

    /// The last clock time that isn't later than so many minutes of the day.
    fn time(&self, minutes: u32) -> ClockTime {
        let mut times = (0..=ClockTime::END_OF_DAY.minutes()).rev();
        let found = times.find_map(|mark| {
            let time = ClockTime::from_minutes(mark)?;
            (self.clock.elapsed(time) <= minutes).then_some(time)
        });
        found.unwrap_or(ClockTime::MIDNIGHT)
    }

    /// The last time on the grid that isn't later.
    pub fn grid_before(&self, minutes: u32) -> u32 {
        let time = self.time(minutes).minutes() / GRID * GRID;
        ClockTime::from_minutes(time).map_or(0, |time| self.clock.elapsed(time))
    }

    /// The first time on the grid that isn't earlier.
    pub fn grid_after(&self, minutes: u32) -> u32 {
        let time = self.clock.plus(ClockTime::MIDNIGHT, minutes);
        let time = time.unwrap_or(ClockTime::END_OF_DAY).minutes();
        let time = ClockTime::from_minutes(time.div_ceil(GRID) * GRID);
        time.map_or(minutes, |time| self.clock.elapsed(time))
    }

    fn on_grid(&self, stretches: Vec<Stretch>) -> Vec<Stretch> {
        let rounded = stretches.into_iter().map(|one| Stretch {
            from: self.grid_after(one.from),
            to: self.grid_before(one.to),
        });
        rounded.filter(|one| one.minutes() > 0).collect()
    }

    /// The time without blocks, including time that wishes keep free.
    pub fn without_blocks(&self) -> Vec<Stretch> {
        let taken = self.blocks.iter().map(|block| block.span);
        let gaps = self
            .window
            .map(|window| gaps::free(taken, window, self.clock));
        let gaps = gaps.into_iter().flatten();
        gaps.map(|gap| Stretch {
            from: self.clock.elapsed(gap.start_time),
            to: self.clock.elapsed(gap.end_time),
        })
        .collect()
    }

    pub fn reserved(&self) -> impl Iterator<Item = &PlannedBlock> {
        self.replaced.iter().chain(&self.moving)
    }

    /// The time in which a new block may be, on the grid.
    pub fn free(&self) -> Vec<Stretch> {
        let reserved = self.reserved().map(|block| &block.span);
        let kept = self.limits.keep_free.iter().chain(reserved);
        let cuts = kept.map(|span| self.stretch(*span));
        self.on_grid(cuts.fold(self.without_blocks(), without))
    }

    /// Free time without the buffers around meetings.
    pub fn quiet(&self) -> Vec<Stretch> {
        let meetings = self
            .blocks
            .iter()
            .filter(|block| block.kind == BlockType::Meeting);
        let cuts = meetings.map(|block| {
            let Stretch { from, to } = self.stretch(block.span);
            Stretch {
                from: from.saturating_sub(self.limits.buffer),
                to: to + self.limits.buffer,
            }
        });
        self.on_grid(cuts.fold(self.free(), without))
    }

    /// Quiet time in which no wish forbids focus work.
    pub fn work_time(&self) -> Vec<Stretch> {
        self.without_forbidden(self.quiet())
    }

    pub fn without_forbidden(&self, stretches: Vec<Stretch>) -> Vec<Stretch> {
        let forbidden = self.limits.no_focus.iter();
        let cuts = forbidden.map(|(span, _)| self.stretch(*span));
        self.on_grid(cuts.fold(stretches, without))
    }

    /// Minutes that new blocks may take without touching the slack.
    pub fn open_minutes(&self) -> u32 {
        let open: u32 = self
            .without_blocks()
            .into_iter()
            .map(Stretch::minutes)
            .sum();
        open.saturating_sub(self.slack(self.limits.slack))
    }

    /// The minutes of so many percent of the time beside meetings. The end of a day has no slack.
    pub fn slack(&self, percent: u32) -> u32 {
        let Some(window) = self.window else { return 0 };
        let fixed = self.blocks.iter().filter(|block| is_fixed(block.kind));
        let beside = gaps::free(fixed.map(|block| block.span), window, self.clock);
        let beside: u32 = beside.iter().map(|gap| gap.duration).sum();
        if self.clock.minutes(window) >= SLACK_FROM {
            beside * percent / 100
        } else {
            0
        }
    }

    /// Minutes of work and meetings since the last rest before a time.
    pub fn worked_until(&self, at: u32) -> u32 {
        let busy = self
            .blocks
            .iter()
            .map(|block| (self.stretch(block.span), block.kind));
        let mut busy: Vec<_> = busy.filter(|(stretch, _)| stretch.from < at).collect();
        busy.sort_by_key(|(stretch, _)| std::cmp::Reverse((stretch.to, stretch.from)));
        let (mut since, mut minutes) = (at, 0);
        for (stretch, kind) in busy {
            if since.saturating_sub(stretch.to) >= REST {
                break;
            }
            match kind {
                BlockType::Break | BlockType::Blocked => break,
                BlockType::Email => {}
                BlockType::Work | BlockType::Meeting => {
                    minutes += since.min(stretch.to).saturating_sub(stretch.from);
                }
            }
            since = since.min(stretch.from);
        }
        minutes
    }

    /// Adds a new block.
    pub fn put(&mut self, kind: BlockType, title: &str, at: Stretch, rule: Rule) {
        let new = self.span(at).map(|span| PlannedBlock {
            id: None,
            kind,
            title: title.to_owned(),
            span,
            change: Change::New,
            tasks: Vec::new(),
            rule,
        });
        self.blocks.extend(new);
        self.sort();
    }

    /// Puts blocks in the order of the day, however they were added.
    pub fn sort(&mut self) {
        self.blocks
            .sort_by(|a, b| (a.span, &a.title, &a.id).cmp(&(b.span, &b.title, &b.id)));
    }
}

pub(super) const fn is_fixed(kind: BlockType) -> bool {
    matches!(kind, BlockType::Meeting | BlockType::Blocked)
}

/// The working day from now on. If clocks skip its start or end, it starts or ends at the change.
fn window(working: Span, from: ClockTime, clock: &DayClock) -> Option<Span> {
    let rounded = from.minutes().div_ceil(GRID) * GRID;
    let from = ClockTime::from_minutes(rounded)?.max(working.start());
    let start = (from.minutes()..=ClockTime::END_OF_DAY.minutes())
        .filter_map(ClockTime::from_minutes)
        .find(|time| clock.exists(*time))?;
    let end = if clock.exists(working.end()) {
        working.end()
    } else {
        clock.plus(ClockTime::MIDNIGHT, clock.elapsed(working.end()))?
    };
    let span = Span::new(start, end)?;
    (clock.minutes(span) > 0).then_some(span)
}
