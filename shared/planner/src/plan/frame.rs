//! The rules that place new blocks around the existing ones: lunch, e-mail, focus with its breaks, short gaps.

use super::day::{Day, REST, Stretch, nearest};
use super::limits::Fixture;
use super::outcome::{Change, Ends, PlannedBlock, Rule, Titles};
use crate::block::BlockType;
use crate::wish::Wish;

pub(super) const FOCUS_TITLE: &str = "Focus work";
const LUNCH_TITLE: &str = "Lunch";
const BREAK_TITLE: &str = "Break";
const EMAIL_TITLE: &str = "E-mail";
const SHORT_TITLE: &str = "Short tasks";

/// All titles that a plan gives to new blocks.
pub const OWN_TITLES: [&str; 5] = [
    FOCUS_TITLE,
    SHORT_TITLE,
    LUNCH_TITLE,
    BREAK_TITLE,
    EMAIL_TITLE,
];

/// Minutes between lunch and its usual time, at most.
const LUNCH_RANGE: u32 = 90;
/// Minutes of the shortest lunch and e-mail block, unless whole ones are shorter.
const SHORTEST_LUNCH: u32 = 30;
const SHORTEST_EMAIL: u32 = 15;
/// Minutes of the shortest block for short tasks.
const SHORT_BLOCK: u32 = 15;

impl Day<'_> {
    /// Places everything new.
    pub fn place_frame(&mut self) {
        if self.wants_lunch() {
            self.place_lunch();
        }
        self.place_email();
        self.place_focus();
        self.pull_email_forward();
        self.place_short_tasks();
    }

    /// Whether there is no lunch yet, and its usual time isn't over.
    pub fn wants_lunch(&self) -> bool {
        let in_time = self.limits.lunch_time().is_some_and(|lunch| {
            let ahead = self
                .window
                .is_some_and(|window| window.start() < lunch.end());
            ahead && lunch.end() <= self.limits.working.end()
        });
        in_time && !self.blocks.iter().any(|block| self.is_lunch(block))
    }

    pub fn wants_email(&self) -> bool {
        let has_email = self
            .blocks
            .iter()
            .any(|block| block.kind == BlockType::Email);
        self.limits.email.length > 0 && !has_email
    }

    /// Lunch is at its usual time if all of it is free, else at the nearest whole hour or so, else shorter.
    pub fn place_lunch(&mut self) {
        let was = self.take_replaced(BlockType::Break);
        let Fixture { at, length, wish } = self.limits.lunch.clone();
        let preferred = at.filter(|_| self.wants_lunch());
        let Some(preferred) = preferred else {
            return self.go_back(was);
        };
        let at = self.clock.elapsed(preferred);
        let usual = Stretch {
            from: at,
            to: at + length,
        };
        let free = self.free();
        let near = |least: u32| {
            let place = nearest(&free, at, least..=length);
            place.filter(|place| place.from.abs_diff(at) <= LUNCH_RANGE)
        };
        let shortest = SHORTEST_LUNCH.min(length);
        let Some(place) = near(length).or_else(|| near(shortest)) else {
            return self.go_back(was);
        };
        let rule = match wish {
            Some(wish) if place == usual => Rule::Wished(wish),
            None if place == usual => Rule::Lunch,
            _ => {
                let blocks = self.blocks.iter();
                let there = blocks.filter(|block| overlap(self.stretch(block.span), usual));
                let blocked_by = Titles(there.map(|block| block.title.clone()).collect());
                Rule::LunchNear {
                    preferred,
                    blocked_by,
                }
            }
        };
        self.put_or_move(was, BlockType::Break, place, rule);
    }

    /// E-mail is where a wish wants it, else late in the day, if possible in a gap that is hardly longer.
    fn place_email(&mut self) {
        let was = self.take_replaced(BlockType::Email);
        if !self.wants_email() {
            return self.go_back(was);
        }
        let Fixture { at, length, wish } = self.limits.email.clone();
        let quiet = self.quiet();
        let at = at.map(|at| self.clock.elapsed(at));
        let place = |least: u32| match at {
            Some(at) => nearest(&quiet, at, least..=length),
            None => self.late(&quiet, least..=length),
        };
        let shortest = SHORTEST_EMAIL.min(length);
        let Some(place) = place(length).or_else(|| place(shortest)) else {
            return self.go_back(was);
        };
        let rule = match wish {
            Some(wish) if at == Some(place.from) => Rule::Wished(wish),
            _ => Rule::Email,
        };
        self.put_or_move(was, BlockType::Email, place, rule);
    }

    fn late(&self, quiet: &[Stretch], minutes: std::ops::RangeInclusive<u32>) -> Option<Stretch> {
        let (least, most) = minutes.into_inner();
        let long = quiet.iter().filter(|one| one.minutes() >= least);
        let best = long.max_by_key(|one| (one.minutes() < most + SHORT_BLOCK, one.from))?;
        let length = best.minutes().min(most);
        Some(Stretch {
            from: self.grid_before(best.to - length),
            to: best.to,
        })
    }

    /// E-mail follows the last focus block before it, so that the rest of the day is free in one piece.
    fn pull_email_forward(&mut self) {
        let new = |block: &PlannedBlock| block.rule == Rule::Email;
        let Some(at) = self.blocks.iter().position(new) else {
            return;
        };
        let email = self.blocks.remove(at);
        let old = self.stretch(email.span);
        let quiet = self.quiet();
        let around = quiet.iter().find(|one| overlap(**one, old));
        let from = around.map_or(old.from, |one| one.from.min(old.from));
        let place = Stretch {
            from,
            to: from + old.minutes(),
        };
        let span = self.span(place).unwrap_or(email.span);
        self.blocks.push(PlannedBlock { span, ..email });
        self.sort();
    }

    /// Fills work time with focus blocks, from the morning on, until only the slack is left.
    fn place_focus(&mut self) {
        for stretch in self.work_time() {
            let stretch = self.before_rest(stretch);
            let mut rest = Some(stretch);
            while let Some(left) = rest {
                let end = self.place_next_focus(left, left != stretch);
                rest = end.map(|from| Stretch { from, ..left });
            }
        }
    }

    /// The stretch without the rest before existing work that follows it, if one is due by then. Meetings have buffers.
    fn before_rest(&self, stretch: Stretch) -> Stretch {
        let every = self.limits.break_every.unwrap_or(u32::MAX);
        let focus = stretch.minutes().min(self.limits.focus);
        let work = self
            .blocks
            .iter()
            .filter(|block| block.kind == BlockType::Work);
        let mut work = work.map(|block| self.stretch(block.span));
        let next = work.find(|next| (stretch.to..stretch.to + REST).contains(&next.from));
        let next = next.filter(|next| focus + next.minutes() > every);
        let to = next.map_or(stretch.to, |next| {
            self.grid_before(next.from.saturating_sub(REST))
        });
        Stretch { to, ..stretch }
    }

    /// Places a focus block at the start of a stretch, after a break if one is due or if the block follows another.
    /// Gives the block's end.
    fn place_next_focus(&mut self, stretch: Stretch, follows: bool) -> Option<u32> {
        let shortest = self.limits.shortest_focus();
        let worked = self.worked_until(stretch.from);
        let every = self.limits.break_every;
        let due = every.is_some_and(|every| follows || worked > 0 && worked + shortest > every);
        let from = if due {
            self.grid_after(stretch.from + self.limits.break_length)
        } else {
            stretch.from
        };
        let (minutes, ends) = self.longest_focus(Stretch { from, ..stretch }, from - stretch.from);
        let to = self.grid_before(from + minutes);
        if to < from + shortest {
            return None;
        }
        if due {
            let pause = Stretch {
                to: from,
                ..stretch
            };
            let rule = Rule::Break { after: worked };
            self.put(BlockType::Break, BREAK_TITLE, pause, rule);
        }
        let place = Stretch { from, to };
        self.put(BlockType::Work, FOCUS_TITLE, place, Rule::Focus(ends));
        Some(to)
    }

    /// The minutes of a focus block after a pause, and the limit that ends it.
    fn longest_focus(&self, stretch: Stretch, pause: u32) -> (u32, Ends) {
        let percent = self.limits.slack;
        let open = self.open_minutes().saturating_sub(pause);
        let mut limits = vec![
            (self.limits.focus, Ends::FullLength),
            (stretch.minutes(), self.what_follows(stretch.to)),
            (open, Ends::Slack { percent }),
        ];
        if let Some(every) = self.limits.break_every {
            let worked = if pause > 0 {
                0
            } else {
                self.worked_until(stretch.from)
            };
            limits.push((every.saturating_sub(worked), Ends::Break));
            // A block ends earlier if another one fits after the break then.
            let another = self.limits.break_length + self.limits.shortest_focus();
            let after = stretch.minutes().saturating_sub(self.limits.focus);
            if self.limits.break_length < after && after < another && stretch.minutes() <= open {
                limits.push((stretch.minutes() - another, Ends::Break));
            }
        }
        if let Some(most) = self.limits.focus_at_most {
            limits.push((self.focus_left(), Ends::Wish(Wish::FocusAtMost(most))));
        }
        let first = limits.into_iter().min_by_key(|(minutes, _)| *minutes);
        first.unwrap_or((0, Ends::FullLength))
    }

    /// Minutes of focus work that a wish still allows.
    fn focus_left(&self) -> u32 {
        let work = self
            .blocks
            .iter()
            .filter(|block| block.kind == BlockType::Work);
        let done: u32 = work.map(|block| self.clock.minutes(block.span)).sum();
        let most = self.limits.focus_at_most.unwrap_or(u32::MAX);
        most.saturating_sub(done)
    }

    /// What ends work time at the end of a stretch.
    fn what_follows(&self, end: u32) -> Ends {
        let just_after = Stretch {
            from: end,
            to: end + 5,
        };
        let wish = self.span(just_after).and_then(|span| {
            let focus = self.limits.forbids_focus(span).cloned();
            self.limits.keeps_free(span).or(focus)
        });
        let near = end + self.limits.buffer + 5;
        let mut blocks = self.blocks.iter();
        let next = blocks.find(|block| (end..near).contains(&self.stretch(block.span).from));
        match (wish, next) {
            (Some(wish), _) => Ends::Wish(wish),
            (None, Some(next)) => Ends::Next(next.title.clone()),
            (None, None) => Ends::DayEnd,
        }
    }

    /// Buffers shrink in gaps that hold no focus block, so that short tasks fit.
    fn place_short_tasks(&mut self) {
        let work = self.work_time().into_iter();
        let long = work.filter(|one| one.minutes() >= self.limits.shortest_focus());
        let gaps = long.fold(self.without_forbidden(self.free()), |gaps, one| {
            gaps.into_iter().filter(|gap| !overlap(*gap, one)).collect()
        });
        let meetings = self
            .blocks
            .iter()
            .filter(|one| one.kind == BlockType::Meeting);
        let meetings: Vec<Stretch> = meetings.map(|one| self.stretch(one.span)).collect();
        for gap in gaps {
            let margin = |beside: bool| {
                if beside {
                    self.limits.least_buffer()
                } else {
                    0
                }
            };
            let after = meetings.iter().any(|one| gap.from.abs_diff(one.to) < 5);
            let before = meetings.iter().any(|one| one.from.abs_diff(gap.to) < 5);
            let place = Stretch {
                from: self.grid_after(gap.from + margin(after)),
                to: self.grid_before(gap.to.saturating_sub(margin(before))),
            };
            let minutes = place.minutes();
            let every = self.limits.break_every.unwrap_or(u32::MAX);
            let open = self.open_minutes().min(self.focus_left());
            let rested = self.worked_until(place.from) + minutes <= every;
            if (SHORT_BLOCK..=open).contains(&minutes) && rested {
                self.put(BlockType::Work, SHORT_TITLE, place, Rule::ShortGap);
            }
        }
    }

    fn take_replaced(&mut self, kind: BlockType) -> Option<PlannedBlock> {
        let mut replaced = self.replaced.iter();
        let at = replaced.position(|block| block.kind == kind)?;
        Some(self.replaced.remove(at))
    }

    fn go_back(&mut self, was: Option<PlannedBlock>) {
        self.blocks.extend(was);
        self.sort();
    }

    /// Places lunch or e-mail: the existing block anew, or a new one.
    fn put_or_move(
        &mut self,
        was: Option<PlannedBlock>,
        kind: BlockType,
        place: Stretch,
        rule: Rule,
    ) {
        match (was, self.span(place)) {
            (Some(was), Some(span)) => {
                let change = if was.span == span {
                    Change::Kept
                } else {
                    Change::Moved { from: was.span }
                };
                self.go_back(Some(PlannedBlock {
                    span,
                    change,
                    rule,
                    ..was
                }));
            }
            (was, None) => self.go_back(was),
            (None, Some(_)) if kind == BlockType::Email => self.put(kind, EMAIL_TITLE, place, rule),
            (None, Some(_)) => self.put(kind, LUNCH_TITLE, place, rule),
        }
    }
}

const fn overlap(a: Stretch, b: Stretch) -> bool {
    a.from < b.to && b.from < a.to
}
