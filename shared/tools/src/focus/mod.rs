//! Focus blocks that a meeting landed on.

pub mod make_room;

mod look;
mod place;

use alfred_agent::tool::Toolset;
use alfred_core::id::BlockId;
use alfred_planner::ClockTime;

use crate::prelude::*;

/// Its tool, which jobs call and no model is shown.
pub const TOOLSET: Toolset = Toolset::new(
    "focus",
    "",
    "is checking your calendar…",
    "Moving focus blocks",
    "show your schedule",
);

/// Days that are looked at, today included: as many as a week's plan.
const DAYS: i64 = 7;

/// A focus block that a meeting landed on, and where it may go.
#[derive(Clone, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Move {
    block_id: BlockId,
    title: String,
    from: Place,
    to: Place,
    meetings: Vec<Landed>,
    /// Whether this takes it back to where the meetings are.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    back: bool,
}

/// One that there is no other place for.
#[derive(Clone, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Stuck {
    block_id: BlockId,
    title: String,
    at: Place,
    meetings: Vec<Landed>,
}

/// A meeting on a block.
#[derive(Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Landed {
    /// As days are shown: made of the calendar's own.
    id: BlockId,
    title: String,
    start: ClockTime,
    end: ClockTime,
}

/// A stretch of a day.
#[derive(Clone, Copy, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Place {
    date: Date,
    start: ClockTime,
    end: ClockTime,
}

impl Place {
    /// "Tue 24 Nov 09:00–10:30".
    fn in_words(self) -> String {
        let (date, start, end) = (self.date.strftime("%a %-d %b"), self.start, self.end);
        format!("{date} {start}–{end}")
    }
}

impl Landed {
    fn in_words(&self) -> String {
        format!("{}, {}–{}", self.title, self.start, self.end)
    }

    /// As code, in which nothing acts: others chose the title.
    fn as_code(&self) -> String {
        format!("`{}`", self.in_words().replace('`', "'"))
    }
}

impl Stuck {
    fn in_words(&self, meeting: fn(&Landed) -> String) -> String {
        let meetings: Vec<String> = self.meetings.iter().map(meeting).collect();
        format!("{}: {}", self.at.in_words(), meetings.join("; "))
    }
}
