//! The day while it is planned.

use std::ops::RangeInclusive;

use super::DayRequest;
use super::limits::Limits;
use super::outcome::{LeftOut, Note, PlannedBlock, Rule};
use crate::{BlockType, ClockTime, DayClock, Span, Wish, gaps};

/// New blocks start and end at multiples of this many minutes.
const GRID: u16 = 5;
/// Minutes without work after which the count to the next break starts anew.
pub(super) const REST: u32 = 15;
/// Minutes that a window must have to keep slack.
const SLACK_FROM: u32 = 120;

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
    /// Whether there is no task to plan.
    pub no_task: bool,
    pub left_out: Vec<LeftOut>,
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
            no_task: false,
            left_out: Vec::new(),
            notes: Vec::new(),
        }
    }

    pub fn stretch(&self, span: Span) -> Stretch {
        let (start, end) = (span.start(), span.end());
        Stretch::new(self.clock.elapsed(start), self.clock.elapsed(end))
    }

    /// `None` if no two clock times name its ends.
    pub fn span(&self, stretch: Stretch) -> Option<Span> {
        // Where clocks skip an hour, a stretch ends before it and starts after it.
        let end = self.clock.first_after(stretch.to);
        let end = end.filter(|end| self.clock.elapsed(*end) == stretch.to);
        let end = end.unwrap_or_else(|| self.clock.last_before(stretch.to));
        Span::new(self.clock.last_before(stretch.from), end)
    }

    /// The last time on the grid that isn't later.
    pub fn grid_before(&self, minutes: u32) -> u32 {
        let time = self.clock.last_before(minutes).minutes() / GRID * GRID;
        ClockTime::from_minutes(time).map_or(0, |time| self.clock.elapsed(time))
    }

    /// The first time on the grid that isn't earlier.
    pub fn grid_after(&self, minutes: u32) -> u32 {
        let time = self.clock.first_after(minutes);
        let time = time.unwrap_or(ClockTime::END_OF_DAY).minutes();
        let time = ClockTime::from_minutes(time.div_ceil(GRID) * GRID);
        time.map_or(minutes, |time| self.clock.elapsed(time))
    }

    fn on_grid(&self, stretches: Vec<Stretch>) -> Vec<Stretch> {
        let round =
            |one: Stretch| Stretch::new(self.grid_after(one.from), self.grid_before(one.to));
        let rounded = stretches.into_iter().map(round);
        rounded.filter(|one| one.minutes() > 0).collect()
    }

    pub fn of_kind(&self, kind: BlockType) -> impl Iterator<Item = &PlannedBlock> {
        self.blocks.iter().filter(move |block| block.kind == kind)
    }

    /// The time of the window that these leave.
    fn beside(&self, taken: impl Iterator<Item = Span>) -> Vec<Stretch> {
        let Some(window) = self.window else {
            return Vec::new();
        };
        let gaps = gaps::free(taken, window).into_iter();
        let stretches = gaps.map(|gap| self.stretch(gap));
        stretches.filter(|one| one.minutes() > 0).collect()
    }

    /// The time without blocks, including time that wishes keep free.
    pub fn without_blocks(&self) -> Vec<Stretch> {
        self.beside(self.blocks.iter().map(|block| block.span))
    }

    pub fn reserved(&self) -> impl Iterator<Item = &PlannedBlock> {
        self.replaced.iter().chain(&self.moving)
    }

    /// The time in which a new block may be, on the grid.
    pub fn free(&self) -> Vec<Stretch> {
        let reserved = self.reserved().map(|block| &block.span);
        let kept = self.limits.keep_free.iter().map(|(span, _)| span);
        let cuts = kept.chain(reserved).map(|span| self.stretch(*span));
        self.on_grid(cuts.fold(self.without_blocks(), without))
    }

    /// Free time without the buffers around meetings.
    pub fn quiet(&self) -> Vec<Stretch> {
        let buffer = self.limits.buffer;
        let cuts = self.of_kind(BlockType::Meeting).map(|meeting| {
            let Stretch { from, to } = self.stretch(meeting.span);
            Stretch::new(from.saturating_sub(buffer), to + buffer)
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
        sum(self.without_blocks()).saturating_sub(self.slack(self.limits.slack))
    }

    /// The minutes of so many percent of the time beside meetings. The end of a day has no slack.
    pub fn slack(&self, percent: u32) -> u32 {
        let fixed = self.blocks.iter().filter(|block| block.kind.is_fixed());
        let beside = self.beside(fixed.map(|block| block.span));
        let window = self.window.map_or(0, |window| self.clock.minutes(window));
        let percent = if window < SLACK_FROM { 0 } else { percent };
        sum(beside) * percent / 100
    }

    /// Minutes of work and meetings since the last rest before a time.
    pub fn worked_until(&self, at: u32) -> u32 {
        let blocks = self.blocks.iter();
        let busy = blocks.map(|block| (self.stretch(block.span), block.kind));
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

    pub fn put(&mut self, kind: BlockType, title: &str, at: Stretch, rule: Rule) {
        if let Some(span) = self.span(at) {
            self.add(PlannedBlock::new(kind, title, span, rule));
        }
    }

    /// Adds a block. Blocks are in the order of the day, however they were added.
    pub fn add(&mut self, block: PlannedBlock) {
        let blocks = &mut self.blocks;
        blocks.push(block);
        blocks.sort_by(|a, b| (a.span, &a.title, &a.id).cmp(&(b.span, &b.title, &b.id)));
    }
}

pub(super) fn sum(stretches: Vec<Stretch>) -> u32 {
    stretches.into_iter().map(Stretch::minutes).sum()
}

/// The working day from now on. If clocks skip its start or end, it starts or ends at the change.
fn window(working: Span, from: ClockTime, clock: &DayClock) -> Option<Span> {
    let rounded = from.minutes().div_ceil(GRID) * GRID;
    let from = ClockTime::from_minutes(rounded)?.max(working.start());
    let end = if clock.exists(working.end()) {
        working.end()
    } else {
        clock.first_after(clock.elapsed(working.end()))?
    };
    let span = Span::new(clock.existing(from), end)?;
    (clock.minutes(span) > 0).then_some(span)
}

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
pub(super) fn nearest(open: &[Stretch], at: u32, minutes: RangeInclusive<u32>) -> Option<Stretch> {
    let (least, most) = minutes.into_inner();
    let long = open.iter().filter(|one| one.minutes() >= least);
    let places = long.map(|one| {
        let length = one.minutes().min(most);
        let from = at.clamp(one.from, one.to - length);
        Stretch::new(from, from + length)
    });
    places.min_by_key(|place| (place.from.abs_diff(at), place.from < at))
}
