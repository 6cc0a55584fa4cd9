use super::{TOOLSET, is_tainted, own, view};
use crate::prelude::*;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// As approval_list gives it.
    approval_id: String,
}

pub fn tool() -> SharedTool {
    let description =
        "Shows where any approval stands. For a proposal of a workflow: system_awaitConfirmation.";
    let def = ToolDef::new(TOOLSET, "approval_state", description).flow(Flow::PRIVATE);
    tool::full(def, state)
}

async fn state(context: ToolContext, args: Arguments) -> Result<ToolOutput> {
    let approval = own(&context, "approvalId", &args.approval_id).await?;
    let state = json!({"approval": view(&approval, context.now)});
    Ok(ToolOutput::data(&state)?.bringing(Flow::of_stored(is_tainted(&approval))))
}
