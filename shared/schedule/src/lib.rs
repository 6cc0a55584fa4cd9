//! Scheduled jobs and reminders: a job is a row, with a timer for its next occurrence.

pub mod due;
mod ended;
pub mod fire;
mod meetings;
pub mod row;
pub mod serve;
pub mod when;

pub use ended::JobEnd;
pub use meetings::Meetings;
pub use row::{Does, Job, JobState, Kind, StoredJob, Why};
pub use when::{Occurrence, When};
