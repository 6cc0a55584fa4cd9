use alfred_agent::model::Status;

use super::{TOOLSET, proposal};
use crate::approval::{ApprovalView, is_tainted};
use crate::prelude::*;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// The one that waits when left out.
    proposal_id: Option<String>,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(TOOLSET, "system_awaitConfirmation",
        "Says whether the person has decided about a workflow's proposal; the decision is carried out automatically. For any other approval: approval_state.",
    ).flow(Flow::UNKNOWN);
    tool::full(def, state)
}

async fn state(context: ToolContext, args: Arguments) -> Result<ToolOutput, ToolError> {
    let approval = proposal::find(&context, args.proposal_id.as_deref()).await?;
    let state = json!({
        "proposal": ApprovalView::at(&approval, context.now),
        "confirmed": approval.status == Status::Approved,
    });
    Ok(ToolOutput::data(&state)?.bringing(Flow::of_stored(is_tainted(&approval))))
}
