use alfred_planner::{Task, TaskStatus};

use super::taken::TakenBlock;
use super::{BlockView, TOOLSET, kind_and_title};
use crate::prelude::*;
use crate::task::store;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Its id, or words of its title.
    block_id: Ref<TakenBlock>,
}

pub fn tool() -> SharedTool {
    let description = "Deletes one time block. Its tasks go back to the backlog.";
    let def = ToolDef::new(TOOLSET, "schedule_deleteTimeBlock", description)
        .flow(Flow::PRIVATE)
        .effect(Effect::Destructive);
    edit::tool(def, delete)
}

async fn delete(context: ToolContext, args: Arguments) -> Result<Edit<TakenBlock>> {
    let taken = args.block_id.find(&context).await?;
    let (block, date) = (&taken.block, taken.day.date);
    let tasks = store::find_stored(&context, block.task_ids()).await?;
    let plain: Vec<Task> = tasks.iter().map(|stored| stored.task.clone()).collect();
    let tainted = plain.iter().any(|task| task.tainted);
    let deleted = BlockView::new(block, &plain);
    let (span, on) = (block.span, short_date(date));
    let receipt = format!("Deleted {} on {on}, {span}", kind_and_title(block));
    let id = block.id.clone();
    let mut edit = Edit::delete("Delete a time block", taken).receipt(receipt);
    let mut released = Vec::new();
    for mut stored in tasks {
        stored.task.blocks.retain(|block| *block != id);
        if stored.task.status != TaskStatus::Scheduled {
            continue;
        }
        let title = stored.task.title.clone();
        let planned = format!("\"{title}\" planned");
        let mut becomes = format!("\"{title}\" still planned for its other blocks");
        if stored.task.blocks.is_empty() {
            becomes = format!("\"{title}\" back in your backlog");
            stored.task.status = TaskStatus::Backlog;
            stored.absorb_taint(&context);
            released.push(title);
        }
        edit = edit.line("Task", planned, becomes);
        edit = edit.writing([stored.write(&context)?]);
    }
    Ok(edit
        .tainted(tainted)
        .data("date", date)
        .data("deleted", deleted)
        .data("releasedTasks", released))
}
