#![doc = include_str!("../README.md")]

pub mod approval;
pub mod calls;
pub mod history;
pub mod model;
pub mod policy;
pub mod runner;
pub mod slack;
pub mod store;
pub mod tool;
pub mod turn;

pub use alfred_core::Deadline;
pub use calls::context::RunContext;
pub use model::{DirectCall, Limits, Run, RunInput, RunState, Step, StepKind, Work};
pub use store::journal::{CommitError, Journal, LoadedRun};
pub use store::ports::Ports;
pub use tool::agent::{Agent, Toolbox};
pub use tool::program::{Program, Rounds};
