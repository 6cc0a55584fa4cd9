//! Chooses the tasks for a block.

use alfred_agent::tool::Resolution;
use alfred_planner::patterns::{Pattern, What};
use alfred_planner::{BacklogFilter, BlockType, ClockTime, Strategy, wish};

use super::show::tasks_take;
use super::wanted::Tasks;
use super::{Arguments, Chosen, Confirmation, Filling, Proposal, nothing_fits};
use crate::prelude::*;
use crate::schedule::view_schedule::Schedule;
use crate::schedule::{BlockTask, BlockView};
use crate::system::observed::About;
use crate::task::TaskView;
use crate::task::get_backlog_with_scores::Scored;
use crate::task::suggest_for_duration::Suggested;
use crate::workflow::composed::Wanted;
use crate::workflow::habits;
use crate::workflow::proposal::{Notes, nothing};

/// Blocks before this time get the highest priorities, later ones a mixture.
const NOON: &str = "12:00";
/// In minutes. Tasks are suggested only for at least this much time.
const LEAST: u32 = 15;
/// Days that are searched for the block, today included.
const DAYS: i32 = 15;

struct Meant {
    date: Date,
    block: BlockView,
}

/// Minutes without a task.
fn free(block: &BlockView) -> u32 {
    let used: u32 = block.tasks.iter().map(BlockTask::planned_minutes).sum();
    block.duration.saturating_sub(used)
}

fn is_meant(block: &BlockView, words: Option<&str>) -> bool {
    block.kind == BlockType::Work
        && match words {
            Some(words) => block.id.as_str() == words || wish::is_meant(&block.title, words),
            None => free(block) >= LEAST,
        }
}

/// Proposes the best tasks for the block.
pub(super) async fn plan(
    context: &ToolContext,
    Wanted { wish, without, .. }: Wanted<Arguments>,
) -> Result<Resolution, ToolError> {
    let Meant { date, block } = meant(context, wish.block_id.as_deref()).await?;
    let mut notes = Notes {
        unmet: wish.changes.unmet.clone(),
        ..Notes::default()
    };
    let free = free(&block);
    if free < LEAST {
        return nothing(&nothing_fits(&block.title), &notes);
    }
    let known = habits::about(context, &[About::Tasks, About::Proposals]).await?;
    let (free, lines) = room(free, &known);
    notes.lines.extend(lines);
    let free = wish
        .changes
        .at_most_minutes
        .map_or(free, |most| most.min(free));
    let backlog = Scored::load(context, &BacklogFilter::default()).await?;
    let mut wanted = Tasks::wanted(
        (&wish.changes, &without),
        &known,
        &backlog.tasks,
        &mut notes,
    );
    let first = wanted.take_first(&backlog.tasks, free, &mut notes);
    let taken: u32 = first.iter().map(|task| task.estimated_minutes).sum();
    let mut chosen = first;
    let mut reasoning = None;
    if free - taken >= LEAST && wanted.most > 0 {
        let noon = ClockTime::parse("noon", NOON).map_err(Failure::bug)?;
        let strategy = match block.start_time < noon {
            true => Strategy::Priority,
            false => Strategy::Mixed,
        };
        let found = Suggested::load(context, free - taken, strategy).await?;
        notes.lines.extend(wanted.left_out_before(&found));
        if let Some((best, whole)) = wanted.best(found.suggestions) {
            reasoning = (whole && taken == 0).then(|| best.reasoning.clone());
            chosen.extend(best.combination);
        }
    }
    if chosen.is_empty() {
        return nothing(&nothing_fits(&block.title), &notes);
    }
    let ask = BacklogFilter {
        max_duration: Some(free),
        ..BacklogFilter::default()
    };
    let fitting = Scored::load(context, &ask).await?;
    if fitting.total_tasks > chosen.len() {
        notes.lines.push(format!(
            "Chosen from {} tasks that fit.",
            fitting.total_tasks
        ));
    }
    let tasks: Vec<Chosen> = chosen.iter().map(Chosen::from).collect();
    let minutes = tasks.iter().map(|task| task.minutes).sum();
    let why = || tasks_take(tasks.len(), minutes, free);
    let filling = Filling {
        wish: Arguments {
            block_id: Some(block.id.to_string()),
            ..wish
        },
        without,
        own: None,
        confirmation: Confirmation {
            approved_task_ids: tasks.iter().map(|task| task.id.clone()).collect(),
        },
        proposal: Proposal {
            time: format!("{}–{}", block.start_time, block.end_time),
            reasoning: reasoning.unwrap_or_else(why),
            block_title: block.title,
            date: date.to_string(),
            minutes: free,
            tasks,
            notes,
        },
    };
    filling.call()
}

/// The block and its day: the first match from today on.
async fn meant(context: &ToolContext, words: Option<&str>) -> Result<Meant, ToolError> {
    let now = context.zone().to_datetime(context.now);
    for ahead in 0..DAYS {
        let date = now.date().saturating_add(jiff::Span::new().days(ahead));
        let day = Schedule::load(context, date).await?;
        let ended =
            |block: &BlockView| ahead == 0 && block.end_time.on(date).is_some_and(|end| end <= now);
        let meant = day
            .blocks
            .into_iter()
            .filter(|block| is_meant(block, words));
        let mut meant: Vec<BlockView> = meant
            .filter(|block| words.is_some() || !ended(block))
            .collect();
        if let (true, Some(_)) = (meant.len() > 1, words) {
            let listed: Vec<String> = meant
                .iter()
                .map(|block| format!("\"{}\" at {} ({})", block.title, block.start_time, block.id))
                .collect();
            return Err(ToolError::failed(format!(
                "blockId: {} match: {}. Say which one.",
                meant.len(),
                listed.join(", ")
            )));
        }
        if !meant.is_empty() {
            let block = meant.remove(0);
            return Ok(Meant { date, block });
        }
    }
    Err(ToolError::failed(match words {
        Some(words) => {
            format!("blockId: \"{words}\" is no work block of the coming two weeks.")
        }
        None => "blockId: no work block of the coming two weeks has room.".to_owned(),
    }))
}

impl From<&TaskView> for Chosen {
    fn from(task: &TaskView) -> Self {
        Self {
            id: task.id.to_string(),
            title: task.title.clone(),
            minutes: task.estimated_minutes,
            score: task.score.score,
        }
    }
}

/// The minutes to fill, and a note if they are reduced because tasks take longer than estimated.
fn room(free: u32, known: &[Pattern]) -> (u32, Option<String>) {
    let overrun = known.iter().find_map(|habit| match habit.what {
        What::TasksTake(percent) if percent > 100 => Some((percent, habit)),
        _ => None,
    });
    let Some((percent, habit)) = overrun else {
        return (free, None);
    };
    let filled = (free * 100 / percent).max(LEAST);
    let line = format!(
        "{filled} of {free} minutes are filled: your tasks took about {percent} % of their estimates ({} of {} of them).",
        habit.agree, habit.of
    );
    (filled, Some(line))
}
