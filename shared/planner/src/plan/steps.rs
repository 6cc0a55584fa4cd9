//! The steps of a layout: what can come next, and what it is worth.

use super::layout::{Phase, Search, State, Step, units};
use super::rules::SHORT_WORK;
use super::timeline::{GRID, Use};
use crate::clock_time::ClockTime;

/// Points for a minute of work; what else there is, is weighed against it.
const WORK: i32 = 10;
/// Focus is worth a little more in the morning.
const MORNING: i32 = 1;
const NOON: u16 = 720;
/// A whole focus block is worth more than its minutes.
const FULL_FOCUS: i32 = 60;
/// Every block costs a change of mind.
const BLOCK: i32 = 25;
/// A block below 45 minutes is hardly focus.
const HARDLY_FOCUS: (u32, i32) = (45, 40);
/// A minute of lunch or e-mail; a minute without a block costs as much.
const OTHER: i32 = 8;
/// A minute of a break, which is only had where it is due; and what each minute too many or too few costs.
const BREAK: i32 = 1;
const BREAK_LONG: i32 = 13;
/// A minute of a kept block that comes when a break is due.
const OVERDUE: i32 = 3;
const BREAK_SHORT: i32 = 15;
const LUNCH: i32 = 6_000;
const LUNCH_OFF: i32 = 30;
/// A whole lunch an hour off is better than half of one.
const LUNCH_SHORTENED: i32 = 2_000;
/// Rather late than early.
const LUNCH_EARLY: i32 = 1;
const EMAIL: i32 = 500;
const EMAIL_SHORTENED: i32 = 30;
/// A wished time counts this much more than a preferred one.
const WISHED: i32 = 9_000;
const WISHED_OFF: i32 = 40;
/// How far lunch may be from its time, in minutes.
const LUNCH_RANGE: u32 = 90;
/// Lunch and e-mail are never shorter, unless they are meant to be. Minutes.
const SHORTEST_LUNCH: u32 = 30;
const SHORTEST_EMAIL: u32 = 15;
const SHORTEST_BREAK: u32 = 10;
/// Rest from which on work starts afresh. Minutes.
const REST: u32 = 15;

/// Takes what can come next: the step, the mark it ends at, its points, and the state behind it.
pub(super) trait Offer: FnMut(Step, usize, i32, State) {}

impl<F: FnMut(Step, usize, i32, State)> Offer for F {}

impl Search<'_> {
    /// All that can come next; of equal values the first is taken.
    pub fn offers(&self, mark: usize, state: State, offer: &mut impl Offer) {
        if !self.time.pieces[mark].is_free() {
            return self.pass(mark, state, offer);
        }
        let after_break = state.phase == Phase::Break;
        self.offer_work(mark, state, offer);
        if !after_break {
            self.offer_lunch(mark, state, offer);
            self.offer_break(mark, state, offer);
        }
        self.offer_email(mark, state, offer);
        if !after_break {
            self.offer_idle(mark, state, offer);
        }
    }

    /// Through a piece that is taken.
    fn pass(&self, mark: usize, state: State, offer: &mut impl Offer) {
        let minutes = self.time.minutes(mark, mark + 1);
        let (worked, cost) = match self.time.pieces[mark].use_ {
            Use::Meeting | Use::Work => {
                let worked = state.worked + units(minutes);
                let over = self.limit.map_or(0, |limit| worked.saturating_sub(limit));
                let over = u32::try_from(over).unwrap_or(0) * u32::from(GRID);
                let cost = OVERDUE * int(over.min(minutes));
                (self.add(state.worked, minutes), cost)
            }
            Use::Email => (state.worked, 0),
            Use::Rest | Use::KeptFree | Use::Free if state.phase == Phase::Break => return,
            Use::Rest | Use::KeptFree | Use::Free => (0, 0),
        };
        let then = State {
            worked,
            ..state.plain()
        };
        offer(Step::Idle, mark + 1, -cost, then);
    }

    /// Work never counts beyond the limit.
    fn add(&self, worked: usize, minutes: u32) -> usize {
        self.limit
            .map_or(0, |limit| limit.min(worked + units(minutes)))
    }

    fn offer_work(&self, mark: usize, state: State, offer: &mut impl Offer) {
        let reach = self.reach.work[mark];
        // Of equal values the longer block comes first.
        for to in (mark + 1..=reach).rev() {
            let minutes = self.time.minutes(mark, to);
            let tired = self
                .limit
                .is_some_and(|limit| state.worked + units(minutes) > limit);
            if minutes > self.rules.focus || tired {
                continue;
            }
            let shortest = match self.time.pieces[mark].short {
                true => SHORT_WORK,
                false => self.rules.shortest_work(),
            };
            if minutes < shortest {
                break;
            }
            let early = self.time.marks[mark].time.minutes() < NOON;
            let worth = if early { WORK + MORNING } else { WORK };
            let mut points = worth * int(minutes) - BLOCK;
            if minutes == self.rules.focus {
                // Of two places the earlier one gets the whole block.
                let half_hour = self.time.marks[mark].time.minutes() / 30;
                points += FULL_FOCUS + i32::from(48 - half_hour);
            } else if minutes < HARDLY_FOCUS.0 {
                points -= HARDLY_FOCUS.1;
            }
            let worked = self.add(state.worked, minutes);
            let then = State {
                worked,
                ..state.plain()
            };
            offer(Step::Work, to, points, then);
        }
    }

    fn offer_lunch(&self, mark: usize, state: State, offer: &mut impl Offer) {
        let Some(lunch) = self.rules.lunch.as_ref().filter(|_| !state.lunch) else {
            return;
        };
        if self.lunch_at.is_some_and(|at| at != mark) {
            return;
        }
        let off = self.off(mark, lunch.at);
        let (reward, weight) = match lunch.wish {
            Some(_) => (WISHED, WISHED_OFF),
            None => (LUNCH, LUNCH_OFF),
        };
        if off > LUNCH_RANGE {
            return;
        }
        let reach = self.reach.free[mark];
        for to in mark + 1..=reach {
            let minutes = self.time.minutes(mark, to);
            if minutes > lunch.length {
                break;
            }
            let missing = lunch.length - minutes;
            if missing > 0 && (minutes < SHORTEST_LUNCH || self.lunch_at.is_some()) {
                continue;
            }
            let shortened = if missing > 0 { LUNCH_SHORTENED } else { 0 };
            let early = if self.time.marks[mark].time < lunch.at {
                LUNCH_EARLY
            } else {
                0
            };
            let points = reward + OTHER * int(minutes) - (weight + early) * int(off) - shortened;
            let then = State {
                worked: 0,
                lunch: true,
                ..state.plain()
            };
            offer(Step::Lunch, to, points, then);
        }
    }

    fn offer_break(&self, mark: usize, state: State, offer: &mut impl Offer) {
        if !self.tired(state) {
            return;
        }
        let wanted = self.rules.break_length;
        let shortest = wanted.min(SHORTEST_BREAK.max(wanted.saturating_sub(u32::from(GRID))));
        let reach = self.reach.free[mark];
        for to in mark + 1..=reach {
            let minutes = self.time.minutes(mark, to);
            if minutes > wanted + u32::from(GRID) {
                break;
            }
            if minutes < shortest {
                continue;
            }
            let points = BREAK * int(minutes.min(wanted))
                - BREAK_LONG * int(minutes.saturating_sub(wanted))
                - BREAK_SHORT * int(wanted.saturating_sub(minutes))
                - BLOCK;
            let then = State {
                worked: 0,
                phase: Phase::Break,
                ..state
            };
            offer(Step::Break, to, points, then);
        }
    }

    fn offer_email(&self, mark: usize, state: State, offer: &mut impl Offer) {
        let Some(email) = self.rules.email.as_ref().filter(|_| !state.email) else {
            return;
        };
        let reward = match &email.wish {
            // However late, it isn't dropped.
            Some((at, _)) => (WISHED - WISHED_OFF * int(self.off(mark, *at))).max(EMAIL),
            None => EMAIL,
        };
        let reach = self.reach.email[mark];
        for to in mark + 1..=reach {
            let minutes = self.time.minutes(mark, to);
            if minutes > email.length {
                break;
            }
            let missing = email.length - minutes;
            if missing > 0 && minutes < SHORTEST_EMAIL {
                continue;
            }
            let points = reward + OTHER * int(minutes) - EMAIL_SHORTENED * int(missing) - BLOCK;
            let then = State {
                email: true,
                ..state.plain()
            };
            offer(Step::Email, to, points, then);
        }
    }

    /// As long as a rest, which starts work afresh; or less, and then something has to follow.
    fn offer_idle(&self, mark: usize, state: State, offer: &mut impl Offer) {
        if state.phase == Phase::Pause {
            return;
        }
        let reach = self.reach.free[mark];
        let mut points = 0;
        for to in mark + 1..=reach {
            let minutes = self.time.minutes(mark, to);
            // What a wish or the slack keeps free of work is free on purpose.
            if !self.time.pieces[to - 1].unfocused {
                points -= OTHER * int(self.time.minutes(to - 1, to));
            }
            if minutes >= REST {
                offer(Step::Idle, to, points, State { worked: 0, ..state });
                return;
            }
            let phase = Phase::Pause;
            offer(Step::Idle, to, points, State { phase, ..state });
        }
    }

    /// Whether half the time to a break is worked, so that one is worth having.
    fn tired(&self, state: State) -> bool {
        self.limit
            .is_some_and(|limit| state.worked > 0 && state.worked * 2 >= limit)
    }

    /// Minutes between a mark and a time.
    fn off(&self, mark: usize, time: ClockTime) -> u32 {
        let there = self.time.marks[mark].time;
        u32::from(there.minutes().abs_diff(time.minutes()))
    }
}

fn int(minutes: u32) -> i32 {
    i32::try_from(minutes).unwrap_or(i32::MAX)
}
