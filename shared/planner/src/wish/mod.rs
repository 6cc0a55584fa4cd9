//! What a person wants of a day's plan, beyond their preferences.

mod changes;
mod topic;

pub use changes::{Changes, Moved, Stretch};
pub use topic::Topic;

use serde::{Deserialize, Serialize};
use std::fmt;

use crate::clock_time::ClockTime;
use crate::span::Span;
use crate::whole_words::stands_in;

/// One thing a person wants of the plan. Later wishes win over earlier ones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "wish", content = "value")]
pub enum Wish {
    /// No meeting starts before this.
    NoMeetingsBefore(ClockTime),
    /// No meeting ends after this.
    NoMeetingsAfter(ClockTime),
    /// Lunch starts then.
    LunchAt(ClockTime),
    /// No lunch.
    NoLunch,
    /// Minutes of lunch.
    LunchLength(u32),
    /// Minutes of one focus block.
    FocusLength(u32),
    /// No focus work starts before this.
    NoFocusBefore(ClockTime),
    /// No focus work ends after this.
    NoFocusAfter(ClockTime),
    /// Nothing is planned then.
    KeepFree(Span),
    /// What begins before stays as it is, and nothing is planned there.
    OnlyFrom(ClockTime),
    /// Work starts then.
    StartAt(ClockTime),
    /// Work ends then.
    EndAt(ClockTime),
    /// Minutes of work after which a break is due.
    BreakEvery(u32),
    /// Minutes of a break.
    BreakLength(u32),
    /// No breaks but lunch.
    NoBreaks,
    /// The e-mail block starts then.
    EmailAt(ClockTime),
    /// The day begins with e-mail.
    EmailFirst,
    /// Minutes of the e-mail block.
    EmailLength(u32),
    /// No e-mail block.
    NoEmail,
    /// At most this many minutes of focus work.
    FocusAtMost(u32),
    /// A task or block with these words in its title is left out.
    Drop(String),
    /// The block, or else the task, with these words in its title starts then.
    Move {
        /// Words of its title.
        title: String,
        /// When it starts.
        to: ClockTime,
    },
    /// The task with these words in its title comes before all others.
    First(String),
}

impl fmt::Display for Wish {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoMeetingsBefore(time) => write!(f, "no meetings before {time}"),
            Self::NoMeetingsAfter(time) => write!(f, "no meetings after {time}"),
            Self::LunchAt(time) => write!(f, "lunch at {time}"),
            Self::NoLunch => f.write_str("no lunch"),
            Self::LunchLength(minutes) => write!(f, "{minutes} minutes of lunch"),
            Self::FocusLength(minutes) => write!(f, "focus blocks of {minutes} minutes"),
            Self::NoFocusBefore(time) => write!(f, "no focus work before {time}"),
            Self::NoFocusAfter(time) => write!(f, "no focus work after {time}"),
            Self::KeepFree(span) => write!(f, "keep {span} free"),
            Self::OnlyFrom(time) => write!(f, "only from {time} on"),
            Self::StartAt(time) => write!(f, "start at {time}"),
            Self::EndAt(time) => write!(f, "end at {time}"),
            Self::BreakEvery(minutes) => write!(f, "a break every {minutes} minutes"),
            Self::BreakLength(minutes) => write!(f, "breaks of {minutes} minutes"),
            Self::NoBreaks => f.write_str("no breaks"),
            Self::EmailAt(time) => write!(f, "e-mail at {time}"),
            Self::EmailFirst => f.write_str("e-mail first"),
            Self::EmailLength(minutes) => write!(f, "{minutes} minutes of e-mail"),
            Self::NoEmail => f.write_str("no e-mail"),
            Self::FocusAtMost(minutes) => write!(f, "at most {minutes} minutes of focus work"),
            Self::Drop(title) => write!(f, "without \"{title}\""),
            Self::Move { title, to } => write!(f, "\"{title}\" at {to}"),
            Self::First(title) => write!(f, "\"{title}\" first"),
        }
    }
}

impl Wish {
    /// The field of `Changes` that says it.
    pub const fn field(&self) -> &'static str {
        match self {
            Self::NoMeetingsBefore(_) => "changes.noMeetingsBefore",
            Self::NoMeetingsAfter(_) => "changes.noMeetingsAfter",
            Self::LunchAt(_) => "changes.lunchAt",
            Self::NoLunch => "changes.noLunch",
            Self::LunchLength(_) => "changes.lunchMinutes",
            Self::FocusLength(_) => "changes.focusMinutes",
            Self::NoFocusBefore(_) => "changes.noFocusBefore",
            Self::NoFocusAfter(_) => "changes.noFocusAfter",
            Self::KeepFree(_) => "changes.keepFree",
            Self::OnlyFrom(_) => "changes.onlyFrom",
            Self::StartAt(_) => "changes.startAt",
            Self::EndAt(_) => "changes.endAt",
            Self::BreakEvery(_) => "changes.breakEvery",
            Self::BreakLength(_) => "changes.breakMinutes",
            Self::NoBreaks => "changes.noBreaks",
            Self::EmailAt(_) => "changes.emailAt",
            Self::EmailFirst => "changes.emailFirst",
            Self::EmailLength(_) => "changes.emailMinutes",
            Self::NoEmail => "changes.noEmail",
            Self::FocusAtMost(_) => "changes.focusAtMost",
            Self::Drop(_) => "changes.drop",
            Self::Move { .. } => "changes.move",
            Self::First(_) => "changes.first",
        }
    }
}

/// Whether a title is meant by these words: it contains them as whole words, ignoring case.
pub fn is_meant(title: &str, words: &str) -> bool {
    let words = words.trim().to_lowercase();
    !words.is_empty() && stands_in(&title.to_lowercase(), &words)
}
