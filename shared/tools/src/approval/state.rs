//! `approval_state`.

use alfred_agent::approval::park;
use alfred_agent::tool::{self, Flow, SharedTool, ToolContext, ToolDef, ToolError, ToolOutput};
use alfred_core::ApprovalId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ApprovalView, TOOLSET, is_tainted};
use crate::fields::{id, invalid, refused};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// As approval_list gives it.
    approval_id: String,
}

#[derive(Serialize)]
struct State {
    approval: ApprovalView,
}

/// The tool.
#[must_use]
pub fn tool() -> SharedTool {
    let def = ToolDef::new(
        TOOLSET,
        "approval_state",
        "Shows where any approval stands. For a proposal of a workflow: system_awaitConfirmation.",
    )
    .flow(Flow::PRIVATE);
    tool::full(def, state)
}

async fn state(context: ToolContext, args: Arguments) -> Result<ToolOutput, ToolError> {
    let field = "approvalId";
    let id = ApprovalId(id(field, &args.approval_id, "apr_").map_err(invalid)?);
    let stored = park::load(context.store.as_ref(), &context.team, &id).await?;
    // Somebody else's is told from none at all by nobody.
    let own = stored.filter(|(approval, _)| approval.owner == *context.user_id());
    let Some((approval, _)) = own else {
        let problem =
            "is no approval of the person's. approval_list gives the ids of those that wait.";
        return Err(refused(field, &args.approval_id, problem));
    };
    let state = State {
        approval: ApprovalView::at(&approval, context.now),
    };
    Ok(ToolOutput::data(&state)?.bringing(Flow::of_stored(is_tainted(&approval))))
}
