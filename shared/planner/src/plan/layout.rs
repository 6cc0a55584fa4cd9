//! The layout search: which new blocks stand where. An exact search over all
//! layouts on the timeline (dynamic programming from the end of the day): no
//! other one under the same rules has a better value, and of equal ones always
//! the same is found. Costs marks × minutes to a break × lengths of a block.

use super::rules::Rules;
use super::timeline::{GRID, Piece, Timeline};

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
pub(super) struct State {
    /// Worked since the last rest, in units of the grid.
    pub worked: usize,
    pub lunch: bool,
    pub email: bool,
    pub phase: Phase,
}

/// What just was.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
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

pub(super) struct Search<'a> {
    pub time: &'a Timeline,
    pub rules: &'a Rules,
    /// Units of work after which a break is due; `None` without breaks.
    pub limit: Option<usize>,
    /// Where lunch is at its time, if nothing is in its way: then it is nowhere else.
    pub lunch_at: Option<usize>,
    pub reach: Reach,
    best: Vec<Vec<Option<Choice>>>,
}

/// From each mark the last one to which all pieces are free, take e-mail, take work.
pub(super) struct Reach {
    pub free: Vec<usize>,
    pub email: Vec<usize>,
    pub work: Vec<usize>,
}

impl Reach {
    fn from_timeline(time: &Timeline) -> Self {
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
    let mut search = Search::new(time, rules);
    let start = State::start(wanted);
    search.solve(start);
    search.follow(start)
}

fn lunch_at(time: &Timeline, rules: &Rules) -> Option<usize> {
    let lunch = rules.lunch.as_ref()?;
    let mark = time.marks.iter().position(|mark| mark.time == lunch.at)?;
    let reach = time.reach(mark, |piece| piece.is_free());
    (time.minutes(mark, reach) >= lunch.length).then_some(mark)
}

/// Minutes in units of the grid, rounded up.
pub(super) fn units(minutes: u32) -> usize {
    minutes.div_ceil(u32::from(GRID)) as usize
}

/// States for each amount of work.
const STATES: usize = 12;

impl State {
    const fn start(wanted: Wanted) -> Self {
        Self {
            worked: 0,
            lunch: !wanted.lunch,
            email: !wanted.email,
            phase: Phase::Plain,
        }
    }

    const fn index(self) -> usize {
        let flags = (self.lunch as usize) * 2 + self.email as usize;
        (self.worked * 4 + flags) * 3 + self.phase as usize
    }

    const fn from_index(index: usize) -> Self {
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
    pub const fn plain(self) -> Self {
        Self {
            phase: Phase::Plain,
            ..self
        }
    }
}

impl<'a> Search<'a> {
    fn new(time: &'a Timeline, rules: &'a Rules) -> Self {
        Self {
            time,
            rules,
            limit: rules.break_every.map(units),
            lunch_at: lunch_at(time, rules),
            reach: Reach::from_timeline(time),
            best: vec![Vec::new(); time.marks.len()],
        }
    }

    fn solve(&mut self, start: State) {
        let reachable = self.reachable(start);
        for mark in (0..self.time.pieces.len()).rev() {
            let row = reachable[mark]
                .iter()
                .enumerate()
                .map(|(index, reached)| {
                    reached.then(|| self.choose(mark, State::from_index(index)))?
                })
                .collect();
            self.best[mark] = row;
        }
    }

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
                let state = State::from_index(index);
                self.offers(mark, state, &mut |_, to: usize, _, then: State| {
                    later[to - mark - 1][then.index()] = true;
                });
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::day_clock::tests::clock;
    use crate::plan::outcome::{Change, PlannedBlock};
    use crate::plan::reason::Why;
    use crate::plan::{Habits, rules::Rules};
    use crate::{BlockType, ClockTime, Span};
    use jiff::civil::date;
    use proptest::prelude::*;

    fn span(from: u16, to: u16) -> Span {
        let at = |minutes| ClockTime::from_minutes(minutes).unwrap();
        Span::new(at(from), at(to)).unwrap()
    }

    /// The best value by trying every way, without remembering any.
    fn every_way(search: &Search<'_>, mark: usize, state: State) -> i32 {
        if mark == search.time.marks.len() - 1 {
            return search.value(mark, state);
        }
        let mut ways = Vec::new();
        search.offers(mark, state, &mut |_, to, points: i32, then| {
            ways.push((to, points, then))
        });
        let values = ways
            .into_iter()
            .map(|(to, points, then)| points + every_way(search, to, then));
        values.max().unwrap_or(IMPOSSIBLE)
    }

    proptest! {
        #[test]
        fn no_layout_is_worth_more(
            length in 6_u16..20, focus in 15_u32..60, break_every in 15_u32..60, email in 5_u32..30,
            lunch in 0_u16..20, lunch_length in prop::sample::select(vec![0_u32, 30, 45]),
            meetings in prop::collection::vec((0_u16..20, 1_u16..4), 0..3), buffer in 0_u32..15,
        ) {
            let from = 660;
            let habits = Habits {
                working: span(from, from + length * 5),
                lunch: ClockTime::from_minutes(from + lunch * 5).unwrap(),
                lunch_length, focus, break_every, email, buffer, slack: 0,
            };
            let clock = clock("UTC", date(2026, 11, 23));
            let rules = Rules::new(&habits, &[], &clock).unwrap();
            let standing: Vec<PlannedBlock> = meetings.iter().map(|(start, long)| PlannedBlock {
                id: None,
                kind: BlockType::Meeting,
                title: "Meeting".into(),
                span: span(from + start * 5, from + (start + long) * 5),
                change: Change::Kept,
                tasks: Vec::new(),
                why: Why::AlreadyPlanned,
            }).collect();
            let time = Timeline::new(habits.working, &standing, &rules, &clock);
            let mut search = Search::new(&time, &rules);
            let start = State::start(Wanted { lunch: lunch_length > 0, email: true });
            search.solve(start);
            prop_assert_eq!(search.value(0, start), every_way(&search, 0, start));
        }
    }
}
