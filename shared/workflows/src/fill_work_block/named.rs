//! Tasks for a block that whoever calls names by their ids: block, titles and minutes are the store's to say.

use alfred_agent::tool::{Resolution, ToolContext, ToolError};
use alfred_core::text;
use alfred_tools::fields::refused;
use serde_json::json;

use super::propose::{Backlog, block};
use super::{Arguments, Chosen, Confirmation, FillWorkBlock, Proposal};
use crate::composed::Workflow;
use crate::proposal::as_call;
use crate::toolset::Toolset;

/// To plan these tasks for that block.
pub(super) async fn tasks(
    tools: &Toolset,
    context: &ToolContext,
    args: Arguments,
) -> Result<Resolution, ToolError> {
    let wanted = args.confirmation.clone().unwrap_or_default();
    if wanted.approved_task_ids.is_empty() || args.block_id.is_none() {
        return FillWorkBlock::left(context, args);
    }
    let (date, block) = block(tools, context, args.block_id.as_deref()).await?;
    let backlog: Backlog = tools
        .read(context, "task_getBacklogWithScores", json!({}))
        .await?;
    let mut tasks: Vec<Chosen> = Vec::new();
    for (at, id) in wanted.approved_task_ids.iter().enumerate() {
        let Some(task) = backlog.tasks.iter().find(|task| task.id == *id) else {
            let field = format!("confirmation.approvedTaskIds[{at}]");
            return Err(not_waiting(&field, id));
        };
        if !tasks.iter().any(|known| known.id == *id) {
            tasks.push(task.chosen());
        }
    }
    let minutes = tasks.iter().map(|task| task.minutes).sum();
    let score = tasks.iter().map(|task| task.score).sum();
    let free = block.free();
    as_call(&Arguments {
        confirmation: Some(Confirmation {
            proposal_id: None,
            approved: true,
            approved_task_ids: tasks.iter().map(|task| task.id.clone()).collect(),
        }),
        proposal: Some(Proposal {
            time: block.time(),
            block_title: block.title,
            date,
            minutes: free,
            reasoning: text::tasks_take(tasks.len(), minutes, free, score),
            tasks,
            ..Proposal::default()
        }),
        block_id: Some(block.id),
        ..args
    })
}

/// What is no task that could be planned.
pub fn not_waiting(field: &str, id: &str) -> ToolError {
    let problem = "is no task of the backlog: there is none of that id, or it is planned or done already. task_getBacklogWithScores gives the ids.";
    refused(field, id, problem)
}
