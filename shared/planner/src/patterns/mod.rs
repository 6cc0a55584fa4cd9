//! Habits of a person: what more than half of their observations agree on, at least three of them. How sure a pattern
//! is follows from the two numbers alone (`confidence`), and each can be shown with dated examples.

mod find;
mod pattern;
mod task_event;
#[cfg(test)]
mod tests;

pub use pattern::{Pattern, SURE, What, confidence};
pub use task_event::{Happened, InBlock, TaskEvent};

use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::block::TimeBlock;
use crate::wish::Wish;
use crate::words;

#[derive(Clone, Debug)]
pub struct Observations {
    pub zone: TimeZone,
    /// Days with blocks, each once.
    pub days: Vec<Day>,
    pub tasks: Vec<TaskEvent>,
    pub asked: Vec<Asked>,
    pub offers: Vec<Offer>,
}

#[derive(Clone, Debug)]
pub struct Day {
    pub date: Date,
    pub blocks: Vec<TimeBlock>,
}

/// Wishes for plans that the person stated on a day.
#[derive(Clone, Debug)]
pub struct Asked {
    pub date: Date,
    pub wishes: Vec<Wish>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    pub date: Date,
    pub what: Offered,
    pub taken: bool,
    /// Whether words that its owner didn't write are in it.
    pub tainted: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Offered {
    /// A task for a work block.
    Task { id: String, title: String },
    /// To archive a mail from this address.
    Archiving(String),
}

words! {
    RemarkKind {
        Positive = "positive",
        Negative = "negative",
        Suggestion = "suggestion",
        Bug = "bug",
    }
}

impl Observations {
    pub const fn new(zone: TimeZone) -> Self {
        Self {
            zone,
            days: Vec::new(),
            tasks: Vec::new(),
            asked: Vec::new(),
            offers: Vec::new(),
        }
    }
}

/// The patterns, the surest first; of equals by their text. The order of the observations makes no difference.
pub fn patterns(seen: &Observations) -> Vec<Pattern> {
    let single = [
        find::lunch(&seen.days),
        find::focus_length(&seen.days),
        find::task_lengths(&seen.tasks, &seen.zone),
    ];
    let mut found: Vec<Pattern> = single.into_iter().flatten().collect();
    found.extend(find::wishes(&seen.asked));
    found.extend(find::declined(&seen.offers));
    found.sort_by(|a, b| {
        let sure = b.confidence().total_cmp(&a.confidence());
        sure.then_with(|| a.what.to_string().cmp(&b.what.to_string()))
    });
    found
}
