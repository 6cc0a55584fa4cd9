//! `system_showWorkflowHistory`.

use alfred_agent::tool::{self, SharedTool, ToolContext, ToolError, ToolOutput};
use alfred_core::keys;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::history::{Executed, newest};
use crate::fields::{invalid, within};
use crate::flows;

/// Workflows that are looked through for one kind.
const LOOKED_AT: usize = 200;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Only this one: "workflow_schedule", "workflow_fillWorkBlock" or "workflow_fillEmailBlock", or a part of the name.
    workflow_type: Option<String>,
    /// How many at most, newest first; 10 when left out.
    #[schemars(range(min = 1, max = 100))]
    limit: Option<i64>,
    /// Also what each of them changed.
    include_details: Option<bool>,
}

/// The tool.
#[must_use]
pub fn tool() -> SharedTool {
    let def = flows::def(
        "system_showWorkflowHistory",
        "Lists the person's workflows that were carried out, newest first: which, when, whether all of it worked, and what came of it.",
    );
    tool::full(def, show)
}

async fn show(context: ToolContext, args: Arguments) -> Result<ToolOutput, ToolError> {
    let limit = within("limit", args.limit.unwrap_or(10), &(1..=100)).map_err(invalid)?;
    let partition = |at| keys::workflows(&context.team, context.user_id(), at);
    let all: Vec<Executed> = newest(&context, partition, Timestamp::MIN, LOOKED_AT).await?;
    let wanted = args.workflow_type.unwrap_or_default().to_lowercase();
    let details = args.include_details.unwrap_or(false);
    let fits = |one: &Executed| one.kind.to_lowercase().contains(&wanted);
    let shown: Vec<Value> = all
        .into_iter()
        .filter(fits)
        .take(usize::try_from(limit).unwrap_or(1))
        .map(|one| {
            let mut view = json!({"id": one.id, "type": one.kind, "executedAt": one.executed_at, "status": one.status, "outcome": one.outcome});
            if details {
                view["changes"] = one.changes;
            }
            view
        })
        .collect();
    // Titles and senders of others stand in the changes.
    let output = ToolOutput::data(&json!({"total": shown.len(), "workflows": shown}))?;
    Ok(output.bringing(flows::of_stored(details)))
}
