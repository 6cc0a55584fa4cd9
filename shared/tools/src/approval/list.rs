use alfred_agent::model::Status;

use super::{ApprovalView, TOOLSET, is_tainted, waiting};
use crate::args::NoArguments;
use crate::prelude::*;

pub fn tool() -> SharedTool {
    let description = "Lists what waits for the person's own decision, with ids.";
    let def = ToolDef::new(TOOLSET, "approval_list", description).flow(Flow::PRIVATE)
    .rules(&["Only the person decides an approval, with its buttons or by answering yes or no; never claim to have decided one."]);
    tool::full(def, list)
}

async fn list(context: ToolContext, _: NoArguments) -> Result<ToolOutput> {
    let mut own = waiting(&context).await?;
    own.retain(|approval| approval.owner == *context.user_id());
    let tainted = own.iter().any(is_tainted);
    let view = |approval| ApprovalView::at(approval, context.now);
    let mut approvals: Vec<ApprovalView> = own.iter().map(view).collect();
    approvals.retain(|approval| approval.status == Status::Pending);
    let waiting = json!({"approvals": approvals, "total": approvals.len()});
    Ok(ToolOutput::data(&waiting)?.bringing(Flow::of_stored(tainted)))
}
