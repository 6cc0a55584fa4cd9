//! Which task goes into which stretch of work time, and which goes on in the next: an exact search for the
//! placement that is worth most.
//!
//! A task is placed whole, or it is begun in what is left of a stretch and goes on at the start of the next ones
//! until it is done or the time is over. Worth is counted tier by tier: nothing of a later tier makes up for
//! anything of an earlier one.

mod search;
#[cfg(test)]
mod tests;

use std::ops::{Add, Sub};

/// Steps of a search before the best so far is taken; a day of a dozen tasks takes some hundreds.
pub const STEPS: u32 = 8_000;

/// Tiers of urgency: wanted first, due, due the day after, the rest.
pub const TIERS: usize = 4;
/// Tiers that are urgent.
pub const URGENT: usize = 2;
/// The tier of what can wait.
const REST: usize = TIERS - 1;
/// A task that takes less is done in one go, unless it is urgent or longer than every stretch. Minutes.
pub const SPLIT_FROM: u32 = 60;
/// The shortest beginning of a task that goes on later. Minutes.
pub const LEAST_PART: u32 = 30;
/// The same where every stretch is shorter than that.
const LEAST_OF_SHORT: u32 = 15;
/// What a minute in the first stretch counts, and how much less it does in each that follows.
const FIRST: i64 = 64;
const LATER: i64 = 4;
/// Behind this many stretches later is no worse.
const LAST: usize = 15;
/// The minutes of its worth that a task loses each time it is put down, by tier: what is urgent rather begins.
const PAUSE: [i64; TIERS] = [0, 2, 5, 5];

/// A task to be placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job {
    /// Minutes it takes, at least one.
    pub minutes: u32,
    /// Its tier, below `TIERS`; the first counts most.
    pub tier: usize,
    /// What a minute of it is worth within its tier.
    pub score: u32,
}

/// Minutes of a task in one stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Which task, by its position.
    pub job: usize,
    /// Which stretch, by its position.
    pub room: usize,
    /// How many.
    pub minutes: u32,
}

/// What a placement is worth, the first tier first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Worth(pub [i64; TIERS]);

impl Add for Worth {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(std::array::from_fn(|tier| self.0[tier] + other.0[tier]))
    }
}

impl Sub for Worth {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(std::array::from_fn(|tier| self.0[tier] - other.0[tier]))
    }
}

impl Job {
    /// `amount` in its tier, times what a minute of it is worth.
    fn of(&self, amount: i64) -> Worth {
        let mut worth = Worth::default();
        worth.0[self.tier] = amount * i64::from(self.score);
        worth
    }

    /// So many minutes of it in that stretch.
    fn minutes_in(&self, minutes: u32, room: usize) -> Worth {
        self.of(i64::from(minutes) * minute(room))
    }

    /// What it loses when it is put down.
    fn pause(&self) -> Worth {
        self.of(PAUSE[self.tier] * FIRST)
    }
}

const fn minute(room: usize) -> i64 {
    let room = if room < LAST { room } else { LAST };
    FIRST - LATER * room as i64
}

/// The placement that is worth most, in the order of the stretches and in each what goes on, then the others in
/// their order, then what is begun. `jobs` are in the order in which they deserve a place, by tier and score;
/// `rooms` are minutes. Exact for up to 64 tasks that can matter; above, and where the search takes too long, never worse
/// than taking one after the other.
pub fn fit(jobs: &[Job], rooms: &[u32]) -> Vec<Part> {
    fit_within(jobs, rooms, &mut STEPS.clone())
}

/// The same, with the steps that it may take, of which it leaves those that it doesn't; none left means that it may
/// not be the best.
pub(crate) fn fit_within(jobs: &[Job], rooms: &[u32], steps: &mut u32) -> Vec<Part> {
    search::best(jobs, rooms, steps)
}

/// What a placement is worth.
pub fn worth(jobs: &[Job], parts: &[Part]) -> Worth {
    let mut worth = Worth::default();
    for (position, job) in jobs.iter().enumerate() {
        let own = parts.iter().filter(|part| part.job == position);
        let (mut done, mut pauses) = (0, 0);
        for part in own {
            worth = worth + job.minutes_in(part.minutes, part.room);
            done += part.minutes;
            pauses += 1;
        }
        // The last part ends with the task, unless some of it is left.
        if done == job.minutes {
            pauses -= 1;
        }
        for _ in 0..pauses {
            worth = worth - job.pause();
        }
    }
    worth
}

/// How a task is begun in a stretch that doesn't hold it. Minutes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    /// The least it is begun with.
    pub begun: u32,
    /// The least that is left of it then: nobody puts a task down for its last quarter of an hour.
    pub left: u32,
}

impl Split {
    /// `None` for a task that is done in one go.
    pub const fn of(job: &Job, longest_room: u32) -> Option<Self> {
        let begun = match longest_room {
            LEAST_PART.. => LEAST_PART,
            _ => LEAST_OF_SHORT,
        };
        if job.tier < URGENT || job.minutes > longest_room {
            return Some(Self { begun, left: 1 });
        }
        if job.minutes < SPLIT_FROM {
            return None;
        }
        // For an earlier tier the rule would put what can wait in front, so that enough is left.
        let left = if job.tier == REST { begun } else { 1 };
        Some(Self { begun, left })
    }

    /// Whether a task of so many minutes may be begun in what is left of a stretch.
    pub const fn fits(self, minutes: u32, room: u32) -> bool {
        room >= self.begun && minutes >= room + self.left
    }
}
