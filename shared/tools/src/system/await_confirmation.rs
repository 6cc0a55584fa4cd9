use alfred_agent::model::Status;

use super::TOOLSET;
use super::proposal::{self, WhichProposal};
use crate::approval::{is_tainted, view};
use crate::prelude::*;

pub fn tool() -> SharedTool {
    let description = "Says whether the person has decided about a workflow's proposal; the decision is carried out automatically. For any other approval: approval_state.";
    let def = ToolDef::new(TOOLSET, "system_awaitConfirmation", description).flow(Flow::UNKNOWN);
    tool::full(def, state)
}

async fn state(context: ToolContext, args: WhichProposal) -> Result<ToolOutput> {
    let approval = proposal::find(&context, args.proposal_id.as_deref()).await?;
    let state = json!({
        "proposal": view(&approval, context.now),
        "confirmed": approval.status == Status::Approved,
    });
    Ok(ToolOutput::data(&state)?.bringing(Flow::of_stored(is_tainted(&approval))))
}
