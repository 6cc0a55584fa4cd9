//! Proposals, workflow history, feedback, undo and forgetting.

pub mod await_confirmation;
pub mod clear_context;
pub mod confirm_proposal;
pub mod history;
pub mod modify_proposal;
pub mod present_proposal;
pub mod provide_feedback;
pub mod remarks;
pub mod resume_workflow;
pub mod show_patterns;
pub mod show_workflow_history;
pub mod undo;

mod interrupted;
pub(crate) mod observed;
mod proposal;

use alfred_agent::tool::Toolset;

pub const TOOLSET: Toolset = Toolset::new(
    "system",
    "an open proposal, undo, feedback on plans, habits, past or interrupted work, forgetting",
    "is working on it…",
    "That",
    "look things up",
);
