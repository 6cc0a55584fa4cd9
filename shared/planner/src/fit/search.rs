//! The search of a placement: branch and bound over the stretches in their order, with a table of what was reached
//! before. The bound lets tasks be cut anywhere at no cost.

use std::collections::HashMap;

use super::{Job, Part, Split, Worth};

/// Tasks that are searched through; a bit each.
const SEARCHED: usize = 64;
/// A task that goes on: its position among the candidates, and the minutes it still takes.
type Carry = Option<(usize, u32)>;

struct Search<'a> {
    jobs: Vec<Job>,
    /// How each is split; `None` for what isn't.
    splits: Vec<Option<Split>>,
    /// For each the one before it that takes as long, which goes first where both are placed whole.
    twin: Vec<Option<usize>>,
    rooms: &'a [u32],
    parts: Vec<Part>,
    best: (Worth, Vec<Part>),
    reached: HashMap<(usize, u64, Carry), Worth>,
    steps: u32,
}

pub(super) fn best(jobs: &[Job], rooms: &[u32], steps: &mut u32) -> Vec<Part> {
    let positions = candidates(jobs, rooms);
    let longest = rooms.iter().copied().max().unwrap_or(0);
    let own: Vec<Job> = positions.iter().map(|position| jobs[*position]).collect();
    let twin = |at: usize| {
        (0..at)
            .rev()
            .find(|other| own[*other].minutes == own[at].minutes)
    };
    let mut search = Search {
        splits: own.iter().map(|job| Split::of(job, longest)).collect(),
        twin: (0..own.len()).map(twin).collect(),
        jobs: own,
        rooms,
        parts: Vec::new(),
        best: (Worth::default(), Vec::new()),
        reached: HashMap::new(),
        steps: *steps,
    };
    search.enter(0, 0, None, Worth::default());
    *steps = search.steps;
    let mut parts = search.best.1;
    for part in &mut parts {
        part.job = positions[part.job];
    }
    if positions.len() < jobs.len() {
        top_up(jobs, rooms, &mut parts);
    }
    parts
}

/// Of tasks that take as long only so many can be placed as there is room for; of the others the first.
fn candidates(jobs: &[Job], rooms: &[u32]) -> Vec<usize> {
    let mut seen: HashMap<u32, u32> = HashMap::new();
    let fits = |minutes: u32| rooms.iter().map(|room| room / minutes + 1).sum::<u32>();
    let matters = |position: &usize| {
        let minutes = jobs[*position].minutes;
        let count = seen.entry(minutes).or_default();
        *count += 1;
        *count <= fits(minutes)
    };
    (0..jobs.len()).filter(matters).take(SEARCHED).collect()
}

/// Puts what wasn't searched through where there is still room.
fn top_up(jobs: &[Job], rooms: &[u32], parts: &mut Vec<Part>) {
    let mut left = rooms.to_vec();
    for part in parts.iter() {
        left[part.room] -= part.minutes;
    }
    for (job, Job { minutes, .. }) in jobs.iter().enumerate() {
        if parts.iter().any(|part| part.job == job) {
            continue;
        }
        if let Some(room) = left.iter().position(|left| left >= minutes) {
            left[room] -= minutes;
            parts.push(Part {
                job,
                room,
                minutes: *minutes,
            });
        }
    }
    parts.sort_by_key(|part| part.room);
}

impl Search<'_> {
    /// Into a stretch, with what is used by now and what goes on.
    fn enter(&mut self, room: usize, used: u64, carry: Carry, worth: Worth) {
        let known = self.reached.get(&(room, used, carry));
        if known.is_some_and(|known| *known >= worth) {
            return;
        }
        self.reached.insert((room, used, carry), worth);
        let Some(minutes) = self.rooms.get(room).copied() else {
            if worth > self.best.0 {
                self.best = (worth, self.parts.clone());
            }
            return;
        };
        let Some((job, left)) = carry else {
            return self.fill((room, minutes), 0, used, worth);
        };
        let part = left.min(minutes);
        self.parts.push(Part {
            job,
            room,
            minutes: part,
        });
        let then = worth + self.jobs[job].minutes_in(part, room);
        if part < left {
            // Its pause for what is left.
            let then = then - self.jobs[job].pause();
            self.enter(room + 1, used, Some((job, left - part)), then);
        } else {
            self.fill((room, minutes - part), 0, used, then);
        }
        self.parts.pop();
    }

    /// Puts tasks from this position on into what is left of a stretch.
    fn fill(&mut self, (room, left): (usize, u32), from: usize, used: u64, worth: Worth) {
        if self.steps == 0 || worth + self.at_most((room, left), used) <= self.best.0 {
            return;
        }
        self.steps -= 1;
        for job in 0..self.jobs.len() {
            if used & (1 << job) != 0 {
                continue;
            }
            let Job { minutes, .. } = self.jobs[job];
            let in_turn = self.twin[job].is_none_or(|twin| used & (1 << twin) != 0);
            if minutes <= left && job >= from && in_turn {
                self.parts.push(Part { job, room, minutes });
                let then = worth + self.jobs[job].minutes_in(minutes, room);
                self.fill((room, left - minutes), job + 1, used | 1 << job, then);
                self.parts.pop();
            } else if self.splits[job].is_some_and(|split| split.fits(minutes, left)) {
                self.parts.push(Part {
                    job,
                    room,
                    minutes: left,
                });
                let then = worth + self.jobs[job].minutes_in(left, room) - self.jobs[job].pause();
                self.enter(room + 1, used | 1 << job, Some((job, minutes - left)), then);
                self.parts.pop();
            }
        }
        self.enter(room + 1, used, None, worth);
    }

    /// No way to go on is worth more: each minute goes to what deserves it most, cut anywhere at no cost.
    fn at_most(&self, (mut room, mut left): (usize, u32), used: u64) -> Worth {
        let mut worth = Worth::default();
        let open = self.jobs.iter().enumerate();
        for (_, found) in open.filter(|(job, _)| used & (1 << job) == 0) {
            let mut minutes = found.minutes;
            while minutes > 0 {
                while left == 0 {
                    room += 1;
                    let Some(next) = self.rooms.get(room) else {
                        return worth;
                    };
                    left = *next;
                }
                let part = minutes.min(left);
                worth = worth + found.minutes_in(part, room);
                (minutes, left) = (minutes - part, left - part);
            }
        }
        worth
    }
}
