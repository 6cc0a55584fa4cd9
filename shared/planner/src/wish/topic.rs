//! The topic of a wish, apart from what it wants.

use crate::span::Span;

/// Of two wishes about one topic only one can be followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Topic {
    /// When lunch is, and whether there is one.
    Lunch,
    LunchLength,
    FocusLength,
    /// How much focus work there is in all.
    FocusAmount,
    FocusFrom,
    FocusUntil,
    MeetingsFrom,
    MeetingsUntil,
    Start,
    End,
    /// How often breaks are, and whether there are any.
    Breaks,
    BreakLength,
    /// When the e-mail block is, and whether there is one.
    Email,
    EmailLength,
    /// A stretch that stays free.
    Free(Span),
}

impl Topic {
    /// The name of the preference for the same.
    pub const fn preference(self) -> Option<&'static str> {
        match self {
            Self::Lunch => Some("lunchTime"),
            Self::LunchLength => Some("lunchDuration"),
            Self::FocusLength => Some("focusBlockDuration"),
            Self::Start => Some("workStartTime"),
            Self::End => Some("workEndTime"),
            Self::Breaks => Some("breakFrequency"),
            Self::EmailLength => Some("emailBatchSize"),
            _ => None,
        }
    }
}
