//! `approval_state`.

use alfred_agent::tool::{self, Flow, SharedTool, ToolContext, ToolDef, ToolError, ToolOutput};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{ApprovalView, TOOLSET, is_tainted, own};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// As approval_list gives it.
    approval_id: String,
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
    let named = ("approvalId", args.approval_id.as_str());
    let approval = own(&context, named, "approval").await?;
    let state = json!({"approval": ApprovalView::at(&approval, context.now)});
    Ok(ToolOutput::data(&state)?.bringing(Flow::of_stored(is_tainted(&approval))))
}
