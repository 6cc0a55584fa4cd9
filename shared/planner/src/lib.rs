//! Pure planning: times of a day, blocks, their statistics, tasks and their
//! scores. No I/O, no clock: today and the zone are arguments. Requirements:
//! annex 2, "The day planner".

pub mod block;
pub mod clock_time;
pub mod date;
pub mod dst;
pub mod input;
pub mod moment;
pub mod score;
pub mod stats;
pub mod task;

pub use block::{BlockType, TimeBlock, conflicts};
pub use clock_time::ClockTime;
pub use date::parse_date;
pub use input::InputError;
pub use moment::{Moment, parse_moment};
pub use score::{Score, ScoreBreakdown};
pub use stats::DayStats;
pub use task::{Priority, Task, TaskSource, TaskStatus};

/// An enum of plain words: the same in rows, in schemas (a flat `enum`, which
/// every provider understands) and in sentences.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
        pub enum $name {
            $($(#[$vdoc])* #[serde(rename = $word)] $variant),+
        }

        impl $name {
            /// All of them, in the order of the schema.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Its word.
            #[must_use]
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
