//! What a person's stored days, tasks and answers have in common. Nothing is
//! learnt: a pattern is something that more than half of its observations
//! agree on, at least three of them, each of which can be shown with its date.
//! How sure it is is a fixed function of the two numbers (`confidence`).

mod confidence;
mod days;
mod found;
mod offers;
mod said;
mod tasks;
mod words;

#[cfg(test)]
mod tests;

pub use confidence::{SURE, confidence};
pub use found::{DayOfWeek, PartOfDay, Pattern, TaskKind, What};
pub use offers::{Answer, Offer, Offered};
pub use said::{Remark, RemarkKind, Said};
pub use tasks::{Happened, InBlock, TaskEvent};

use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::block::TimeBlock;

/// Observations that a pattern rests on at least, all of which agree.
pub const LEAST: usize = 3;

/// What was seen of a person.
#[derive(Clone, Debug)]
pub struct Observations {
    /// Where they are: the times of days are there.
    pub zone: TimeZone,
    /// Days that have blocks, each once.
    pub days: Vec<Seen>,
    /// What happened to tasks.
    pub tasks: Vec<TaskEvent>,
    /// What they said of plans and of how they are served.
    pub said: Vec<Said>,
    /// What they were proposed, and whether they took it.
    pub offers: Vec<Offer>,
    /// Mails that they have dealt with.
    pub answers: Vec<Answer>,
}

/// A day and what stood on it.
#[derive(Clone, Debug)]
pub struct Seen {
    /// The date.
    pub date: Date,
    /// Its blocks.
    pub blocks: Vec<TimeBlock>,
}

impl Observations {
    /// None yet.
    pub const fn new(zone: TimeZone) -> Self {
        Self {
            zone,
            days: Vec::new(),
            tasks: Vec::new(),
            said: Vec::new(),
            offers: Vec::new(),
            answers: Vec::new(),
        }
    }
}

/// The patterns, the surest first; of equals by what they say. The order in
/// which the observations are given makes no difference.
pub fn patterns(seen: &Observations) -> Vec<Pattern> {
    let mut found = days::find(&seen.days);
    found.extend(tasks::find(&seen.tasks, &seen.zone));
    found.extend(said::find(&seen.said));
    found.extend(offers::find(&seen.offers, &seen.answers));
    found.sort_by(|a, b| {
        let sure = b.confidence().total_cmp(&a.confidence());
        sure.then_with(|| a.what.to_string().cmp(&b.what.to_string()))
    });
    found
}
