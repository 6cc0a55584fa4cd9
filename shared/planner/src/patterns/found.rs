//! A pattern: what it says, and what it rests on.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use super::LEAST;
use super::confidence::{SURE, confidence};
use super::said::RemarkKind;
use crate::clock_time::ClockTime;
use crate::wish::Wish;
use crate::words;

/// Examples of a pattern, the newest.
const EXAMPLES: usize = 3;

words! {
    /// A part of the day, by when something begins or is done.
    PartOfDay {
        /// Before 12:00.
        Morning = "morning",
        /// From 12:00 on.
        Afternoon = "afternoon",
        /// From 17:00 on.
        Evening = "evening",
    }
}

impl PartOfDay {
    /// The part in which a time is.
    pub const fn at(time: ClockTime) -> Self {
        match time.minutes() {
            0..720 => Self::Morning,
            720..1_020 => Self::Afternoon,
            _ => Self::Evening,
        }
    }
}

words! {
    /// A day of the week.
    DayOfWeek {
        /// Monday.
        Monday = "Monday",
        /// Tuesday.
        Tuesday = "Tuesday",
        /// Wednesday.
        Wednesday = "Wednesday",
        /// Thursday.
        Thursday = "Thursday",
        /// Friday.
        Friday = "Friday",
        /// Saturday.
        Saturday = "Saturday",
        /// Sunday.
        Sunday = "Sunday",
    }
}

words! {
    /// A kind of task. One task may be of several.
    TaskKind {
        /// Any.
        Any = "tasks",
        /// Of high priority.
        Pressing = "tasks of high priority",
        /// Of low priority.
        Minor = "tasks of low priority",
        /// Estimated at 15 minutes or less.
        Quick = "tasks of up to 15 minutes",
        /// Estimated at an hour or more.
        Long = "tasks of an hour or more",
        /// Made of a mail.
        FromMail = "tasks from mail",
    }
}

/// What a pattern says. Tools pass it on as `kind` and `value`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "value", rename_all = "snake_case")]
pub enum What {
    /// Lunch starts then.
    LunchAt(ClockTime),
    /// Most minutes of focus work are in this part of the day.
    FocusIn(PartOfDay),
    /// The first focus block of the day begins about then.
    FocusFrom(ClockTime),
    /// Focus blocks are about so many minutes long.
    FocusLength(u32),
    /// There is focus work on this day of the week.
    FocusOn(DayOfWeek),
    /// Meetings begin in this part of the day.
    MeetingsIn(PartOfDay),
    /// Tasks take so many percent of their estimates, which is more or less than estimated.
    TasksTake(u32),
    /// Tasks are done as estimated.
    TasksTakeAsEstimated,
    /// Tasks of this kind are done in this part of the day.
    DoneIn {
        /// Which tasks.
        tasks: TaskKind,
        /// When.
        part: PartOfDay,
    },
    /// A task that is put off.
    PutOff {
        /// Its title.
        title: String,
    },
    /// What is asked for of plans.
    Asked(Wish),
    /// Feedback of one kind about one thing.
    Remarked {
        /// Of which kind.
        remark: RemarkKind,
        /// About what, in lower case.
        category: String,
    },
    /// A task that is left out of proposals.
    LeavesTask {
        /// Its id.
        id: String,
        /// Its title.
        title: String,
    },
    /// Mail from this sender is kept where archiving it is proposed.
    KeepsMail(String),
    /// Mail from this sender is archived where that is proposed.
    ArchivesMail(String),
    /// Mail from this sender gets an answer.
    AnswersMail(String),
}

/// A pattern.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    /// What it says.
    pub what: What,
    /// Observations that agree.
    pub agree: usize,
    /// All observations.
    pub of: usize,
    /// Real ones, with their dates, the newest first.
    pub examples: Vec<String>,
    /// Whether words its owner didn't write may be in it.
    pub tainted: bool,
}

impl Pattern {
    /// How sure it is, 0 to 1.
    pub fn confidence(&self) -> f64 {
        confidence(self.agree, self.of)
    }

    /// Whether it is sure enough to be followed.
    pub fn is_sure(&self) -> bool {
        self.confidence() >= SURE
    }

    /// Where enough agrees: three at least, and more than half.
    pub(super) fn from_examples(what: What, mut agreeing: Vec<Example>, of: usize) -> Option<Self> {
        let agree = agreeing.len();
        if agree < LEAST || 2 * agree <= of {
            return None;
        }
        agreeing.sort_by(|a, b| (b.date, &a.text).cmp(&(a.date, &b.text)));
        let tainted = agreeing.iter().any(|example| example.tainted);
        let examples = agreeing.into_iter().take(EXAMPLES);
        Some(Self {
            what,
            agree,
            of,
            examples: examples.map(|example| example.text).collect(),
            tainted,
        })
    }

    /// What most of these have in common.
    pub(super) fn of_most<K: Ord>(
        observed: Vec<(K, Example)>,
        what: impl FnOnce(&K) -> What,
    ) -> Option<Self> {
        let (value, agreeing, of) = most(observed)?;
        Self::from_examples(what(&value), agreeing, of)
    }
}

/// The value that was observed most often, its observations, and how many there are of all. Of
/// two values that are as frequent the smaller one.
pub(super) fn most<K: Ord>(observed: Vec<(K, Example)>) -> Option<(K, Vec<Example>, usize)> {
    let of = observed.len();
    let mut groups: BTreeMap<K, Vec<Example>> = BTreeMap::new();
    for (value, example) in observed {
        groups.entry(value).or_default().push(example);
    }
    let most = groups
        .into_iter()
        .rev()
        .max_by_key(|(_, agreeing)| agreeing.len());
    most.map(|(value, agreeing)| (value, agreeing, of))
}

/// An observation as it is shown.
#[derive(Clone, Debug)]
pub(super) struct Example {
    pub date: Date,
    pub text: String,
    pub tainted: bool,
}

impl Example {
    /// What was seen on a day, in the person's own words or in numbers alone.
    pub fn own(date: Date, text: impl std::fmt::Display) -> Self {
        Self {
            date,
            text: format!("{date}: {text}"),
            tainted: false,
        }
    }

    /// The same where others may have written some of it.
    pub fn tainted_if(mut self, tainted: bool) -> Self {
        self.tainted = tainted;
        self
    }
}
