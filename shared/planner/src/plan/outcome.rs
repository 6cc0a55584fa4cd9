//! A finished plan. The doc comments of `Display` types are what a person reads.

use std::fmt;

use alfred_core::id::{BlockId, TaskId};
use alfred_core::text;
use displaydoc::Display;
use jiff::civil::Date;

use crate::{BlockType, Span, Suggestion, Wish};

/// The proposal for a day. It changes nothing by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DayPlan {
    /// The part of the working day that could be planned; `None` once work is over.
    pub planned: Option<Span>,
    /// All blocks of the day, in order: kept, moved and new.
    pub blocks: Vec<PlannedBlock>,
    /// Existing blocks that a wish removes, as they were.
    pub removed: Vec<PlannedBlock>,
    /// Tasks that got less than all their minutes, most pressing first.
    pub left_out: Vec<LeftOut>,
    pub notes: Vec<Note>,
}

impl DayPlan {
    /// What the plan says beside its blocks.
    pub fn remarks(&self) -> Vec<String> {
        let left_out = self.left_out.iter().map(ToString::to_string);
        let notes = self.notes.iter().map(ToString::to_string);
        left_out.chain(notes).collect()
    }

    /// The plan as lines of text, for tests and debugging.
    pub fn lines(&self) -> Vec<String> {
        let blocks = self.blocks.iter().map(PlannedBlock::line);
        let line = |one: &PlannedBlock| format!("removed {} {}: {}", one.span, one.title, one.rule);
        let removed = self.removed.iter().map(line);
        blocks.chain(removed).chain(self.remarks()).collect()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedBlock {
    /// `None` for a new block.
    pub id: Option<BlockId>,
    pub kind: BlockType,
    pub title: String,
    pub span: Span,
    pub change: Change,
    /// Tasks that are newly planned for it.
    pub tasks: Vec<AssignedTask>,
    pub rule: Rule,
}

impl PlannedBlock {
    pub(super) fn new(kind: BlockType, title: &str, span: Span, rule: Rule) -> Self {
        Self {
            id: None,
            kind,
            title: title.to_owned(),
            span,
            change: Change::New,
            tasks: Vec::new(),
            rule,
        }
    }

    pub(super) fn move_to(&mut self, span: Span) {
        if self.span != span {
            self.change = Change::Moved { from: self.span };
            self.span = span;
        }
    }

    fn line(&self) -> String {
        let change = match self.change {
            Change::New => "new ".to_owned(),
            Change::Moved { from } => format!("moved from {from} "),
            Change::Kept => String::new(),
        };
        let (span, kind, title, rule) = (self.span, self.kind, &self.title, &self.rule);
        let tasks = self.tasks.iter().map(|task| {
            let minutes = text::minutes_of(task.minutes, task.of);
            format!(" | {} ({minutes}, {})", task.title, task.urgency)
        });
        format!("{span} {change}{kind} {title}: {rule}") + &tasks.collect::<String>()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    New,
    Moved { from: Span },
    Kept,
}

#[derive(Clone, Debug, Display, PartialEq, Eq)]
pub enum Rule {
    /// already planned
    AlreadyPlanned,
    /// as you asked: {0}
    Wished(Wish),
    /// lunch at your usual time
    Lunch,
    /// {how}: {why}
    LunchNear { how: String, why: String },
    /// e-mail in one go
    Email,
    /// after {after} minutes of work
    Break { after: u32 },
    /// {0}
    Focus(String),
    /// a short gap, for what takes a few minutes
    ShortGap,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssignedTask {
    pub id: TaskId,
    pub title: String,
    pub minutes: u32,
    /// Minutes it takes in all.
    pub of: u32,
    pub urgency: Urgency,
}

/// The rank of a task; earlier ones come first.
#[derive(Clone, Copy, Debug, Display, PartialEq, Eq, PartialOrd, Ord)]
pub enum Urgency {
    /// you want it first
    First,
    /// overdue since {0}
    Overdue(Date),
    /// due this day
    DueToday,
    /// due the day after
    DueTomorrow,
    /// score {0}
    Score(u32),
}

impl Urgency {
    /// Tasks of a lower tier are placed before all of a higher one.
    pub const fn tier(self) -> usize {
        match self {
            Self::First => 0,
            Self::Overdue(_) | Self::DueToday => 1,
            Self::DueTomorrow => 2,
            Self::Score(_) => 3,
        }
    }

    /// Whether slack, buffers and e-mail give way to it.
    pub const fn is_urgent(self) -> bool {
        self.tier() < 2
    }
}

/// A task without a place, or the rest of one that is only begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The minutes that have no place.
    pub part: AssignedTask,
    pub why: String,
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let minutes = text::minutes_of(self.part.minutes, self.part.of);
        let (title, why) = (&self.part.title, &self.why);
        write!(f, "Left out: {title} ({minutes}): {why}")
    }
}

#[derive(Clone, Debug, Display, PartialEq, Eq)]
pub enum Note {
    /// {span} is left free for the unexpected ({percent} % of the day)
    KeptFree { span: Span, percent: u32 },
    /// {0}
    GaveWay(String),
    /// {0}
    Advice(Suggestion),
    /// {0}
    Other(String),
}
