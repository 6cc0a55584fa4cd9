use alfred_planner::combine::DURATION;
use alfred_planner::{BacklogFilter, Combination, ScoredTask, Strategy, suggest};

use super::get_backlog_with_scores::backlog_on;
use super::{TOOLSET, TaskView};
use crate::prelude::*;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Minutes, 15 to 1440.
    duration: Number<{ *DURATION.start() }, { *DURATION.end() }>,
    /// The most important (priority), most tasks (quick_wins) or the highest score (mixed).
    strategy: Strategy,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Suggested {
    pub suggestions: Vec<Suggestion>,
    /// Number of tasks that fit into the duration.
    considered: usize,
    /// Number of tasks in the backlog.
    total_tasks: usize,
    #[serde(skip)]
    tainted: bool,
}

#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Suggestion {
    pub combination: Vec<TaskView>,
    total_minutes: u32,
    pub total_score: u32,
    pub reasoning: String,
    /// Whether no other combination serves the strategy better.
    #[serde(skip)]
    pub best: bool,
}

pub fn tool() -> SharedTool {
    let description =
        "Suggests up to three combinations of tasks for a number of minutes. Changes nothing.";
    let def = ToolDef::new(TOOLSET, "task_suggestForDuration", description).flow(Flow::PRIVATE);
    tool::full(def, suggestions)
}

async fn suggestions(context: ToolContext, args: Arguments) -> Result<ToolOutput> {
    let (_, backlog) = backlog_on(&context, &BacklogFilter::default(), today(&context)).await?;
    let suggested = Suggested::new(&backlog.tasks, *args.duration, args.strategy);
    Ok(ToolOutput::data(&suggested)?.bringing(Flow::of_stored(suggested.tainted)))
}

impl Suggested {
    /// Suggests combinations for 15 to 1,440 minutes.
    pub(crate) fn new(backlog: &[ScoredTask], duration: u32, strategy: Strategy) -> Self {
        let found = suggest(backlog, duration, strategy);
        let mut chosen = found.suggestions.iter().flat_map(|one| &one.tasks);
        let tainted = chosen.any(|scored| scored.task.tainted);
        let suggestions = found.suggestions.into_iter();
        Self {
            suggestions: suggestions.map(Suggestion::from).collect(),
            considered: found.considered,
            total_tasks: found.total,
            tainted,
        }
    }
}

impl From<Combination> for Suggestion {
    fn from(combination: Combination) -> Self {
        Self {
            combination: combination.tasks.into_iter().map(TaskView::from).collect(),
            total_minutes: combination.total_minutes,
            total_score: combination.total_score,
            reasoning: combination.reasoning,
            best: combination.best,
        }
    }
}
