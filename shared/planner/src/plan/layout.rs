//! The layout search: which new blocks stand where. An exact search over all
//! layouts on the timeline (dynamic programming from the end of the day): no
//! other one under the same rules has a better value, and of equal ones always
//! the same is found. Costs marks × minutes to a break × lengths of a block.

use super::rules::Rules;
use super::timeline::{GRID, Timeline, Use};
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
const SHORT_WORK: (u32, i32) = (45, 40);
/// A minute of a due break, of lunch, of e-mail; a minute without a block costs as much.
const OTHER: i32 = 8;
const BREAK_OFF: i32 = 5;
/// Lunch leaves its time only when something is in its way.
const LUNCH: i32 = 4_000;
const LUNCH_OFF: i32 = 30;
const LUNCH_SHORTENED: i32 = 300;
const EMAIL: i32 = 500;
const EMAIL_SHORTENED: i32 = 20;
/// A wished time counts this much more than a preferred one.
const WISHED: i32 = 6_000;
const WISHED_OFF: i32 = 40;
/// How far lunch may be from its time, in minutes.
const LUNCH_RANGE: u32 = 90;
/// Lunch and e-mail are never shorter, unless they are meant to be. Minutes.
const SHORTEST_LUNCH: u32 = 30;
const SHORTEST_EMAIL: u32 = 15;
/// Rest from which on work starts afresh. Minutes.
const REST: u32 = 15;
const IMPOSSIBLE: i32 = i32::MIN / 2;

/// What a new block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Work,
    Lunch,
    /// With the minutes worked before it.
    Break(u32),
    Email,
    Idle,
}

/// A new block between two marks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    pub step: Step,
    pub from: usize,
    pub to: usize,
}

/// What still is to be placed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    pub lunch: bool,
    pub email: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct State {
    /// Worked since the last rest, in units of the grid.
    worked: usize,
    lunch: bool,
    email: bool,
    /// A break just ended: something has to follow.
    rested: bool,
}

#[derive(Clone, Copy)]
struct Choice {
    value: i32,
    step: Step,
    to: usize,
    then: State,
}

struct Search<'a> {
    time: &'a Timeline,
    rules: &'a Rules,
    /// Units of work after which a break is due; `None` without breaks.
    limit: Option<usize>,
    best: Vec<Vec<Option<Choice>>>,
}

/// The best layout, in order.
pub(super) fn search(time: &Timeline, rules: &Rules, wanted: Wanted) -> Vec<Placed> {
    let limit = rules.break_every.map(units);
    let mut search = Search {
        time,
        rules,
        limit,
        best: Vec::new(),
    };
    let last = time.marks.len() - 1;
    search.best = vec![Vec::new(); time.marks.len()];
    for mark in (0..last).rev() {
        let row = search
            .states()
            .map(|state| search.choose(mark, state))
            .collect();
        search.best[mark] = row;
    }
    let start = State {
        worked: 0,
        lunch: !wanted.lunch,
        email: !wanted.email,
        rested: false,
    };
    search.follow(start)
}

fn units(minutes: u32) -> usize {
    minutes.div_ceil(u32::from(GRID)) as usize
}

impl State {
    const fn index(self) -> usize {
        self.worked * 8
            + (self.lunch as usize) * 4
            + (self.email as usize) * 2
            + self.rested as usize
    }
}

impl Search<'_> {
    fn states(&self) -> impl Iterator<Item = State> + use<> {
        (0..(self.limit.unwrap_or(0) + 1) * 8).map(|index| State {
            worked: index / 8,
            lunch: index & 4 != 0,
            email: index & 2 != 0,
            rested: index & 1 != 0,
        })
    }

    fn value(&self, mark: usize, state: State) -> i32 {
        if mark == self.time.marks.len() - 1 {
            // A break before the end of the day is none.
            return if state.rested { IMPOSSIBLE } else { 0 };
        }
        let choice = self.best[mark].get(state.index()).copied().flatten();
        choice.map_or(IMPOSSIBLE, |choice| choice.value)
    }

    fn follow(&self, mut state: State) -> Vec<Placed> {
        let (mut mark, mut placed) = (0, Vec::new());
        while let Some(Some(choice)) = self.best[mark].get(state.index()) {
            if choice.step != Step::Idle {
                placed.push(Placed {
                    step: choice.step,
                    from: mark,
                    to: choice.to,
                });
            }
            (mark, state) = (choice.to, choice.then);
        }
        placed
    }

    fn choose(&self, mark: usize, state: State) -> Option<Choice> {
        if !self.time.pieces[mark].is_free() {
            return self.pass(mark, state);
        }
        let mut best: Option<Choice> = None;
        let mut offer = |step, to, points: i32, then: State| {
            let value = points + self.value(to, then);
            if value > IMPOSSIBLE / 2 && best.is_none_or(|best| value > best.value) {
                best = Some(Choice {
                    value,
                    step,
                    to,
                    then,
                });
            }
        };
        self.offer_work(mark, state, &mut offer);
        if !state.rested {
            self.offer_lunch(mark, state, &mut offer);
            self.offer_break(mark, state, &mut offer);
        }
        self.offer_email(mark, state, &mut offer);
        if !state.rested {
            self.offer_idle(mark, state, &mut offer);
        }
        best
    }

    /// Through a piece that is taken.
    fn pass(&self, mark: usize, state: State) -> Option<Choice> {
        let worked = match self.time.pieces[mark].use_ {
            Use::Meeting | Use::Work => self.add(state.worked, self.time.minutes(mark, mark + 1)),
            Use::Email => state.worked,
            Use::Rest | Use::KeptFree | Use::Free if state.rested => return None,
            Use::Rest | Use::KeptFree | Use::Free => 0,
        };
        let then = State {
            worked,
            rested: false,
            ..state
        };
        Some(Choice {
            value: self.value(mark + 1, then),
            step: Step::Idle,
            to: mark + 1,
            then,
        })
    }

    /// Work never counts beyond the limit.
    fn add(&self, worked: usize, minutes: u32) -> usize {
        self.limit
            .map_or(0, |limit| limit.min(worked + units(minutes)))
    }

    fn offer_work(
        &self,
        mark: usize,
        state: State,
        offer: &mut impl FnMut(Step, usize, i32, State),
    ) {
        let reach = self.time.reach(mark, |piece| piece.takes_work());
        for to in mark + 1..=reach {
            let minutes = self.time.minutes(mark, to);
            let tired = self
                .limit
                .is_some_and(|limit| state.worked + units(minutes) > limit);
            if minutes > self.rules.focus || tired {
                break;
            }
            if minutes < self.rules.shortest_work() {
                continue;
            }
            let early = self.time.marks[mark].time.minutes() < NOON;
            let worth = if early { WORK + MORNING } else { WORK };
            let mut points = worth * int(minutes) - BLOCK;
            if minutes == self.rules.focus {
                points += FULL_FOCUS;
            } else if minutes < SHORT_WORK.0 {
                points -= SHORT_WORK.1;
            }
            let worked = self.add(state.worked, minutes);
            offer(
                Step::Work,
                to,
                points,
                State {
                    worked,
                    rested: false,
                    ..state
                },
            );
        }
    }

    fn offer_lunch(
        &self,
        mark: usize,
        state: State,
        offer: &mut impl FnMut(Step, usize, i32, State),
    ) {
        let Some(lunch) = self.rules.lunch.as_ref().filter(|_| !state.lunch) else {
            return;
        };
        let off = self.off(mark, lunch.at);
        let (reward, weight) = match lunch.wish {
            Some(_) => (WISHED, WISHED_OFF),
            None => (LUNCH, LUNCH_OFF),
        };
        if off > LUNCH_RANGE {
            return;
        }
        let reach = self.time.reach(mark, |piece| piece.is_free());
        for to in mark + 1..=reach {
            let minutes = self.time.minutes(mark, to);
            if minutes > lunch.length {
                break;
            }
            let missing = lunch.length - minutes;
            if missing > 0 && minutes < SHORTEST_LUNCH {
                continue;
            }
            let shortened = if missing > 0 { LUNCH_SHORTENED } else { 0 };
            let points = reward + OTHER * int(minutes) - weight * int(off) - shortened;
            let then = State {
                worked: 0,
                lunch: true,
                ..state
            };
            offer(Step::Lunch, to, points, then);
        }
    }

    fn offer_break(
        &self,
        mark: usize,
        state: State,
        offer: &mut impl FnMut(Step, usize, i32, State),
    ) {
        let Some(limit) = self
            .limit
            .filter(|limit| state.worked * 2 >= *limit && state.worked > 0)
        else {
            return;
        };
        let wanted = self.rules.break_length;
        let reach = self.time.reach(mark, |piece| piece.is_free());
        for to in mark + 1..=reach {
            let minutes = self.time.minutes(mark, to);
            if minutes > wanted + u32::from(GRID) {
                break;
            }
            if minutes + u32::from(GRID) < wanted {
                continue;
            }
            let points = OTHER * int(minutes.min(wanted))
                - BREAK_OFF * int(minutes.abs_diff(wanted))
                - BLOCK;
            let worked = u32::try_from(state.worked.min(limit)).unwrap_or(0) * u32::from(GRID);
            let then = State {
                worked: 0,
                rested: true,
                ..state
            };
            offer(Step::Break(worked), to, points, then);
        }
    }

    fn offer_email(
        &self,
        mark: usize,
        state: State,
        offer: &mut impl FnMut(Step, usize, i32, State),
    ) {
        let Some(email) = self.rules.email.as_ref().filter(|_| !state.email) else {
            return;
        };
        let reward = match &email.wish {
            Some((at, _)) => WISHED - WISHED_OFF * int(self.off(mark, *at)),
            None => EMAIL,
        };
        let reach = self.time.reach(mark, |piece| piece.takes_email());
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
                rested: false,
                ..state
            };
            offer(Step::Email, to, points, then);
        }
    }

    /// One piece, or long enough to be a rest.
    fn offer_idle(
        &self,
        mark: usize,
        state: State,
        offer: &mut impl FnMut(Step, usize, i32, State),
    ) {
        let reach = self.time.reach(mark, |piece| piece.is_free());
        let rest = (mark + 1..=reach).find(|to| self.time.minutes(mark, *to) >= REST);
        let cost = |to| -OTHER * int(self.time.minutes(mark, to));
        if let Some(to) = rest {
            offer(Step::Idle, to, cost(to), State { worked: 0, ..state });
        }
        offer(Step::Idle, mark + 1, cost(mark + 1), state);
    }

    /// Minutes between a mark and a time.
    fn off(&self, mark: usize, time: ClockTime) -> u32 {
        u32::from(
            self.time.marks[mark]
                .time
                .minutes()
                .abs_diff(time.minutes()),
        )
    }
}

fn int(minutes: u32) -> i32 {
    i32::try_from(minutes).unwrap_or(i32::MAX)
}
