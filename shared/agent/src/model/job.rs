//! The occurrence of a job that a run works on.

use alfred_core::ScheduleId;
use jiff::civil::DateTime;
use serde::{Deserialize, Serialize};

/// The model's answer if a job has nothing to report. Then nothing is sent.
pub const NOTHING: &str = "NOTHING_TO_REPORT";

/// The job occurrence that a run belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobOccurrence {
    pub id: ScheduleId,
    /// The job's name, given by its owner.
    pub name: String,
    /// The local time it was due, if it runs noticeably later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missed: Option<DateTime>,
}
