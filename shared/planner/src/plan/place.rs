//! Finds places: for blocks that have to move, for tasks that need a long
//! block, and then for everything new.

use super::compose::Day;
use super::fixed::{Circumstances, Uprooted, sort};
use super::layout::{self, Placed, Step, Wanted};
use super::outcome::{Change, Note, PlannedBlock};
use super::reason::Why;
use super::timeline::{GRID, Piece, Timeline};
use crate::block::BlockType;
use crate::clock_time::ClockTime;
use crate::day_use::DayUse;
use crate::span::Span;

/// Minutes from which on what is left of a day keeps slack.
const SLACK_FROM: u32 = 120;
const GRID_MINUTES: u32 = GRID as u32;

/// New blocks on a timeline.
#[derive(Clone)]
pub(super) struct Layout {
    pub time: Timeline,
    pub placed: Vec<Placed>,
}

impl Day<'_> {
    fn timeline(&self, standing: &[PlannedBlock]) -> Option<Timeline> {
        Some(Timeline::new(
            self.window?,
            standing,
            &self.rules,
            &self.clock,
        ))
    }

    /// What has its place, and what might have to go back to it.
    fn standing_and_replaced(&self) -> Vec<PlannedBlock> {
        let replaced = self.present.lunch.iter().chain(&self.present.email);
        self.present
            .standing
            .iter()
            .chain(replaced)
            .cloned()
            .collect()
    }

    pub fn stand(&mut self, block: PlannedBlock) {
        self.present.standing.push(block);
        sort(&mut self.present.standing);
    }

    /// Moves blocks that a wish moves: to the time it names, or to the nearest
    /// that is free. One that can't move keeps its place, and the others find theirs around it.
    pub fn settle_uprooted(&mut self) {
        let mut open = std::mem::take(&mut self.present.uprooted);
        let before = self.present.standing.clone();
        while let Some(stuck) = self.move_all(&open) {
            let Uprooted { block, wish, .. } = open.remove(stuck);
            self.present.standing.clone_from(&before);
            self.notes.push(Note::NotMoved {
                title: block.title.clone(),
                wish,
            });
            self.stuck.push(block);
            for block in self.stuck.clone() {
                self.stand(block);
            }
        }
    }

    /// Moves one after the other; gives the position of the first that can't move.
    fn move_all(&mut self, open: &[Uprooted]) -> Option<usize> {
        for (position, uprooted) in open.iter().enumerate() {
            let span = match uprooted.to {
                Some(to) => self.exactly(self.clock.minutes(uprooted.block.span), to),
                None => self.nearest(&uprooted.block),
            };
            let Some(span) = span else {
                return Some(position);
            };
            let mut block = uprooted.block.clone();
            if span != block.span {
                block.change = Change::Moved { from: block.span };
                block.span = span;
                block.why = Why::Wished(uprooted.wish.clone());
            }
            self.stand(block);
        }
        None
    }

    /// Where a wish wants it, also outside the working hours, if nothing is there and it isn't past.
    pub fn exactly(&self, minutes: u32, to: ClockTime) -> Option<Span> {
        let span = Span::new(to, self.clock.plus(to, minutes)?)?;
        let taken = self
            .present
            .standing
            .iter()
            .any(|block| block.span.overlaps(span));
        (!taken && to >= self.from).then_some(span)
    }

    fn nearest(&self, block: &PlannedBlock) -> Option<Span> {
        let time = self.timeline(&self.standing_and_replaced())?;
        let minutes = self.clock.minutes(block.span);
        let target = block.span.start().minutes();
        let mut starts: Vec<usize> = (0..time.pieces.len()).collect();
        starts.sort_by_key(|mark| (time.marks[*mark].time.minutes().abs_diff(target), *mark));
        let passes = match block.kind {
            BlockType::Work => Piece::takes_work,
            _ => Piece::is_free,
        };
        self.clear_of_lunch(&time, &starts, minutes, passes)
            .or_else(|| time.room(starts, minutes, passes))
            .and_then(|(from, to)| time.span(from, to))
    }

    /// The first room that leaves lunch its usual time.
    fn clear_of_lunch(
        &self,
        time: &Timeline,
        starts: &[usize],
        minutes: u32,
        passes: impl Fn(Piece) -> bool + Copy,
    ) -> Option<(usize, usize)> {
        let lunch = self.rules.lunch_time().filter(|_| self.wanted().lunch);
        starts.iter().find_map(|start| {
            let (from, to) = time.room([*start], minutes, passes)?;
            let span = time.span(from, to)?;
            let clear = lunch.is_none_or(|lunch| !lunch.overlaps(span));
            clear.then_some((from, to))
        })
    }

    /// The best layout. Lunch and e-mail that were to move and find no place go back to their old one.
    pub fn lay_out(&mut self) -> Option<Layout> {
        loop {
            let layout = self.best_layout();
            let has = |step: Step| {
                let placed = layout.iter().flat_map(|layout| &layout.placed);
                placed.into_iter().any(|placed| placed.step == step)
            };
            let lunch = self.present.lunch.take_if(|_| !has(Step::Lunch));
            let email = self.present.email.take_if(|_| !has(Step::Email));
            if lunch.is_none() && email.is_none() {
                return layout;
            }
            for block in lunch.into_iter().chain(email) {
                self.go_back(block);
            }
        }
    }

    /// Gives a block its old place again; what a wish moved there meanwhile goes back too.
    fn go_back(&mut self, block: PlannedBlock) {
        let span = block.span;
        self.stand(block);
        while let Some((mut other, from)) = self.take_moved_into(span) {
            if let Why::Wished(wish) = other.why {
                let title = other.title.clone();
                self.notes.push(Note::NotMoved { title, wish });
            }
            other.span = from;
            other.change = Change::Kept;
            other.why = Why::AlreadyPlanned;
            self.go_back(other);
        }
    }

    /// Takes out a block that was moved to where it shares time with `span`; with it goes where it came from.
    fn take_moved_into(&mut self, span: Span) -> Option<(PlannedBlock, Span)> {
        let standing = &mut self.present.standing;
        let moved = |block: &PlannedBlock| match block.change {
            Change::Moved { from } if block.span.overlaps(span) => Some(from),
            Change::Moved { .. } | Change::New | Change::Kept => None,
        };
        let (at, from) = standing
            .iter()
            .enumerate()
            .find_map(|(at, block)| Some((at, moved(block)?)))?;
        Some((standing.remove(at), from))
    }

    /// Where focus work is limited, by a wish or by the slack, it ends when that much is done.
    fn best_layout(&mut self) -> Option<Layout> {
        (self.rules.focus_done, self.rules.slack_from) = (None, None);
        loop {
            let time = self.timeline(&self.present.standing)?;
            let placed = layout::search(&time, &self.rules, self.wanted());
            let layout = Layout { time, placed };
            let wished = self
                .most_wished()
                .and_then(|most| self.after(&layout, most));
            if let Some(done) = sooner(wished, self.rules.focus_done) {
                self.rules.focus_done = Some(done);
                continue;
            }
            match self.earlier_end(&layout) {
                Some(from) => self.rules.slack_from = Some(from),
                None => return Some(layout),
            }
        }
    }

    /// When focus work has to end, if it leaves too little slack: so much sooner as is missing, but for a break
    /// that may go with it.
    fn earlier_end(&self, layout: &Layout) -> Option<ClockTime> {
        let time = &layout.time;
        let mut new = layout.placed.iter();
        let last = new.clone().rfind(|placed| placed.step == Step::Work)?;
        let used: u32 = new
            .by_ref()
            .map(|placed| time.minutes(placed.from, placed.to))
            .sum();
        let missing = self
            .slack(self.rules.slack)
            .saturating_sub(time.free() - used);
        let step = missing
            .saturating_sub(self.rules.break_length + GRID_MINUTES)
            .max(GRID_MINUTES);
        let sooner = |mark: &usize| time.minutes(*mark, last.to) >= step;
        let end = (0..last.to).rev().find(sooner).unwrap_or(0);
        (missing > 0).then(|| time.marks[end].time)
    }

    /// Minutes of new focus work that a wish allows.
    fn most_wished(&self) -> Option<u32> {
        let kept = self
            .present
            .standing
            .iter()
            .filter(|b| b.kind == BlockType::Work);
        let kept: u32 = kept.map(|block| self.clock.minutes(block.span)).sum();
        Some(self.rules.focus_at_most?.saturating_sub(kept))
    }

    /// So many percent of the time that isn't fixed, in minutes. The rest of a day that is nearly over has none.
    pub fn slack(&self, percent: u32) -> u32 {
        let standing = self.present.standing.iter();
        let taken = standing.map(|block| (block.kind, block.span));
        let day = self
            .window
            .map(|window| DayUse::of(taken, window, &self.clock));
        let long = day.filter(|day| day.minutes >= SLACK_FROM);
        long.map_or(0, |day| day.slack(percent))
    }

    /// When as much new focus work is done, if there is more.
    fn after(&self, layout: &Layout, most: u32) -> Option<ClockTime> {
        let (time, mut left) = (&layout.time, most);
        for placed in layout
            .placed
            .iter()
            .filter(|placed| placed.step == Step::Work)
        {
            let minutes = time.minutes(placed.from, placed.to);
            if minutes > left {
                let fits = |to: &usize| time.minutes(placed.from, *to) <= left;
                let to = (placed.from..placed.to)
                    .rev()
                    .find(fits)
                    .unwrap_or(placed.from);
                let short = time.minutes(placed.from, to) < self.rules.shortest_work();
                let done = if short { placed.from } else { to };
                return Some(time.marks[done].time);
            }
            left -= minutes;
        }
        None
    }

    /// Lunch and e-mail are planned unless they are there, or their time is over.
    pub fn wanted(&self) -> Wanted {
        let circumstances = Circumstances {
            rules: &self.rules,
            wishes: &self.request.wishes,
            clock: &self.clock,
            from: ClockTime::MIDNIGHT,
        };
        let standing = &self.present.standing;
        let has_lunch = standing.iter().any(|block| circumstances.is_lunch(block));
        let has_email = standing.iter().any(|block| block.kind == BlockType::Email);
        let in_time = self.rules.lunch_time().is_some_and(|lunch| {
            let ahead = self
                .window
                .is_some_and(|window| window.start() < lunch.end());
            ahead && lunch.end() <= self.rules.working.end()
        });
        Wanted {
            lunch: in_time && !has_lunch,
            email: self.rules.email.is_some() && !has_email,
        }
    }
}

/// A time, if it is before the one that is known.
fn sooner(time: Option<ClockTime>, known: Option<ClockTime>) -> Option<ClockTime> {
    time.filter(|time| known.is_none_or(|known| *time < known))
}
