use alfred_core::id::TaskId;

use super::TOOLSET;
use super::store::Lookup;
use crate::prelude::*;
use crate::schedule::work_block::{MAX_TASKS, WorkBlock};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// At most 50 ids, or words of titles.
    task_ids: Vec<String>,
    /// Its id, or words of its title.
    block_id: String,
    /// Begins what takes longer than is left.
    #[serde(default)]
    begin: bool,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(
        TOOLSET,
        "task_assignToTimeBlock",
        "Plans the named tasks for a work block. Those that don't fit come back with the reason.",
    )
    .flow(Flow::PRIVATE)
    .effect(Effect::ReversibleWrite);
    heavy(
        def,
        |args: &Arguments| args.task_ids.len() == 1,
        |def| tool::shown(def, preview, assign),
    )
}

async fn preview(context: ToolContext, args: Arguments) -> Result<Preview, ToolError> {
    let taken = WorkBlock::find(&context, "blockId", &args.block_id)
        .await?
        .taken;
    let mut lookup = Lookup::new(&context);
    let mut lines = Vec::new();
    for named in &args.task_ids {
        lines.push(match lookup.get("taskIds", named).await {
            Ok((task, _)) => super::line(&task),
            Err(ToolError::Failed(why)) => why.message,
            Err(other) => return Err(other),
        });
    }
    Ok(taken.planning(&lines))
}

async fn assign(context: ToolContext, args: Arguments) -> Result<ToolOutput, ToolError> {
    let count = args.task_ids.len();
    if !(1..=MAX_TASKS).contains(&count) {
        let problem = format!("is out of range: give 1 to {MAX_TASKS} tasks.");
        return Err(refused("taskIds", &count.to_string(), problem));
    }
    let mut block = WorkBlock::find(&context, "blockId", &args.block_id).await?;
    let mut lookup = Lookup::new(&context);
    let mut failed = Vec::new();
    for text in args.task_ids {
        let reason = match lookup.get("taskIds", &text).await {
            Ok((task, version)) => match block.refuses(&task, args.begin) {
                None => {
                    block.plan(&context, task, version);
                    continue;
                }
                Some(reason) => reason,
            },
            Err(ToolError::Failed(why)) => why.message,
            Err(other) => return Err(other),
        };
        failed.push(json!({"taskId": text, "reason": reason}));
    }
    let assigned: Vec<&TaskId> = block.planned().map(|task| &task.id).collect();
    let data = json!({
        "date": block.taken.day.date,
        "block": block.view(),
        "assigned": assigned,
        "failed": failed,
        "remainingMinutes": block.length.saturating_sub(block.used()),
    });
    let output = ToolOutput::data(&data)?.bringing(Flow::of_stored(block.tainted()));
    block.done(&context, output)
}

#[cfg(test)]
#[path = "assign_to_time_block_tests.rs"]
mod tests;
