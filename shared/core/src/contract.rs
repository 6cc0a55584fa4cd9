//! The data contracts between the orchestrator, the utility worker and the team managers.

use serde::{Deserialize, Serialize};

use crate::envelope::{ReplyAddress, ResponseType, SlackFile, is_false};
use crate::id::{ChannelId, SessionId, UserId};
use crate::source::Source;
use crate::taint::Taint;
use crate::user::{Role, User};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkerInput {
    pub task_prompt: String,
    pub user_context: UserContext,
    pub slack_context: SlackContext,
    /// Identifies the conversation, for its memory.
    pub session_id: SessionId,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<SlackFile>,
    /// Whether part of the task is a quote, and so other people's text.
    #[serde(default, skip_serializing_if = "is_false")]
    pub quotes: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UserContext {
    /// The person whose credentials and data all tools use.
    pub slack_user_id: UserId,
    /// Mail address; empty if Slack has none.
    pub email: String,
    pub name: String,
    /// IANA time zone.
    pub timezone: String,
    pub role: Role,
    /// Whether they ever opened Alfred's Home tab, which then follows what happens.
    #[serde(default, skip_serializing_if = "is_false")]
    pub opened_home: bool,
}

impl From<&User> for UserContext {
    fn from(user: &User) -> Self {
        Self {
            slack_user_id: user.slack_user_id.clone(),
            email: user.email.clone(),
            name: user.name.clone(),
            timezone: user.timezone.clone(),
            role: user.role,
            opened_home: user.opened_home,
        }
    }
}

/// Where and how a reply is posted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlackContext {
    pub channel_id: ChannelId,
    /// The thread, if the reply goes into one.
    pub thread_ts: Option<String>,
    #[serde(default)]
    pub response_type: ResponseType,
}

impl From<ReplyAddress> for SlackContext {
    fn from(to: ReplyAddress) -> Self {
        Self {
            channel_id: to.channel,
            thread_ts: to.thread_ts,
            response_type: to.response_type,
        }
    }
}

/// The output of a worker. `result` is `null` exactly if `success` is false.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkerOutput {
    pub success: bool,
    pub result: Option<String>,
    /// Descriptions of what was done, in order; also before a failure.
    #[serde(default)]
    pub actions_taken: Vec<String>,
    /// The ledger: actual and intended effects, from receipts. Empty if there were none.
    #[serde(default)]
    pub effects: Vec<EffectEntry>,
    /// Whether an approval is pending. Derived from the run.
    #[serde(default)]
    pub requires_approval: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending_action_id: Option<String>,
    /// The error message for the person, in Markdown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The work finished before a failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial: Option<String>,
    /// Web pages that tool results returned. The text cites them by their marks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<Source>,
    /// How a team's work ended; none of other runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub final_status: Option<FinalStatus>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FinalStatus {
    Completed,
    /// The rounds were used up while the last review wanted more; or turns or budget were used up before a result.
    MaxIterations,
    Error,
    /// The time was over before a result.
    Timeout,
}

impl WorkerOutput {
    pub fn done(result: String, actions_taken: Vec<String>) -> Self {
        Self {
            success: true,
            result: Some(result),
            actions_taken,
            effects: Vec::new(),
            requires_approval: false,
            pending_action_id: None,
            error: None,
            partial: None,
            sources: Vec::new(),
            final_status: None,
        }
    }

    /// A failed task, with a message for the person.
    pub fn failed(error: impl Into<String>, actions_taken: Vec<String>) -> Self {
        Self {
            success: false,
            result: None,
            error: Some(error.into()),
            ..Self::done(String::new(), actions_taken)
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EffectEntry {
    pub state: EffectState,
    /// The text shown under the reply.
    pub line: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectState {
    /// Done, with a receipt.
    Done,
    Waiting,
    NotDone,
    /// It is unknown whether it happened.
    Unknown,
}

impl EffectState {
    /// Whether something was changed or sent, or may have been.
    pub fn counts(self) -> bool {
        matches!(self, Self::Done | Self::Unknown)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TeamInput {
    pub team: String,
    pub task_prompt: String,
    #[serde(default)]
    pub additional_instructions: String,
    pub user_context: UserContext,
    pub slack_context: SlackContext,
    #[serde(default)]
    pub team_config: TeamConfig,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub handoffs: Vec<Handoff>,
    /// Taint of the runs that the input comes from.
    #[serde(default, skip_serializing_if = "Taint::is_empty")]
    pub taint: Taint,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TeamConfig {
    /// Review rounds. `None` for the default of the team's own file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_iterations: Option<u32>,
    /// Review rounds requested by the person ("no revisions"); wins over `max_iterations`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_iteration_override: Option<u32>,
    /// Maximum working time in seconds, without waits for the owner.
    pub timeout_seconds: u32,
    /// Points out of ten that a reviewer must give for approval. `None` leaves it to the reviewer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quality_threshold: Option<u8>,
}

/// Upper limit of review rounds. A request for more gets this many.
const MOST_ITERATIONS: u32 = 10;

impl TeamConfig {
    /// The review rounds; `usual` if none are configured.
    pub fn iterations(&self, usual: u32) -> u32 {
        let said = self.user_iteration_override.or(self.max_iterations);
        said.unwrap_or(usual).min(MOST_ITERATIONS)
    }
}

impl Default for TeamConfig {
    fn default() -> Self {
        Self {
            max_iterations: None,
            user_iteration_override: None,
            timeout_seconds: 300,
            quality_threshold: None,
        }
    }
}

/// A team's output, handed to another team.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Handoff {
    pub from_team: String,
    /// The team that goes on.
    pub to_team: String,
    /// What was requested and done so far.
    pub context: HandoffContext,
    #[serde(default)]
    pub next_task: NextTask,
}

/// What was requested and done so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HandoffContext {
    /// The person's complete request. For output of an earlier request, that request.
    pub original_request: String,
    pub completed_subtask: String,
    /// The beginning of its output.
    pub output_summary: String,
    pub full_output: String,
    /// Links or ids of created documents and other objects.
    #[serde(default)]
    pub artifacts: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NextTask {
    #[serde(default)]
    pub instruction: String,
    /// Conditions for the next result.
    #[serde(default)]
    pub constraints: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_failed_output_says_result_null() {
        let output = serde_json::to_value(WorkerOutput::failed("no", vec![])).unwrap();
        assert_eq!(
            output,
            json!({"success": false, "result": null, "actions_taken": [], "effects": [], "requires_approval": false, "error": "no"})
        );
    }

    #[test]
    fn a_team_input_needs_no_team_config() {
        let input: TeamInput = serde_json::from_value(json!({
            "team": "marketing", "task_prompt": "p",
            "user_context": {"slack_user_id": "U1", "email": "", "name": "Ana", "timezone": "UTC", "role": "member"},
            "slack_context": {"channel_id": "C1", "thread_ts": null}
        }))
        .unwrap();
        assert_eq!(input.team_config.timeout_seconds, 300);
        assert_eq!(input.slack_context.response_type, ResponseType::Dm);
    }
}
