use alfred_core::ScheduleId;
use jiff::civil::DateTime;
use serde::{Deserialize, Serialize};

/// A model's answer that sends nothing.
pub const NOTHING: &str = "NOTHING_TO_REPORT";

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobOccurrence {
    pub id: ScheduleId,
    pub name: String,
    /// The local time it was due, if it runs noticeably later.
    pub missed: Option<DateTime>,
}
