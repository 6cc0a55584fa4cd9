use alfred_planner::combine::{MAX_FILL, Room};
use alfred_planner::{Backlog, BacklogFilter, FillStrategy, ScoredTask, Task, fill};

use super::TOOLSET;
use super::taken::TakenBlock;
use super::work_block::{MAX_TASKS, WorkBlock};
use crate::prelude::*;
use crate::task::store::{self, StoredTask};
use crate::task::{self, TaskView};

/// Default number of tasks to assign.
const DEFAULT_TASKS: u32 = 5;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Its id, or words of its title.
    block_id: Ref<TakenBlock>,
    /// First the most pressing (priority, when left out), the shortest (quick_wins), or the longest before noon and the shortest after (energy_match).
    strategy: Option<FillStrategy>,
    /// Most tasks to add; 5 when left out.
    max_tasks: Option<Number<{ *MAX_FILL.start() }, { *MAX_FILL.end() }>>,
}

pub fn tool() -> SharedTool {
    let description = "Fills a work block with fitting tasks at once, without asking. To propose them on a card first: workflow_fillWorkBlock, also for \"fill my work block\".";
    let def = ToolDef::new(TOOLSET, "schedule_fillWorkBlock", description)
        .flow(Flow::PRIVATE)
        .effect(Effect::ReversibleWrite)
        .with(|def| def.blind_undo = true);
    tool::shown(def, preview, fill_block)
}

async fn preview(context: ToolContext, args: Arguments) -> Result<Preview> {
    let (block, _) = planned(&context, &args).await?;
    let tasks: Vec<String> = block.planned().map(task::line).collect();
    Ok(block.taken.planning(&tasks))
}

async fn fill_block(context: ToolContext, args: Arguments) -> Result<ToolOutput> {
    let (block, data) = planned(&context, &args).await?;
    let output = ToolOutput::data(&data)?.bringing(Flow::of_stored(block.tainted()));
    block.done(&context, output)
}

/// The block with its new tasks, and the result of the tool.
async fn planned(context: &ToolContext, args: &Arguments) -> Result<(WorkBlock, Value)> {
    let most = args.max_tasks.as_ref().map_or(DEFAULT_TASKS, |most| **most);
    let mut block = WorkBlock::find(context, &args.block_id).await?;
    let places = u32::try_from(block.places()).unwrap_or(u32::MAX);
    if places == 0 {
        let problem = format!("already has {MAX_TASKS} tasks, the most a block can hold.");
        return Err(args.block_id.refused(problem));
    }
    let stored = store::list_stored(context).await?;
    let tasks = stored.iter().map(|stored| stored.task.clone()).collect();
    let all = BacklogFilter::default();
    let backlog = Backlog::from_tasks(tasks, &all, today(context), &context.zone()).tasks;
    let room = Room {
        start: block.taken.block.span.start(),
        minutes: block.length,
        used: block.used(),
    };
    let strategy = args.strategy.unwrap_or(FillStrategy::Priority);
    let filled = fill(&backlog, room, strategy, most.min(places));
    for scored in &filled.assigned {
        let is_it = |stored: &&StoredTask| stored.task.id == scored.task.id;
        if let Some(stored) = stored.iter().find(is_it) {
            block.plan(context, stored.clone(), None);
        }
    }
    let assigned = block.planned().zip(&filled.assigned);
    let view = |(task, scored): (&Task, &ScoredTask)| TaskView::new(task.clone(), scored.score);
    let assigned: Vec<TaskView> = assigned.map(view).collect();
    let data = json!({
        "date": block.taken.day.date,
        "block": block.view(),
        "assignedTasks": assigned,
        "utilization": filled.utilization,
        "remainingMinutes": filled.remaining_minutes,
        "considered": backlog.len(),
    });
    Ok((block, data))
}
