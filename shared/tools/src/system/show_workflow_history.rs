use super::TOOLSET;
use super::history::{self, Executed};
use super::observed::newer_entries_left_out;
use crate::args::Number;
use crate::prelude::*;

/// Most workflows to read.
const LOOKED_AT: usize = 200;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// A workflow's name or part of it.
    workflow_type: Option<String>,
    /// Most entries, up to 100; 10 when left out.
    limit: Option<Number<1, 100>>,
    /// Adds each full result.
    include_details: Option<bool>,
}

#[derive(Serialize)]
struct History {
    /// Workflows of this type in the last year, shown or not. At most 200 are read.
    total: usize,
    workflows: Vec<View>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct View {
    id: String,
    #[serde(rename = "type")]
    kind: String,
    executed_at: Timestamp,
    status: String,
    /// Counts only; titles and senders are only in the details.
    changes: Vec<String>,
    outcome: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<Value>,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(
        TOOLSET,
        "system_showWorkflowHistory",
        "Lists workflows that were carried out, newest first, with what came of them.",
    )
    .flow(Flow::UNKNOWN);
    tool::full(def, show)
}

async fn show(context: ToolContext, args: Arguments) -> Result<ToolOutput, ToolError> {
    let limit = args.limit.map_or(10, |limit| *limit as usize);
    let all = history::since(&context, Timestamp::MIN, LOOKED_AT).await?;
    let wanted = args.workflow_type.unwrap_or_default().trim().to_lowercase();
    let details = args.include_details.unwrap_or(false);
    let fits = |one: &Executed| one.kind.to_lowercase().contains(&wanted);
    let note = (all.unreadable > 0).then(|| newer_entries_left_out(all.unreadable));
    let mut fitting: Vec<Executed> = all.items.into_iter().filter(fits).collect();
    let total = fitting.len();
    fitting.truncate(limit);
    let view = |one: Executed| View {
        changes: one.in_numbers(),
        id: one.id,
        kind: one.kind,
        executed_at: one.executed_at,
        status: one.status,
        outcome: one.outcome,
        details: details.then_some(one.changes),
    };
    let workflows = fitting.into_iter().map(view).collect();
    let history = History {
        total,
        workflows,
        note,
    };
    let output = ToolOutput::data(&history)?;
    Ok(output.bringing(Flow::of_stored(details)))
}
