//! `system_awaitConfirmation`.

use alfred_agent::tool::{self, SharedTool, ToolContext, ToolError, ToolOutput};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::proposal;
use crate::approval::ApprovalView;
use crate::flows;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Which proposal: its id; the one that waits when left out.
    proposal_id: Option<String>,
}

#[derive(Serialize)]
struct State {
    proposal: ApprovalView,
    confirmed: bool,
}

/// The tool.
#[must_use]
pub fn tool() -> SharedTool {
    let def = flows::def(
        "system_awaitConfirmation",
        "Says whether the person has decided about a proposal: pending, approved, rejected, expired or edited. Waiting is automatic: what they decide is carried out by itself.",
    );
    tool::full(def, state)
}

async fn state(context: ToolContext, args: Arguments) -> Result<ToolOutput, ToolError> {
    let approval = proposal::find(&context, args.proposal_id.as_deref()).await?;
    let confirmed = approval.status == alfred_agent::approval::Status::Approved;
    let tainted = !approval.taint.untrusted.is_empty();
    let proposal = ApprovalView::at(&approval, context.now);
    let state = State {
        proposal,
        confirmed,
    };
    Ok(ToolOutput::data(&state)?.bringing(flows::of_stored(tainted)))
}

#[cfg(test)]
#[path = "await_confirmation_tests.rs"]
mod tests;
