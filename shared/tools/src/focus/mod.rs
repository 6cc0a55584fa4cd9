//! Moves focus blocks that a meeting landed on.

pub mod make_room;

mod look;
mod place;

use alfred_core::id::BlockId;
use alfred_planner::Span;

use crate::prelude::*;

/// Has no purpose text, so no model is offered it; jobs call its tool.
pub const TOOLSET: Toolset = Toolset::new(
    "focus",
    "move focus blocks off meetings",
    "is checking your calendar…",
    "Moving focus blocks",
    "show your schedule",
);

/// Days that a look covers, today included.
const DAYS: usize = 7;

/// An empty call looks for what to move; that look fills in the arguments.
#[derive(Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
struct Arguments {
    /// Shown on one card.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    moves: Vec<Move>,
    /// Blocks without a free place; the card lists them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stuck: Vec<Move>,
    /// One block, which this call moves.
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    one: Option<Move>,
}

#[derive(Clone, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Move {
    block_id: BlockId,
    title: String,
    from: Place,
    /// The same as `from` if no other place is free.
    to: Place,
    meetings: Vec<Landed>,
    /// Whether this is an undo, back to where the meetings are.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    back: bool,
}

#[derive(Clone, Deserialize, Serialize)]
struct Landed {
    /// Made from the calendar's event id, as in `schedule::meetings`.
    id: BlockId,
    title: String,
    #[serde(flatten)]
    span: Span,
}

#[derive(Clone, Copy, PartialEq, Deserialize, Serialize)]
struct Place {
    date: Date,
    #[serde(flatten)]
    span: Span,
}

impl Place {
    /// "Tue 24 Nov 09:00–10:30".
    fn in_words(self) -> String {
        format!("{} {}", short_date(self.date), self.span)
    }
}

impl Landed {
    fn in_words(&self) -> String {
        format!("{}, {}", self.title, self.span)
    }

    /// As inline code, since other people chose the title.
    fn as_code(&self) -> String {
        format!("`{}`", self.in_words().replace('`', "'"))
    }
}

impl Move {
    /// Where the block is, and the meetings on it.
    fn conflict(&self, meeting: fn(&Landed) -> String) -> String {
        let meetings: Vec<String> = self.meetings.iter().map(meeting).collect();
        format!("{}: {}", self.from.in_words(), meetings.join("; "))
    }
}
