#![doc = include_str!("../README.md")]

pub mod block;
pub mod clock_time;
pub mod combine;
pub mod date;
pub mod day_clock;
pub mod day_use;
pub mod dst;
pub mod gaps;
pub mod input;
pub mod mail;
pub mod moment;
pub mod patterns;
pub mod plan;
pub mod score;
pub mod span;
pub mod task;
#[cfg(test)]
mod tests;
mod whole_words;
pub mod wish;

pub use block::{BlockType, TaskPart, TimeBlock, conflicts};
pub use clock_time::ClockTime;
pub use combine::{Combination, FillStrategy, Strategy, Suggestions, fill, suggest};
pub use date::parse_date;
pub use day_clock::DayClock;
pub use day_use::{DayStats, Suggestion, Utilization, hours};
pub use gaps::{Gap, Gaps, find_gaps};
pub use input::InputError;
pub use mail::{MailCategory, MailFacts, Triage, categorize, extract_task, group_by_sender};
pub use moment::{Moment, parse_moment};
pub use patterns::{Happened, InBlock, Observations, Pattern, TaskEvent, patterns};
pub use plan::{DayPlan, DayRequest, Habits, check_wishes, default_day, plan};
pub use score::{Backlog, BacklogFilter, Score, ScoreBreakdown, ScoredTask};
pub use span::Span;
pub use task::{Priority, Task, TaskSource, TaskStatus};
pub use wish::{Changes, Wish, is_meant};

/// Declares an enum with a word for each variant. JSON has the word, schemas have a flat `enum` (which every provider
/// understands), and `Display` writes the word.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize,
            serde::Deserialize,
        )]
        pub enum $name {
            $($(#[$vdoc])* #[serde(rename = $word)] $variant),+
        }

        impl $name {
            /// In the order of the schema.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl schemars::JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "type": "string", "enum": [$($word),+] })
            }
        }
    };
}
pub(crate) use words;
