//! What this process answers besides the page, and what is sent to it.

use alfred_core::WorkerOutput;
use serde::{Deserialize, Serialize};

/// Slack's request URL for events, clicks and commands.
pub const SLACK_PATH: &str = "/slack/events";
/// Where other processes ask.
pub const ASK_PATH: &str = "/local/ask";
/// Where other processes read a run.
pub const TRACE_PATH: &str = "/local/trace";

/// What `ask` sends.
#[derive(Deserialize, Serialize)]
pub struct Ask {
    pub user: String,
    pub request: String,
    /// The same id is the same question, asked again.
    pub id: String,
}

/// What `trace` sends.
#[derive(Deserialize, Serialize)]
pub struct Trace {
    pub id: String,
    pub team: String,
    pub json: bool,
}

/// The outcome, and who thought about it.
#[derive(Debug, Deserialize, Serialize)]
pub struct Answer {
    /// The worker's output contract.
    pub output: WorkerOutput,
    /// `provider:model`.
    pub model: String,
    /// The run, for `alfred trace`; none when a notice was the answer.
    pub run: Option<String>,
}
