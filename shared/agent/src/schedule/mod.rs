//! Reminders and scheduled jobs.
//!
//! A job is a row plus a timer for its next occurrence. When the timer is due, `fire.rs` commits in
//! one step: the occurrence's run, the advanced job and its next timer. The run is an ordinary run.
//! `ended.rs` updates the job in the commit of the run's outcome.

mod ended;
pub mod fire;
mod meetings;
pub mod row;
pub mod when;

pub use ended::{Ended, ended};
pub use meetings::Meetings;
pub use row::{Does, Job, JobState, Kind, StoredJob, Why};
pub use when::{Occurrence, When};

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
