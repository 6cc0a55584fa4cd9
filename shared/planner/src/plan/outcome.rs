//! What a plan says.

use alfred_core::id::{BlockId, TaskId};
use jiff::civil::Date;

use super::reason::{IdleWhy, LeftOutWhy, Why};
use crate::block::BlockType;
use crate::clock_time::ClockTime;
use crate::day_use::Suggestion;
use crate::span::Span;
use crate::wish::Wish;

/// A day as it is proposed. Nothing is changed by it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DayPlan {
    /// The part of the working day that could be planned; `None` once work is over.
    pub planned: Option<Span>,
    /// All blocks of the day, in order: kept, moved and new.
    pub blocks: Vec<PlannedBlock>,
    /// Existing blocks that a wish takes out, as they were, with the wish as the reason.
    pub removed: Vec<PlannedBlock>,
    /// Tasks that found no place, most pressing first.
    pub left_out: Vec<LeftOut>,
    /// Every stretch of 15 minutes or more that stays without a block, and why.
    pub idle: Vec<Idle>,
    /// What else is to be said.
    pub notes: Vec<Note>,
    /// Minutes of `planned`.
    pub available_minutes: u32,
    /// Minutes of `planned` that have a block.
    pub planned_minutes: u32,
}

/// A block of the plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedBlock {
    /// The id of the block it is, if it exists already.
    pub id: Option<BlockId>,
    /// What it is for.
    pub kind: BlockType,
    /// What it is called.
    pub title: String,
    /// When it is.
    pub span: Span,
    /// What happens to it.
    pub change: Change,
    /// Tasks that are newly planned for it, in order.
    pub tasks: Vec<AssignedTask>,
    /// Why it is there.
    pub why: Why,
}

/// What a plan does with a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It isn't there yet.
    New,
    /// It is there, at another time.
    Moved {
        /// When it was.
        from: Span,
    },
    /// It stays as it is.
    Kept,
}

/// A task in a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssignedTask {
    /// Which.
    pub id: TaskId,
    /// What it is called.
    pub title: String,
    /// Minutes of it in this block.
    pub minutes: u32,
    /// Minutes it takes in all.
    pub of: u32,
    /// Why it is there.
    pub why: Urgency,
}

/// What gives a task its place among the others; the first come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Urgency {
    /// The person wants it first.
    First,
    /// It was due before that day.
    Overdue(Date),
    /// It is due on that day.
    DueToday,
    /// It is due on the day after.
    DueTomorrow,
    /// Nothing but its score.
    Score(u32),
}

/// A task without a place, or what is left of one that is only begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Which.
    pub id: TaskId,
    /// What it is called.
    pub title: String,
    /// Minutes that have no place.
    pub minutes: u32,
    /// Minutes it takes in all.
    pub of: u32,
    /// Why they have none.
    pub why: LeftOutWhy,
}

/// A stretch without a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Idle {
    /// When.
    pub span: Span,
    /// Minutes that pass in it.
    pub minutes: u32,
    /// Why.
    pub why: IdleWhy,
}

/// Something to be said about the day as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// The working day is over.
    DayOver {
        /// When it ended.
        ended: ClockTime,
    },
    /// The day has not 24 hours.
    ClockChange {
        /// Minutes it has.
        minutes: u32,
    },
    /// Two fixed blocks share time.
    Overlap {
        /// The first one's title.
        first: String,
        /// The second one's title.
        second: String,
        /// The time they share.
        span: Span,
    },
    /// A meeting is at a time at which none is wanted. Others are invited, so it stays.
    MeetingAgainst {
        /// Its title.
        title: String,
        /// When it is.
        span: Span,
        /// What is wanted.
        wish: Wish,
        /// The first time that would do.
        instead: Option<Span>,
    },
    /// A block takes the whole day.
    WholeDay {
        /// Its title.
        title: String,
    },
    /// The day is one of the weekend.
    Weekend {
        /// Which.
        date: Date,
        /// Whether somebody asked for that very day.
        named: bool,
    },
    /// What is due takes the time that is kept for what comes up.
    SlackTaken {
        /// Percent of the working day that are kept so otherwise.
        percent: u32,
    },
    /// What is due takes of the time that is kept free around meetings.
    BuffersTaken {
        /// Minutes that are left of each.
        left: u32,
    },
    /// What is due takes the time for e-mail.
    EmailTaken,
    /// The day is too full, as whoever looks at it afterwards finds too.
    TooFull(Suggestion),
    /// There are new work blocks, and no task is open to go into them.
    NoOpenTask,
    /// There is no room for lunch.
    NoRoomForLunch,
    /// There is no room for e-mail.
    NoRoomForEmail,
    /// Focus blocks are shorter than preferred, because a break is due before they end.
    FocusShortened {
        /// As preferred.
        preferred: u32,
        /// As planned.
        planned: u32,
    },
    /// A block was to move, and there is nowhere to move it.
    NotMoved {
        /// Its title.
        title: String,
        /// What asked for it.
        wish: Wish,
    },
    /// No task or block has these words in its title.
    NothingFits(String),
    /// A wish that can't be met.
    NotMet(Wish),
}
