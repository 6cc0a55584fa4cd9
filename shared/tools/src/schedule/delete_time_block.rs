use alfred_planner::{Happened, Task, TaskEvent, TaskStatus};

use super::taken::TakenBlock;
use super::{BlockView, TOOLSET, create_time_block, kind_and_title};
use crate::prelude::*;
use crate::task::{events, store};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Its id, or words of its title.
    block_id: String,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(
        TOOLSET,
        "schedule_deleteTimeBlock",
        "Deletes one time block. Its tasks go back to the backlog.",
    )
    .flow(Flow::PRIVATE)
    .effect(Effect::Destructive);
    tool::shown(def, preview, delete)
}

struct Going {
    taken: TakenBlock,
    tasks: Vec<(Task, u64)>,
}

impl Going {
    async fn find(context: &ToolContext, args: &Arguments) -> Result<Self, ToolError> {
        let taken = TakenBlock::find(context, "blockId", &args.block_id).await?;
        let ids: Vec<_> = taken.block.task_ids.iter().collect();
        let tasks = store::find_stored(context, &ids).await?;
        Ok(Self { taken, tasks })
    }

    fn scheduled(&self) -> impl Iterator<Item = &(Task, u64)> {
        let scheduled = |(task, _): &&(Task, u64)| task.status == TaskStatus::Scheduled;
        self.tasks.iter().filter(scheduled)
    }
}

async fn preview(context: ToolContext, args: Arguments) -> Result<Preview, ToolError> {
    let going = Going::find(&context, &args).await?;
    let (block, date) = (&going.taken.block, going.taken.day.date);
    let line = format!(
        "{} block \"{}\" on {date}, {}–{}",
        block.kind, block.title, block.start, block.end
    );
    let mut preview = Preview::new("Delete a time block").change("Block", line, "");
    if !block.description.is_empty() {
        preview = preview.change("Description", &block.description, "");
    }
    for (task, _) in going.scheduled() {
        let after = format!("\"{}\" back in your backlog", task.title);
        preview = preview.change("Task", format!("\"{}\" planned", task.title), after);
    }
    Ok(preview)
}

async fn delete(context: ToolContext, args: Arguments) -> Result<ToolOutput, ToolError> {
    let going = Going::find(&context, &args).await?;
    context.ensure_as_left(
        &going.taken.block.title,
        going.taken.block.tainted,
        &going.taken.left(),
    )?;
    let date = going.taken.day.date;
    let block = &going.taken.block;
    let tainted = block.tainted || going.tasks.iter().any(|(task, _)| task.tainted);
    let plain: Vec<Task> = going.tasks.iter().map(|(task, _)| task.clone()).collect();
    let released: Vec<&str> = going.scheduled().map(|(task, _)| &*task.title).collect();
    let deleted = json!({
        "date": date,
        "deleted": BlockView::new(block, &plain),
        "releasedTasks": released,
    });
    let again = create_time_block::again(date, block);
    let action = format!(
        "Deleted {} on {date}, {}–{}",
        kind_and_title(block),
        block.start,
        block.end
    );
    let (mut writes, mut put_off) = (Vec::new(), Vec::new());
    let place = going.taken.as_place();
    for (task, version) in going.scheduled() {
        let released = Task {
            status: TaskStatus::Backlog,
            block_id: None,
            tainted: task.tainted || context.tainted,
            ..task.clone()
        };
        writes.push(store::replace(&context, &released, *version)?);
        let place = Some(place.clone());
        let event = TaskEvent::new(Happened::PutOff, context.now, &released, place);
        put_off.push(event);
    }
    writes.extend(events::write(&context, put_off)?);
    writes.extend(going.taken.deleted(&context)?);
    Ok(ToolOutput::data(&deleted)?
        .with_effect(action, writes)
        .at_place(date.strftime("%A").to_string())
        .undone_by("schedule_createTimeBlock", again)
        .bringing(Flow::of_stored(tainted)))
}

#[cfg(test)]
#[path = "delete_time_block_tests.rs"]
mod tests;
