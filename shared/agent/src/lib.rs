//! The durable run: the loop, tools, the journal, and the response router.

pub mod admit;
pub mod agent;
mod calls;
pub mod claim;
pub mod conversation;
mod direct;
pub mod fence;
pub mod files;
pub mod finish;
pub mod journal;
pub mod moment;
pub mod plan;
pub mod ports;
pub mod predicate;
pub mod respond;
pub mod resume;
pub mod row;
pub mod run;
pub mod session;
pub mod status;
pub mod timer;
pub mod tool;
pub mod turns;
pub mod users;

pub use agent::{Agent, Limits, Toolbox};
pub use alfred_core::Deadline;
pub use finish::Progress;
pub use journal::{CommitError, Journal, Loaded};
pub use ports::Ports;
pub use run::{DirectCall, Run, RunInput, RunState, Step, StepKind, Work};
