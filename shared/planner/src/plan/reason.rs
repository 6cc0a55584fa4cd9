//! Why things of a plan are as they are.

use super::outcome::Urgency;
use crate::clock_time::ClockTime;
use crate::wish::Wish;

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
    /// So much of it fits into the work blocks, were it alone.
    Most {
        /// Minutes.
        minutes: u32,
    },
    /// The work time is full, and no other task alone could make room.
    Full {
        /// Minutes of all work time.
        room: u32,
    },
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
    /// Both are as pressing, and the other one is first in line.
    Turn,
    /// The other one, with others, makes better use of the time.
    Fits {
        /// Minutes the other one takes.
        theirs: u32,
        /// Minutes this one takes.
        own: u32,
    },
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
    /// It is kept for what comes up.
    Slack {
        /// Percent of the working day that are kept so.
        percent: u32,
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
    /// A task goes on that was begun in the block before.
    GoesOn {
        /// The task's title.
        title: String,
    },
    /// What is left of a focus block behind a task that goes on.
    Behind {
        /// The task's title.
        title: String,
    },
    /// A short block for tasks of few minutes: the gap between meetings holds no other.
    ShortTasks,
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
