//! What a call that isn't outward came to, with what it decides about approvals of its owner's.

use alfred_core::Failure;
use alfred_core::ports::ToolCall;

use super::result::failed;
use crate::approval::decide::{Decision, decide};
use crate::approval::{Verdict, show};
use crate::context::RunContext;
use crate::run::Work;
use crate::tool::{ToolError, ToolOutput};

impl RunContext<'_> {
    /// What a call gave, with its decisions made.
    ///
    /// # Errors
    /// When the store, the queue or Slack doesn't answer; `Bug` for an outcome that nobody can tell.
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

    /// Makes the decisions of a call, each once however often the call is repeated, before its result is
    /// written: the call's id is their trigger. What doesn't count any more fails the call, in words.
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
