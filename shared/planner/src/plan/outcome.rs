//! What a plan says.

use alfred_core::id::{BlockId, TaskId};
use jiff::civil::Date;

use crate::block::BlockType;
use crate::clock_time::ClockTime;
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
    /// Minutes it takes.
    pub minutes: u32,
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

/// A task without a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Which.
    pub id: TaskId,
    /// What it is called.
    pub title: String,
    /// Minutes it takes.
    pub minutes: u32,
    /// Why it has none.
    pub why: LeftOutWhy,
}

/// Why a task has no place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeftOutWhy {
    /// Another one took the time.
    Lost {
        /// The title of the other one.
        to: String,
        /// What decided.
        because: Because,
    },
    /// No work block is as long.
    TooLong {
        /// Minutes of the longest.
        longest: u32,
    },
    /// There is no work block to put it in.
    NoWorkBlock,
    /// A wish leaves it out.
    Dropped,
}

/// What decided between two tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Because {
    /// The other one is more urgent.
    Urgency(Urgency),
    /// The other one has the better score.
    Score {
        /// The other one's.
        theirs: u32,
        /// This one's.
        own: u32,
    },
    /// The other one, with others, makes better use of the time.
    Fits {
        /// Minutes the other one takes.
        theirs: u32,
        /// Minutes this one takes.
        own: u32,
    },
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

/// Why a stretch has no block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IdleWhy {
    /// A wish keeps it so.
    Wished(Wish),
    /// What is left beside the meetings' buffers is too short for a block.
    Buffer {
        /// Minutes kept free around a meeting.
        buffer: u32,
    },
    /// It is too short for a block.
    TooShort,
    /// An hour comes twice in it, and no time on the clock names its middle.
    RepeatedHour,
    /// A break is due, and what is left after it is too short for a block.
    BreakDue {
        /// Minutes of work after which a break is due.
        after: u32,
    },
}

/// Why a block is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// It was planned before.
    AlreadyPlanned,
    /// A focus block of the preferred length.
    FullFocus,
    /// A shorter focus block: something follows.
    FocusUntil {
        /// What follows.
        next: String,
    },
    /// A shorter focus block, for the wish.
    FocusFor(Wish),
    /// A block of its own for a task that no focus block holds.
    LongTask {
        /// The task's title.
        title: String,
    },
    /// Lunch at the preferred time.
    Lunch,
    /// Lunch at another time or shorter, because something is in its way.
    LunchElsewhere {
        /// The preferred time.
        preferred: ClockTime,
        /// What is in its way.
        because: String,
    },
    /// A break after this many minutes of work and meetings.
    BreakAfter {
        /// Minutes since the last rest.
        minutes: u32,
    },
    /// Mail in one go.
    Email,
    /// A wish.
    Wished(Wish),
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
