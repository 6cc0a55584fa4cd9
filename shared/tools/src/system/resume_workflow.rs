//! `system_resumeWorkflow`.

use alfred_agent::approval::pending;
use alfred_agent::tool::{self, SharedTool, ToolContext, ToolError, ToolOutput};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::flows;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Only the one with this proposal's id; all that are not ended when left out.
    workflow_id: Option<String>,
}

/// The tool.
#[must_use]
pub fn tool() -> SharedTool {
    let def = flows::def(
        "system_resumeWorkflow",
        "Says which of the person's workflows are not ended and what each waits for. One that was interrupted goes on by itself; one that waits goes on when the person decides on its card.",
    );
    tool::full(def, resume)
}

async fn resume(context: ToolContext, args: Arguments) -> Result<ToolOutput, ToolError> {
    let waiting = pending::of(&*context.store, &context.team, context.user_id()).await?;
    let wanted = |id: &str| {
        args.workflow_id
            .as_deref()
            .is_none_or(|wanted| wanted == id)
    };
    let found: Vec<Value> = waiting
        .iter()
        .filter(|one| !one.preview.items.is_empty() && wanted(one.id.as_str()))
        .map(|one| {
            json!({
                "proposalId": one.id,
                "type": one.action_type,
                "title": one.preview.title,
                "waitsFor": "the person's decision",
                "expired": one.expires_at <= context.now,
                "expiresAt": one.expires_at,
            })
        })
        .collect();
    if let (true, Some(id)) = (found.is_empty(), &args.workflow_id) {
        let problem = "is no workflow of the person's that waits.";
        return Err(crate::fields::refused("workflowId", id, problem));
    }
    ToolOutput::data(&json!({"workflows": found}))
}
