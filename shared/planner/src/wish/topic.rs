//! What a wish is about, apart from what it wants of it.

use super::Wish;
use crate::span::Span;

/// What a wish is about. Of two wishes about one thing only one can be followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Topic {
    /// When lunch is, and whether there is one.
    Lunch,
    /// How long lunch is.
    LunchLength,
    /// How long focus blocks are.
    FocusLength,
    /// How much focus work there is.
    FocusAmount,
    /// From when there is focus work.
    FocusFrom,
    /// Until when there is focus work.
    FocusUntil,
    /// From when there are meetings.
    MeetingsFrom,
    /// Until when there are meetings.
    MeetingsUntil,
    /// When work starts.
    Start,
    /// When work ends.
    End,
    /// How often breaks are, and whether there are any.
    Breaks,
    /// How long breaks are.
    BreakLength,
    /// When mail is, and whether it is.
    Email,
    /// How long the e-mail block is.
    EmailLength,
    /// A stretch that stays free.
    Free(Span),
}

impl Wish {
    /// What it is about; `None` for what is about one task or block of one day.
    pub const fn topic(&self) -> Option<Topic> {
        Some(match self {
            Self::LunchAt(_) | Self::NoLunch => Topic::Lunch,
            Self::LunchLength(_) => Topic::LunchLength,
            Self::FocusLength(_) => Topic::FocusLength,
            Self::FocusAtMost(_) => Topic::FocusAmount,
            Self::NoFocusBefore(_) => Topic::FocusFrom,
            Self::NoFocusAfter(_) => Topic::FocusUntil,
            Self::NoMeetingsBefore(_) => Topic::MeetingsFrom,
            Self::NoMeetingsAfter(_) => Topic::MeetingsUntil,
            Self::StartAt(_) => Topic::Start,
            Self::EndAt(_) => Topic::End,
            Self::BreakEvery(_) | Self::NoBreaks => Topic::Breaks,
            Self::BreakLength(_) => Topic::BreakLength,
            Self::EmailAt(_) | Self::EmailFirst | Self::NoEmail => Topic::Email,
            Self::EmailLength(_) => Topic::EmailLength,
            Self::KeepFree(span) => Topic::Free(*span),
            Self::OnlyFrom(_) | Self::Drop(_) | Self::Move { .. } | Self::First(_) => return None,
        })
    }
}

impl Topic {
    /// The preference that says the same, by its name.
    pub const fn preference(self) -> Option<&'static str> {
        match self {
            Self::Lunch => Some("lunchTime"),
            Self::LunchLength => Some("lunchDuration"),
            Self::FocusLength => Some("focusBlockDuration"),
            Self::Start => Some("workStartTime"),
            Self::End => Some("workEndTime"),
            Self::Breaks => Some("breakFrequency"),
            Self::EmailLength => Some("emailBatchSize"),
            Self::FocusAmount
            | Self::FocusFrom
            | Self::FocusUntil
            | Self::MeetingsFrom
            | Self::MeetingsUntil
            | Self::BreakLength
            | Self::Email
            | Self::Free(_) => None,
        }
    }
}
