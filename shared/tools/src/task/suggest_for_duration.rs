//! `task_suggestForDuration`.

use alfred_agent::tool::{self, SharedTool, ToolContext, ToolError, ToolOutput};
use alfred_planner::combine::DURATION;
use alfred_planner::{Backlog, BacklogFilter, Combination, Strategy, suggest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{TaskView, store};
use crate::fields::{invalid, today, within};
use crate::flows;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Minutes there are.
    #[schemars(range(min = 15, max = 1_440))]
    duration: i64,
    /// What counts: time for what matters most (priority), as many tasks as possible (quick_wins), or the highest total score (mixed).
    strategy: Strategy,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Suggested {
    suggestions: Vec<Suggestion>,
    /// Tasks that take no longer than the duration, all of which were considered.
    considered: usize,
    /// Tasks of the backlog.
    total_tasks: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Suggestion {
    combination: Vec<TaskView>,
    total_minutes: u32,
    total_score: u32,
    reasoning: String,
}

/// The tool.
#[must_use]
pub fn tool() -> SharedTool {
    let def = flows::def(
        "task_suggestForDuration",
        "Suggests up to three combinations of tasks of the person's backlog that fit into a number of minutes. Changes nothing.",
    );
    tool::full(def, suggestions)
}

async fn suggestions(context: ToolContext, args: Arguments) -> Result<ToolOutput, ToolError> {
    let duration = within("duration", args.duration, &DURATION).map_err(invalid)?;
    let tasks = store::list(&context).await?;
    let all = BacklogFilter::default();
    let backlog = Backlog::from_tasks(tasks, &all, today(&context), &context.zone()).tasks;
    let found = suggest(&backlog, duration, args.strategy).map_err(invalid)?;
    let mut chosen = found.suggestions.iter().flat_map(|one| &one.tasks);
    let tainted = chosen.any(|scored| scored.task.tainted);
    let suggested = Suggested {
        suggestions: found
            .suggestions
            .into_iter()
            .map(Suggestion::from)
            .collect(),
        considered: found.considered,
        total_tasks: found.total,
    };
    Ok(ToolOutput::data(&suggested)?.bringing(flows::of_stored(tainted)))
}

impl From<Combination> for Suggestion {
    fn from(combination: Combination) -> Self {
        Self {
            combination: combination.tasks.into_iter().map(TaskView::from).collect(),
            total_minutes: combination.total_minutes,
            total_score: combination.total_score,
            reasoning: combination.reasoning,
        }
    }
}

#[cfg(test)]
#[path = "suggest_for_duration_tests.rs"]
mod tests;
