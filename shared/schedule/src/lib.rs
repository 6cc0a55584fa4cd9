//! Reminders and scheduled jobs.
//!
//! A job is a row plus a timer for its next occurrence. When the timer is due, `fire.rs` commits in
//! one step: the occurrence's run, the advanced job and its next timer. The run is an ordinary run.
//! `ended.rs` updates the job in the commit of the run's outcome.

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
