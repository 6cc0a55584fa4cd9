//! The layout search: which new blocks stand where. An exact search over all
//! layouts on the timeline (dynamic programming from the end of the day): no
//! other one under the same rules has a better value, and of equal ones always
//! the same is found. Costs marks × minutes to a break × lengths of a block.

use super::rules::Rules;
use super::timeline::{GRID, Piece, Timeline, Use};
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
const IMPOSSIBLE: i32 = i32::MIN / 2;

/// What a new block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Work,
    Lunch,
    Break,
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
    phase: Phase,
}

/// What just was.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// A block, or a rest that needs no name.
    Plain,
    /// A break, which work, e-mail or something kept has to follow.
    Break,
    /// Less idle time than a rest.
    Pause,
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
    /// Where lunch is at its time, if nothing is in its way: then it is nowhere else.
    lunch_at: Option<usize>,
    reach: Reach,
    best: Vec<Vec<Option<Choice>>>,
}

/// From each mark the last one to which all pieces are free, take e-mail, take work.
struct Reach {
    free: Vec<usize>,
    email: Vec<usize>,
    work: Vec<usize>,
}

impl Reach {
    fn of(time: &Timeline) -> Self {
        let each = |passes: fn(Piece) -> bool| -> Vec<usize> {
            (0..time.marks.len())
                .map(|mark| time.reach(mark, passes))
                .collect()
        };
        Self {
            free: each(Piece::is_free),
            email: each(Piece::takes_email),
            work: each(Piece::takes_work),
        }
    }
}

/// The best layout, in order.
pub(super) fn search(time: &Timeline, rules: &Rules, wanted: Wanted) -> Vec<Placed> {
    let limit = rules.break_every.map(units);
    let last = time.marks.len() - 1;
    let mut search = Search {
        time,
        rules,
        limit,
        lunch_at: lunch_at(time, rules),
        reach: Reach::of(time),
        best: vec![Vec::new(); last + 1],
    };
    let start = State {
        worked: 0,
        lunch: !wanted.lunch,
        email: !wanted.email,
        phase: Phase::Plain,
    };
    let reachable = search.reachable(start);
    for mark in (0..last).rev() {
        let row = reachable[mark]
            .iter()
            .enumerate()
            .map(|(index, reached)| reached.then(|| search.choose(mark, State::of(index)))?)
            .collect();
        search.best[mark] = row;
    }
    search.follow(start)
}

fn lunch_at(time: &Timeline, rules: &Rules) -> Option<usize> {
    let lunch = rules.lunch.as_ref()?;
    let mark = time.marks.iter().position(|mark| mark.time == lunch.at)?;
    let reach = time.reach(mark, |piece| piece.is_free());
    (time.minutes(mark, reach) >= lunch.length).then_some(mark)
}

fn units(minutes: u32) -> usize {
    minutes.div_ceil(u32::from(GRID)) as usize
}

/// States for each amount of work.
const STATES: usize = 12;

impl State {
    const fn index(self) -> usize {
        let flags = (self.lunch as usize) * 2 + self.email as usize;
        (self.worked * 4 + flags) * 3 + self.phase as usize
    }

    const fn of(index: usize) -> Self {
        Self {
            worked: index / STATES,
            lunch: index / 6 % 2 == 1,
            email: index / 3 % 2 == 1,
            phase: match index % 3 {
                0 => Phase::Plain,
                1 => Phase::Break,
                _ => Phase::Pause,
            },
        }
    }

    /// After a block.
    const fn plain(self) -> Self {
        Self {
            phase: Phase::Plain,
            ..self
        }
    }
}

impl Search<'_> {
    /// The states that can be come to at each mark; most of all there are can't.
    fn reachable(&self, start: State) -> Vec<Vec<bool>> {
        let states = (self.limit.unwrap_or(0) + 1) * STATES;
        let mut reachable = vec![vec![false; states]; self.time.marks.len()];
        reachable[0][start.index()] = true;
        for mark in 0..self.time.pieces.len() {
            let (here, later) = reachable.split_at_mut(mark + 1);
            let from = here[mark]
                .iter()
                .enumerate()
                .filter(|(_, reached)| **reached);
            for (index, _) in from {
                self.offers(
                    mark,
                    State::of(index),
                    &mut |_, to: usize, _, then: State| {
                        later[to - mark - 1][then.index()] = true;
                    },
                );
            }
        }
        reachable
    }

    fn value(&self, mark: usize, state: State) -> i32 {
        if mark == self.time.marks.len() - 1 {
            // A break before the end of the day is none.
            return match state.phase {
                Phase::Break => IMPOSSIBLE,
                Phase::Plain | Phase::Pause => 0,
            };
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
        let mut best: Option<Choice> = None;
        self.offers(mark, state, &mut |step, to, points: i32, then| {
            let value = points + self.value(to, then);
            if value > IMPOSSIBLE / 2 && best.is_none_or(|best| value > best.value) {
                best = Some(Choice {
                    value,
                    step,
                    to,
                    then,
                });
            }
        });
        best
    }

    /// All that can come next; of equal values the first is taken.
    fn offers(&self, mark: usize, state: State, offer: &mut impl FnMut(Step, usize, i32, State)) {
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
    fn pass(&self, mark: usize, state: State, offer: &mut impl FnMut(Step, usize, i32, State)) {
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

    fn offer_work(
        &self,
        mark: usize,
        state: State,
        offer: &mut impl FnMut(Step, usize, i32, State),
    ) {
        let reach = self.reach.work[mark];
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
                // Of two places the earlier one gets the whole block.
                let hour = self.time.marks[mark].time.minutes() / 60;
                points += FULL_FOCUS + i32::from(24 - hour);
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
                    ..state.plain()
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

    fn offer_break(
        &self,
        mark: usize,
        state: State,
        offer: &mut impl FnMut(Step, usize, i32, State),
    ) {
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
    fn offer_idle(
        &self,
        mark: usize,
        state: State,
        offer: &mut impl FnMut(Step, usize, i32, State),
    ) {
        if state.phase == Phase::Pause {
            return;
        }
        let reach = self.reach.free[mark];
        let mut points = 0;
        for to in mark + 1..=reach {
            let minutes = self.time.minutes(mark, to);
            // What a wish keeps free of work is free on purpose.
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
