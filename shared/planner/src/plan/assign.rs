//! Which task goes into which work block: first what the person wants first,
//! then what is due, then the best use of what is left.

use jiff::civil::Date;

use super::outcome::{Because, LeftOut, LeftOutWhy, Urgency};
use crate::backlog::ScoredTask;
use crate::clock_time::ClockTime;
use crate::combine::{self, Strategy};
use crate::wish::{Wish, is_meant};

/// Due tasks up to this many are packed by trying all ways.
const PACKED: usize = 12;
/// Ways that are tried before the best so far is taken.
const TRIES: u32 = 20_000;
const NOON: u16 = 720;

/// A work block that takes tasks.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    /// Where it is in the plan.
    pub block: usize,
    pub start: ClockTime,
    /// Minutes it has for new tasks.
    pub minutes: u32,
    /// The only task it is for.
    pub reserved: Option<usize>,
}

/// Tasks by slot, as positions in the list that was given, in the order they are to be done.
pub(super) fn assign(tasks: &[Ranked<'_>], slots: &[Slot]) -> Vec<Vec<usize>> {
    let mut packing = Packing {
        tasks,
        slots,
        left: slots.iter().map(|slot| slot.minutes).collect(),
        inside: vec![Vec::new(); slots.len()],
        placed: vec![false; tasks.len()],
    };
    for (slot, reserved) in slots.iter().enumerate() {
        if let Some(task) = reserved.reserved {
            packing.put(task, slot);
        }
    }
    for tier in [Tier::First, Tier::Due, Tier::Tomorrow] {
        packing.place_due(tier);
    }
    packing.fill(Tier::Rest, |slot| match slot.start.minutes() < NOON {
        true => Strategy::Priority,
        false => Strategy::Mixed,
    });
    for inside in &mut packing.inside {
        inside.sort_unstable();
    }
    packing.inside
}

/// A task with its place among the others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ranked<'a> {
    pub task: &'a ScoredTask,
    pub urgency: Urgency,
}

/// Tasks in the order in which they deserve a place.
pub(super) fn rank<'a>(tasks: &[&'a ScoredTask], date: Date, wishes: &[Wish]) -> Vec<Ranked<'a>> {
    let wanted = |task: &ScoredTask| {
        let meant = |wish: &Wish| match wish {
            Wish::First(title) => is_meant(&task.task.title, title),
            _ => false,
        };
        wishes.iter().any(meant)
    };
    let urgency = |task: &ScoredTask| match task.task.due_date {
        _ if wanted(task) => Urgency::First,
        Some(due) if due < date => Urgency::Overdue(due),
        Some(due) if due == date => Urgency::DueToday,
        Some(due) if date.tomorrow().is_ok_and(|tomorrow| due == tomorrow) => Urgency::DueTomorrow,
        _ => Urgency::Score(task.score.score),
    };
    let mut ranked: Vec<Ranked<'a>> = tasks
        .iter()
        .map(|task| Ranked {
            task,
            urgency: urgency(task),
        })
        .collect();
    let due = |ranked: &Ranked<'_>| ranked.task.task.due_date.unwrap_or(Date::MAX);
    ranked.sort_by(|a, b| {
        let by_score = b.task.score.score.cmp(&a.task.score.score);
        Tier::from_urgency(a.urgency)
            .cmp(&Tier::from_urgency(b.urgency))
            .then(by_score)
            .then(due(a).cmp(&due(b)))
            .then_with(|| a.task.order(b.task))
    });
    ranked
}

/// Tasks of an earlier tier never lose their place to one of a later tier.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tier {
    First,
    Due,
    Tomorrow,
    Rest,
}

impl Tier {
    const fn from_urgency(urgency: Urgency) -> Self {
        match urgency {
            Urgency::First => Self::First,
            Urgency::Overdue(_) | Urgency::DueToday => Self::Due,
            Urgency::DueTomorrow => Self::Tomorrow,
            Urgency::Score(_) => Self::Rest,
        }
    }
}

struct Packing<'a> {
    tasks: &'a [Ranked<'a>],
    slots: &'a [Slot],
    left: Vec<u32>,
    inside: Vec<Vec<usize>>,
    placed: Vec<bool>,
}

impl Packing<'_> {
    fn put(&mut self, task: usize, slot: usize) {
        self.left[slot] = self.left[slot].saturating_sub(self.tasks[task].task.minutes());
        self.inside[slot].push(task);
        self.placed[task] = true;
    }

    fn open(&self, tier: Tier) -> Vec<usize> {
        (0..self.tasks.len())
            .filter(|task| {
                !self.placed[*task] && Tier::from_urgency(self.tasks[*task].urgency) == tier
            })
            .collect()
    }

    /// All of a tier at once, so that a task that fits nowhere else isn't shut out by one that does.
    fn place_due(&mut self, tier: Tier) {
        let open = self.open(tier);
        if open.len() <= PACKED {
            for (task, slot) in self.pack(&open) {
                self.put(task, slot);
            }
        }
        self.fill(tier, |_| Strategy::Mixed);
    }

    /// The packing with the highest total score; of equal ones that with the earlier places.
    fn pack(&self, open: &[usize]) -> Vec<(usize, usize)> {
        let mut trial = Trial {
            packing: self,
            open,
            left: self.left.clone(),
            chosen: Vec::new(),
            score: 0,
            best: (0, Vec::new()),
            tries: TRIES,
        };
        trial.go(0);
        trial.best.1
    }

    /// One slot after the other, each with the best combination of what is left.
    fn fill(&mut self, tier: Tier, strategy: impl Fn(&Slot) -> Strategy) {
        for slot in 0..self.slots.len() {
            if self.slots[slot].reserved.is_some() {
                continue;
            }
            let open: Vec<usize> = self
                .open(tier)
                .into_iter()
                .filter(|task| self.tasks[*task].task.minutes() <= self.left[slot])
                .collect();
            let tasks: Vec<&ScoredTask> = open.iter().map(|task| self.tasks[*task].task).collect();
            let chosen = combine::best(&tasks, self.left[slot], strategy(&self.slots[slot]));
            for task in chosen {
                self.put(open[task], slot);
            }
        }
    }
}

struct Trial<'a> {
    packing: &'a Packing<'a>,
    open: &'a [usize],
    left: Vec<u32>,
    chosen: Vec<(usize, usize)>,
    score: u32,
    best: (u32, Vec<(usize, usize)>),
    tries: u32,
}

impl Trial<'_> {
    fn go(&mut self, position: usize) {
        if self.score > self.best.0 {
            self.best = (self.score, self.chosen.clone());
        }
        let rest: u32 = self.open[position..]
            .iter()
            .map(|task| self.packing.tasks[*task].task.score.score)
            .sum();
        if self.tries == 0 || self.score + rest <= self.best.0 {
            return;
        }
        self.tries -= 1;
        let Some(task) = self.open.get(position).copied() else {
            return;
        };
        let (minutes, score) = {
            let task = self.packing.tasks[task].task;
            (task.minutes(), task.score.score)
        };
        for slot in 0..self.left.len() {
            if self.packing.slots[slot].reserved.is_none() && self.left[slot] >= minutes {
                self.left[slot] -= minutes;
                self.score += score;
                self.chosen.push((task, slot));
                self.go(position + 1);
                self.chosen.pop();
                self.score -= score;
                self.left[slot] += minutes;
            }
        }
        self.go(position + 1);
    }
}

/// The tasks without a place, and whom they lost it to.
pub(super) fn left_out(
    tasks: &[Ranked<'_>],
    slots: &[Slot],
    inside: &[Vec<usize>],
) -> Vec<LeftOut> {
    let mut placed = vec![false; tasks.len()];
    for task in inside.iter().flatten() {
        placed[*task] = true;
    }
    let longest = slots.iter().map(|slot| slot.minutes).max();
    let open = (0..tasks.len()).filter(|task| !placed[*task]);
    let out = open.map(|task| {
        let own = tasks[task].task;
        let why = match longest {
            None | Some(0) => LeftOutWhy::NoWorkBlock,
            Some(longest) if longest < own.minutes() => LeftOutWhy::TooLong { longest },
            Some(longest) => match winner(task, tasks, slots, inside) {
                Some(other) => LeftOutWhy::Lost {
                    to: tasks[other].task.task.title.clone(),
                    because: because(&tasks[other], &tasks[task]),
                },
                None => LeftOutWhy::TooLong { longest },
            },
        };
        LeftOut {
            id: own.task.id.clone(),
            title: own.task.title.clone(),
            minutes: own.minutes(),
            why,
        }
    });
    out.collect()
}

/// Who has the place of this task. In a block where only tasks that go behind it stand in its way: the first of
/// those, which fit better. Else the last that goes before it in the blocks that would hold it.
fn winner(
    task: usize,
    tasks: &[Ranked<'_>],
    slots: &[Slot],
    inside: &[Vec<usize>],
) -> Option<usize> {
    let minutes = tasks[task].task.minutes();
    let blocks = || {
        slots
            .iter()
            .zip(inside)
            .filter(|(slot, _)| slot.minutes >= minutes)
    };
    let outdone = blocks().find_map(|(slot, inside)| {
        let ahead: u32 = inside
            .iter()
            .filter(|rival| **rival < task)
            .map(|rival| tasks[*rival].task.minutes())
            .sum();
        let behind = inside.iter().copied().filter(|rival| *rival > task).min();
        behind.filter(|_| slot.minutes - ahead.min(slot.minutes) >= minutes)
    });
    outdone.or_else(|| {
        let rivals = || blocks().flat_map(|(_, inside)| inside.iter().copied());
        rivals()
            .filter(|rival| *rival < task)
            .max()
            .or_else(|| rivals().max())
    })
}

fn because(other: &Ranked<'_>, own: &Ranked<'_>) -> Because {
    let (theirs, score) = (other.task.score.score, own.task.score.score);
    if Tier::from_urgency(other.urgency) < Tier::from_urgency(own.urgency) {
        return Because::Urgency(other.urgency);
    }
    if theirs > score {
        return Because::Score { theirs, own: score };
    }
    Because::Fits {
        theirs: other.task.minutes(),
        own: own.task.minutes(),
    }
}
