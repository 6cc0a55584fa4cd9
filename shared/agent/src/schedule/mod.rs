//! Reminders and scheduled jobs: what runs by itself since somebody asked for it.
//!
//! A job is a row, and a timer for its next occurrence. When that is due (`fire.rs`) one commit claims
//! the occurrence, makes its run, moves the row on and sets the next timer; the run is a run like any
//! other. What becomes of it counts in the commit of its outcome (`ended.rs`).

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

/// What a model answers that has nothing to report; nothing is sent then.
pub const NOTHING: &str = "NOTHING_TO_REPORT";

/// The job of which a run is an occurrence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobOccurrence {
    /// The job.
    pub id: ScheduleId,
    /// As its owner calls it.
    pub name: String,
    /// For when it was due, where it runs noticeably later: the time of its zone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missed: Option<DateTime>,
}
