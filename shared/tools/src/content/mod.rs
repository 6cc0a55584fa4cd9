//! Content for other places: how long it may be there.

pub mod check_length;

use alfred_agent::tool::Toolset;

/// Its tool, which writers of a team name in their files and no other model is shown.
pub const TOOLSET: Toolset = Toolset::new(
    "content",
    "",
    "is checking the length…",
    "Checking a text",
    "check a text",
);
