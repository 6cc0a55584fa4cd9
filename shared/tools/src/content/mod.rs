pub mod check_length;

use alfred_agent::tool::Toolset;

/// Has no purpose text, so no model is offered it; files of team writers name it.
pub const TOOLSET: Toolset = Toolset::new(
    "content",
    "count a text for a platform",
    "is checking the length…",
    "Checking a text",
    "check a text",
);
