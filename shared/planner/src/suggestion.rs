//! What could be better about a day, in words.

use serde::{Serialize, Serializer};
use std::fmt;

/// Something that could be better about a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suggestion {
    /// Less than 70 % of the working day, or than the slack leaves, has a block.
    RoomForMore(u32),
    /// Of the time beside meetings more than 90 %, or than the slack leaves, has a block. Percent of the working day.
    TooFull(u32),
    /// Less than 180 minutes of focus.
    LittleFocus(u32),
    /// Less than 30 minutes of breaks.
    FewBreaks(u32),
    /// More than 60 minutes in fragments.
    Fragmented(u32),
    /// More meetings than focus, both in minutes.
    MoreMeetingsThanFocus {
        /// In meetings.
        meetings: u32,
        /// In work blocks.
        focus: u32,
    },
    /// No e-mail block.
    NoEmailBlock,
}

impl fmt::Display for Suggestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RoomForMore(percent) => {
                write!(
                    f,
                    "Only {percent} % of the day is planned: there is room for more."
                )
            }
            Self::TooFull(percent) => {
                write!(
                    f,
                    "{percent} % of the day is planned: leave some room for the unexpected."
                )
            }
            Self::LittleFocus(minutes) => {
                write!(
                    f,
                    "Only {minutes} minutes of focus time: aim for three hours."
                )
            }
            Self::FewBreaks(minutes) => {
                write!(
                    f,
                    "Only {minutes} minutes of breaks: plan at least half an hour."
                )
            }
            Self::Fragmented(minutes) => {
                write!(
                    f,
                    "{minutes} minutes are lost in gaps of less than half an hour: move blocks together."
                )
            }
            Self::MoreMeetingsThanFocus { meetings, focus } => {
                write!(
                    f,
                    "More time in meetings ({meetings} minutes) than in focus ({focus}): decline or shorten one."
                )
            }
            Self::NoEmailBlock => f.write_str("No time for e-mail is planned: add a block for it."),
        }
    }
}

impl Serialize for Suggestion {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
