//! What a call decides about approvals of its owner's.

use alfred_core::Failure;

use super::result::failed;
use crate::approval::decide::{Decision, decide};
use crate::approval::{Verdict, show};
use crate::ports::Ports;
use crate::run::{Run, Work};
use crate::tool::ToolOutput;

/// Makes the decisions of a call, each once however often the call is repeated, before its result is
/// written: the call's id is their trigger. What doesn't count any more fails the call, in words.
///
/// # Errors
/// When the store, the queue or Slack doesn't answer; `Bug` for a yes that is not the person's own call.
pub async fn made(
    ports: &Ports,
    run: &Run,
    call: &str,
    output: ToolOutput,
) -> Result<ToolOutput, Failure> {
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
        let outcome = decide(ports, &decision).await?;
        if let Some(words) = show::settle(ports, outcome, None).await? {
            return Ok(failed(words));
        }
    }
    Ok(output)
}
