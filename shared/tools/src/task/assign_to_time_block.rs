use alfred_core::id::TaskId;

use super::TOOLSET;
use super::store::StoredTask;
use crate::entity::Finder;
use crate::prelude::*;
use crate::schedule::taken::TakenBlock;
use crate::schedule::work_block::{MAX_TASKS, WorkBlock};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// At most 50 ids, or words of titles.
    task_ids: Vec<String>,
    /// Its id, or words of its title.
    block_id: Ref<TakenBlock>,
    /// Of split tasks: minutes in this block; 0 takes it out.
    parts: Option<Vec<Part>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Part {
    task_id: String,
    minutes: Number<0, 1440>,
}

pub fn tool() -> SharedTool {
    let description =
        "Plans tasks for a work block; those that don't fit come back with the reason.";
    let def = ToolDef::new(TOOLSET, "task_assignToTimeBlock", description)
        .flow(Flow::PRIVATE)
        .effect(Effect::ReversibleWrite);
    let is_light = |args: &Arguments| args.task_ids.len() == 1;
    heavy(def, is_light, |def| tool::shown(def, preview, assign))
}

async fn preview(context: ToolContext, args: Arguments) -> Result<Preview> {
    let taken = args.block_id.find(&context).await?;
    let mut finder = Finder::<StoredTask>::new();
    let mut lines = Vec::new();
    for named in &args.task_ids {
        lines.push(match finder.find(&context, "taskIds", named).await {
            Ok(stored) => super::line(&stored.task),
            Err(ToolError::Failed(why)) => why.message,
            Err(other) => return Err(other),
        });
    }
    Ok(taken.planning(&lines))
}

async fn assign(context: ToolContext, args: Arguments) -> Result<ToolOutput> {
    check_count("taskIds", args.task_ids.len(), "tasks", 1..=MAX_TASKS)?;
    let mut block = WorkBlock::find(&context, &args.block_id).await?;
    let mut finder = Finder::<StoredTask>::new();
    let mut failed = Vec::new();
    for text in &args.task_ids {
        let part = args.minutes_of(text);
        let reason = match finder.find(&context, "taskIds", text).await {
            Ok(stored) if part == Some(0) => {
                let was_there = block.remove(&context, stored);
                (!was_there).then(|| "It isn't in this block.".to_owned())
            }
            Ok(stored) => {
                let reason = block.refuses(&stored.task, part);
                if reason.is_none() {
                    block.plan(&context, stored, part);
                }
                reason
            }
            Err(ToolError::Failed(why)) => Some(why.message),
            Err(other) => return Err(other),
        };
        failed.extend(reason.map(|reason| json!({"taskId": text, "reason": reason})));
    }
    let assigned: Vec<&TaskId> = block.planned().map(|task| &task.id).collect();
    let data = json!({
        "date": block.taken.day.date,
        "block": block.view(),
        "assigned": assigned,
        "failed": failed,
        "remainingMinutes": block.left(),
    });
    let output = ToolOutput::data(&data)?.bringing(Flow::of_stored(block.tainted()));
    block.done(&context, output)
}

impl Arguments {
    fn minutes_of(&self, task: &str) -> Option<u32> {
        let mut parts = self.parts.iter().flatten();
        let part = parts.find(|part| part.task_id == task)?;
        Some(*part.minutes)
    }
}
