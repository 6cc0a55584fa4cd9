pub mod update_preferences;

mod stored;

use alfred_agent::tool::Toolset;

pub const TOOLSET: Toolset = Toolset::new(
    "preference",
    "settings: hours, time zone, tone, notifications",
    "is updating your preferences…",
    "Changing preferences",
    "tell the time or look people up",
);
