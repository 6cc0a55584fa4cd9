//! The contracts between the orchestrator, the utility worker (seed 000) and
//! the team managers (seed 002).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::envelope::{ResponseType, SlackFile, is_false};
use crate::id::{ChannelId, SessionId, UserId};
use crate::source::Source;
use crate::taint::Taint;
use crate::user::{Role, User};

/// What the orchestrator hands to the utility worker (seed 000, "Input fields").
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorkerInput {
    /// The task to perform.
    pub task_prompt: String,
    /// Who asks.
    pub user_context: UserContext,
    /// Where the answer goes.
    pub slack_context: SlackContext,
    /// For conversation memory.
    pub session_id: SessionId,
    /// The files that came with the request. Nobody has opened them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<SlackFile>,
    /// Whether some of the task is a quotation, and so other people's words.
    #[serde(default, skip_serializing_if = "is_false")]
    pub quotes: bool,
}

/// The person for whom work is done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UserContext {
    /// Whose credentials and data every tool uses.
    pub slack_user_id: UserId,
    /// E-mail address, empty when Slack has none.
    pub email: String,
    /// Name to address them by.
    pub name: String,
    /// IANA time zone.
    pub timezone: String,
    /// What they may do.
    pub role: Role,
}

impl From<&User> for UserContext {
    fn from(user: &User) -> Self {
        Self {
            slack_user_id: user.slack_user_id.clone(),
            email: user.email.clone(),
            name: user.name.clone(),
            timezone: user.timezone.clone(),
            role: user.role,
        }
    }
}

/// Response routing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SlackContext {
    /// The conversation.
    pub channel_id: ChannelId,
    /// The thread, if the answer goes into one.
    pub thread_ts: Option<String>,
    /// How the answer is placed.
    #[serde(default)]
    pub response_type: ResponseType,
}

/// What a worker gives back (seed 000, "Output contract"). `result` is `null`
/// exactly when `success` is false.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorkerOutput {
    /// Whether the task was completed.
    pub success: bool,
    /// The response text for the person.
    pub result: Option<String>,
    /// What was done, in order; also before a failure.
    #[serde(default)]
    pub actions_taken: Vec<String>,
    /// The ledger: what was sent or changed, or was to be, from the receipts. Empty where the reply says
    /// that nothing was.
    #[serde(default)]
    pub effects: Vec<EffectEntry>,
    /// Whether an approval is pending. Derived from the run, never set by hand.
    #[serde(default)]
    pub requires_approval: bool,
    /// The pending approval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending_action_id: Option<String>,
    /// What went wrong, in words a person can read; Markdown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Of a task that wasn't completed: what was made by then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial: Option<String>,
    /// Pages of the web that its results really gave; its words cite them by their marks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<Source>,
    /// How a team's work ended; none of other runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub final_status: Option<FinalStatus>,
}

/// How a team's work ended (annex 1, "Marketing team").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FinalStatus {
    /// With all that was asked for.
    Completed,
    /// Its rounds were used up, and the last review wanted more; or its turns or budget were, before it had a result.
    MaxIterations,
    /// With nothing.
    Error,
    /// Its time was over before it had a result.
    Timeout,
}

impl WorkerOutput {
    /// A completed task.
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

    /// A task that failed, with the reason in friendly words.
    pub fn failed(error: impl Into<String>, actions_taken: Vec<String>) -> Self {
        Self {
            success: false,
            result: None,
            actions_taken,
            effects: Vec::new(),
            requires_approval: false,
            pending_action_id: None,
            error: Some(error.into()),
            partial: None,
            sources: Vec::new(),
            final_status: None,
        }
    }
}

/// A line of the ledger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EffectEntry {
    /// What became of it.
    pub state: EffectState,
    /// As it stands under the reply.
    pub line: String,
}

/// What became of something that was to be sent or changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EffectState {
    /// There is a receipt.
    Done,
    /// It waits for its owner.
    Waiting,
    /// It wasn't done.
    NotDone,
    /// Nobody can tell.
    Unknown,
}

impl EffectState {
    /// Whether something was sent or changed, or may have been.
    pub fn counts(self) -> bool {
        matches!(self, Self::Done | Self::Unknown)
    }
}

/// What the orchestrator hands to a team manager (seed 002, "Team dispatch").
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TeamInput {
    /// Which team.
    pub team: String,
    /// The delegated task description.
    pub task_prompt: String,
    /// Task-specific guidance.
    #[serde(default)]
    pub additional_instructions: String,
    /// Who asks.
    pub user_context: UserContext,
    /// Response routing.
    pub slack_context: SlackContext,
    /// How long it may work.
    #[serde(default)]
    pub team_config: TeamConfig,
    /// What an earlier team of the same request made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub handoffs: Vec<Handoff>,
    /// What the runs before it have read; it is theirs to pass on.
    #[serde(default, skip_serializing_if = "Taint::is_empty")]
    pub taint: Taint,
}

/// Limits of one team's work (annex 1, "Marketing team").
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TeamConfig {
    /// Rounds of review; none: as many as the team's own file says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_iterations: Option<u32>,
    /// The same in the person's words ("no revisions"), which count before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_iteration_override: Option<u32>,
    /// Seconds it may work, without those it waits for its person.
    pub timeout_seconds: u32,
    /// Of ten points, how many a reviewer must give to let it pass; none: by its own measure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quality_threshold: Option<u8>,
}

/// Rounds of review that nobody may ask beyond.
const MOST_ITERATIONS: u32 = 10;

impl TeamConfig {
    /// Rounds of review, `usual` where nothing is said of them.
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

/// What one team hands to the next (annex 1, "Handoff between teams").
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Handoff {
    /// The team that finished.
    pub from_team: String,
    /// The team that goes on.
    pub to_team: String,
    /// What was asked and made so far.
    pub context: HandoffContext,
    /// What comes next.
    #[serde(default)]
    pub next_task: NextTask,
}

/// What was asked and made so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HandoffContext {
    /// The person's request, whole: of an output of an earlier request that one.
    pub original_request: String,
    /// What the earlier team was asked to do.
    pub completed_subtask: String,
    /// The beginning of its output.
    pub output_summary: String,
    /// Its output, whole.
    pub full_output: String,
    /// Ids of documents and the like.
    #[serde(default)]
    pub artifacts: Vec<String>,
}

/// What comes next.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NextTask {
    /// What is to be done with it.
    #[serde(default)]
    pub instruction: String,
    /// What must hold for its result.
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
