//! Habits of a person: what more than half of their observations agree on, at least three of them. How sure a pattern
//! is follows from the two numbers alone (`confidence`), and each can be shown with dated examples.

mod find;
mod observations;
#[cfg(test)]
mod tests;

pub use find::patterns;
pub use observations::{Asked, Day, Observations, Offer, Offered, RemarkKind};
pub use observations::{Happened, InBlock, TaskEvent};

use displaydoc::Display;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use crate::{ClockTime, Wish};

const LEAST: usize = 3;
const EXAMPLES: usize = 3;

/// From this confidence on, plans follow a pattern: four of four observations, or seven of eight.
const SURE: f64 = 0.5;

/// What a pattern states. Tools pass it on as `kind` and `value`; the doc comments are what a person reads.
#[derive(Clone, Debug, Display, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "value", rename_all = "snake_case")]
pub enum What {
    /// Lunch is usually at {0}.
    LunchAt(ClockTime),
    /// Focus blocks are usually about {0} minutes long.
    FocusLength(u32),
    /// Tasks usually take about {0} % of their estimates.
    TasksTake(u32),
    /// You often ask for this: {0}.
    Asked(Wish),
    /// "{title}" is usually left out where it is proposed.
    LeavesTask { id: String, title: String },
    /// Mail from {0} is usually kept where archiving is proposed.
    KeepsMail(String),
}

/// A statement that most observations agree on.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    pub what: What,
    pub agree: usize,
    pub of: usize,
    /// With their dates, the newest first.
    pub examples: Vec<String>,
    /// Whether words that its owner didn't write may be in it.
    pub tainted: bool,
}

impl Pattern {
    pub fn confidence(&self) -> f64 {
        confidence(self.agree, self.of)
    }

    pub fn is_sure(&self) -> bool {
        self.confidence() >= SURE
    }

    /// `None` unless at least three observations and more than half of all agree.
    fn new(what: What, mut agreeing: Vec<Example>, of: usize) -> Option<Self> {
        let agree = agreeing.len();
        if agree < LEAST || 2 * agree <= of {
            return None;
        }
        agreeing.sort_by(|a, b| (b.date, &a.text).cmp(&(a.date, &b.text)));
        let tainted = agreeing.iter().any(|example| example.tainted);
        let newest = agreeing.iter().take(EXAMPLES);
        let examples = newest.map(|one| format!("{}: {}", one.date, one.text));
        Some(Self {
            what,
            agree,
            of,
            examples: examples.collect(),
            tainted,
        })
    }

    /// The value that most observations have in common; of two as frequent values the smaller one.
    fn of_most<K: Ord>(observed: Vec<(K, Example)>, what: impl FnOnce(K) -> What) -> Option<Self> {
        let of = observed.len();
        let mut groups: BTreeMap<K, Vec<Example>> = BTreeMap::new();
        for (value, example) in observed {
            groups.entry(value).or_default().push(example);
        }
        // `max_by_key` takes the last of equals.
        let groups = groups.into_iter().rev();
        let (value, agreeing) = groups.max_by_key(|(_, agreeing)| agreeing.len())?;
        Self::new(what(value), agreeing, of)
    }
}

/// An observation as it is shown.
#[derive(Clone, Debug)]
struct Example {
    date: Date,
    text: String,
    /// Whether words that the person didn't write may be in the text.
    tainted: bool,
}

impl Example {
    fn own(date: Date, text: impl ToString) -> Self {
        Self {
            date,
            text: text.to_string(),
            tainted: false,
        }
    }
}

/// The lower end of the Wilson interval, at 95 %, of the share that agrees, to two decimals:
/// `(p + z²/2n − z·√(p(1−p)/n + z²/4n²)) / (1 + z²/n)` with `p = agree/of`, `n = of` and `z = 1.96`. Three of three
/// give 0.44, ten of ten 0.72, five of ten 0.24. 0 without observations.
pub fn confidence(agree: usize, of: usize) -> f64 {
    const Z: f64 = 1.96;
    if of == 0 {
        return 0.0;
    }
    let n = of as f64;
    let (share, square) = (agree as f64 / n, Z * Z);
    let spread = (share * (1.0 - share) / n + square / (4.0 * n * n)).sqrt();
    let low = (share + square / (2.0 * n) - Z * spread) / (1.0 + square / n);
    (low.clamp(0.0, 1.0) * 100.0).round() / 100.0
}
