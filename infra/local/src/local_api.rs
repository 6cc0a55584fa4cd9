//! What this process answers besides the page, and what is sent to it.

use alfred_agent::Work;
use alfred_agent::approval::Verdict;
use alfred_core::{Role, WorkerOutput};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::approvals::Waiting;
use crate::cli::AuditCommand;

/// Slack's request URL for events, clicks and commands.
pub const SLACK_PATH: &str = "/slack/events";
/// Where other processes ask.
pub const ASK_PATH: &str = "/local/ask";
/// Where other processes read a run.
pub const TRACE_PATH: &str = "/local/trace";

/// Where other processes start a run of a tool or of a worker file.
pub const START_PATH: &str = "/local/start";
/// Where other processes see to people.
pub const PEOPLE_PATH: &str = "/local/people";

/// Where other processes list approvals.
pub const APPROVALS_PATH: &str = "/local/approvals";
/// Where other processes decide one.
pub const DECIDE_PATH: &str = "/local/decide";
/// Where other processes read the audit.
pub const AUDIT_PATH: &str = "/local/audit";

/// Where other processes get a new link to the page.
pub const PAGE_PATH: &str = "/local/page";

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

/// What `run-tool` and `worker run` send.
#[derive(Deserialize, Serialize)]
pub struct Start {
    pub user: String,
    /// Who works on it.
    pub work: Work,
    /// The task in words.
    pub prompt: String,
    /// Where it belongs: what has the same name goes one after the other.
    pub place: String,
    /// The same id is the same run, asked for again.
    pub id: String,
}

/// What `users` sends.
#[derive(Deserialize, Serialize)]
pub struct People {
    pub order: Order,
    pub json: bool,
}

/// What to do with people.
#[derive(Deserialize, Serialize)]
pub enum Order {
    List,
    Add { id: String, role: Role },
    Forget { id: String },
}

/// What `approvals list` sends.
#[derive(Deserialize, Serialize)]
pub struct Approvals {
    pub user: String,
    pub json: bool,
}

/// What `approvals approve` and `approvals reject` send.
#[derive(Deserialize, Serialize)]
pub struct Decide {
    pub user: String,
    pub approval: String,
    pub verdict: Verdict,
    pub reason: Option<String>,
    /// The same id is the same decision, sent again.
    pub id: String,
}

/// What `audit` sends.
#[derive(Deserialize, Serialize)]
pub struct Audit {
    pub command: AuditCommand,
    pub json: bool,
}

/// What `audit` gets.
#[derive(Deserialize, Serialize)]
pub struct Report {
    pub text: String,
    /// Whether everything is as it was written.
    pub clean: bool,
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
    /// What the tool of a direct call gave.
    #[serde(default)]
    pub data: Option<Value>,
    /// What the run waits for.
    #[serde(default)]
    pub waiting: Vec<Waiting>,
    /// The reply's pictures, as lines.
    #[serde(default)]
    pub days: Vec<String>,
}
