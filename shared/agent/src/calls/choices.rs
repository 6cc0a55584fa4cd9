//! Applies the approval decisions that a tool call's output contains.

use alfred_core::Failure;
use alfred_core::ports::ToolCall;

use super::result::failed;
use crate::approval::decide::{Decision, decide};
use crate::approval::{Verdict, show};
use crate::context::RunContext;
use crate::run::Work;
use crate::tool::{ToolError, ToolOutput};

impl RunContext<'_> {
    /// Turns a tool's result into output and applies its decisions. Fails if the store, the queue or Slack
    /// fails. `Bug` for an unknown outcome, which only outward calls may have.
    pub(super) async fn answered(
        &self,
        call: &ToolCall,
        result: Result<ToolOutput, ToolError>,
    ) -> Result<ToolOutput, Failure> {
        match result {
            Ok(output) => self.decided(&call.id, output).await,
            Err(ToolError::Failed(why)) => Ok(failed(why)),
            Err(ToolError::Stop(failure)) => Err(failure),
            Err(ToolError::Unknown(detail)) => Err(Failure::bug(format!(
                "{} isn't outward, and gave: {detail}",
                call.name
            ))),
        }
    }

    /// Applies the decisions before the call's result is written. The call id is the trigger, so a repeated
    /// call decides only once. A decision that no longer counts fails the call with a message.
    async fn decided(&self, call: &str, output: ToolOutput) -> Result<ToolOutput, Failure> {
        let run = self.run();
        for choice in &output.choices {
            let yes = matches!(choice.verdict, Verdict::Approve | Verdict::Remember);
            if yes && !matches!(run.work, Work::Call(_)) {
                return Err(Failure::bug("a model's call said yes for its person"));
            }
            let decision = Decision {
                team: run.team.clone(),
                by: Some(run.user.clone()),
                approval: choice.approval.clone(),
                revision: choice.revision,
                verdict: choice.verdict,
                arguments: choice.arguments.clone(),
                note: choice.note.clone(),
                trigger: format!("{}:{call}", run.id),
                taint: run.taint.clone(),
            };
            let outcome = decide(self.ports, &decision).await?;
            if let Some(words) = show::settle(self.ports, outcome, None).await? {
                return Ok(failed(words));
            }
        }
        Ok(output)
    }
}
