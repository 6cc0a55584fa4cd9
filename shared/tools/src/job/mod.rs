//! Reminders and scheduled jobs.

pub mod create_job;
pub mod delete_job;
pub mod update_job;
pub mod view_jobs;

mod content;
mod store;
mod timing;
mod view;

pub use view::job_lines;

use alfred_agent::tool::Toolset;

pub const TOOLSET: Toolset = Toolset::new(
    "job",
    "reminders, and work for later or for every day or week",
    "is looking at what is scheduled…",
    "Scheduling",
    "list what is scheduled",
);
