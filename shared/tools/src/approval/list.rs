use alfred_agent::model::Status;

use super::{TOOLSET, is_tainted, status_at, view, waiting};
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
    own.retain(|approval| status_at(approval, context.now) == Status::Pending);
    let view = |approval| view(approval, context.now);
    let approvals: Vec<Value> = own.iter().map(view).collect();
    let waiting = json!({"approvals": approvals, "total": approvals.len()});
    Ok(ToolOutput::data(&waiting)?.bringing(Flow::of_stored(tainted)))
}
