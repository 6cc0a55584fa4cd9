//! Which tasks a block gets.

use alfred_agent::tool::{ToolContext, ToolError, WorkedOut};
use alfred_core::{Failure, text};
use alfred_planner::patterns::What;
use alfred_planner::{BlockType, ClockTime, Wish, parse_feedback, wish};
use serde::Deserialize;
use serde_json::json;

use super::{Arguments, Chosen, Confirmation, Proposal};
use crate::habits::{self, Habit};
use crate::proposal::{Notes, as_call, nothing};
use crate::toolset::Toolset;

/// Blocks that start before this get what matters most, later ones a mixture.
const NOON: &str = "12:00";
/// The shortest time for which tasks are suggested.
const LEAST: u32 = 15;
/// Days from today on which the block may be.
const DAYS: i32 = 15;

/// What `schedule_viewSchedule` gives.
#[derive(Deserialize)]
struct Day {
    date: String,
    blocks: Vec<Block>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Block {
    pub id: String,
    #[serde(rename = "type")]
    kind: BlockType,
    pub title: String,
    start_time: ClockTime,
    end_time: ClockTime,
    duration: u32,
    #[serde(default)]
    tasks: Vec<Waiting>,
}

#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Waiting {
    pub id: String,
    title: String,
    estimated_minutes: u32,
    #[serde(default)]
    score: u32,
}

#[derive(Deserialize)]
struct Suggested {
    suggestions: Vec<Suggestion>,
}

#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Suggestion {
    combination: Vec<Waiting>,
    total_score: u32,
    reasoning: String,
}

/// What `task_getBacklogWithScores` gives.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Backlog {
    pub tasks: Vec<Waiting>,
    total_tasks: usize,
}

impl Block {
    /// When it is, as the card says it.
    pub fn time(&self) -> String {
        format!("{}–{}", self.start_time, self.end_time)
    }

    /// Minutes that none of its tasks takes.
    pub fn free(&self) -> u32 {
        let used: u32 = self.tasks.iter().map(|task| task.estimated_minutes).sum();
        self.duration.saturating_sub(used)
    }

    fn is(&self, words: Option<&str>) -> bool {
        self.kind == BlockType::Work
            && match words {
                Some(words) => self.id == words || wish::is_meant(&self.title, words),
                None => self.free() >= LEAST,
            }
    }
}

/// The tasks that are worth most in the block that is meant.
pub(super) async fn plan(
    tools: &Toolset,
    context: &ToolContext,
    args: Arguments,
) -> Result<WorkedOut, ToolError> {
    let (date, block) = block(tools, context, args.block_id.as_deref()).await?;
    let heard = parse_feedback(args.feedback.as_deref().unwrap_or_default());
    let mut notes = Notes {
        not_understood: heard.not_understood,
        ..Notes::default()
    };
    let mut unwanted = args.without.clone();
    for wished in heard.wishes {
        match wished {
            Wish::Drop(title) => unwanted.push(title),
            other => notes.not_understood.push(other.to_string()),
        }
    }
    let free = block.free();
    if free < LEAST {
        return nothing(&text::nothing_fits(&block.title), &notes);
    }
    let known = habits::about(tools, context, &["tasks", "proposals"]).await?;
    let (free, lines) = room(free, &known);
    notes.lines.extend(lines);
    let said = args.feedback.as_deref().unwrap_or_default();
    let left_out = left_out(&known, said);
    let noon = ClockTime::parse("noon", NOON).map_err(Failure::bug)?;
    let strategy = if block.start_time < noon {
        "priority"
    } else {
        "mixed"
    };
    let backlog: Backlog = tools
        .read(
            context,
            "task_getBacklogWithScores",
            json!({"maxDuration": free}),
        )
        .await?;
    let ask = json!({"duration": free, "strategy": strategy});
    let found: Suggested = tools.read(context, "task_suggestForDuration", ask).await?;
    let would_be = |habit: &&&Habit| found.suggestions.iter().any(|one| one.has(habit));
    let lines = left_out
        .iter()
        .filter(would_be)
        .filter_map(|habit| line(habit));
    notes.lines.extend(lines);
    let Some(best) = best(found.suggestions, &unwanted, &left_out) else {
        return nothing(&text::nothing_fits(&block.title), &notes);
    };
    notes.lines.push(text::fitting_tasks(backlog.total_tasks));
    let tasks: Vec<Chosen> = best.combination.iter().map(Waiting::chosen).collect();
    as_call(&Arguments {
        block_id: Some(block.id.clone()),
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
            tasks,
            reasoning: best.reasoning,
            notes,
        }),
        ..args
    })
}

/// The block that is meant, and its day: the first from today on.
pub(super) async fn block(
    tools: &Toolset,
    context: &ToolContext,
    words: Option<&str>,
) -> Result<(String, Block), ToolError> {
    let now = context.zone().to_datetime(context.now);
    for ahead in 0..DAYS {
        let date = now.date().saturating_add(jiff::Span::new().days(ahead));
        let on = json!({"date": date});
        let day: Day = tools.read(context, "schedule_viewSchedule", on).await?;
        let ended =
            |block: &Block| ahead == 0 && block.end_time.on(date).is_some_and(|end| end <= now);
        let meant = day.blocks.into_iter().filter(|block| block.is(words));
        let mut meant: Vec<Block> = meant
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
            return Ok((day.date, meant.remove(0)));
        }
    }
    Err(ToolError::failed(match words {
        Some(words) => {
            format!("blockId: \"{words}\" is no work block of the coming two weeks.")
        }
        None => "blockId: no work block of the coming two weeks has room.".to_owned(),
    }))
}

impl Waiting {
    /// As a card names it.
    pub fn chosen(&self) -> Chosen {
        Chosen {
            id: self.id.clone(),
            title: self.title.clone(),
            minutes: self.estimated_minutes,
            score: self.score,
        }
    }

    fn is(&self, habit: &Habit) -> bool {
        matches!(&habit.what, What::LeavesTask { id, .. } if *id == self.id)
    }
}

impl Suggestion {
    fn has(&self, habit: &Habit) -> bool {
        self.combination.iter().any(|task| task.is(habit))
    }
}

/// The minutes that are filled, and why they are fewer where tasks take longer than they are estimated at.
fn room(free: u32, known: &[Habit]) -> (u32, Option<String>) {
    let overrun = known.iter().find_map(|habit| match habit.what {
        What::TasksTake(percent) if percent > 100 => Some((percent, habit)),
        _ => None,
    });
    let Some((percent, habit)) = overrun else {
        return (free, None);
    };
    let filled = (free * 100 / percent).max(LEAST);
    let line = text::room_for_overruns(percent, filled, free, habit.agree, habit.of);
    (filled, Some(line))
}

/// Tasks that the person leaves out whenever they are proposed, unless they name them now.
fn left_out<'a>(known: &'a [Habit], said: &str) -> Vec<&'a Habit> {
    let is = |habit: &&Habit| match &habit.what {
        What::LeavesTask { title, .. } => !wish::is_meant(said, title),
        _ => false,
    };
    known.iter().filter(is).collect()
}

fn line(habit: &Habit) -> Option<String> {
    match &habit.what {
        What::LeavesTask { title, .. } => {
            Some(text::task_left_out_before(title, habit.agree, habit.of))
        }
        _ => None,
    }
}

/// The suggestion that is worth most without what isn't wanted.
fn best(
    suggestions: Vec<Suggestion>,
    unwanted: &[String],
    left_out: &[&Habit],
) -> Option<Suggestion> {
    let wanted = |task: &Waiting| {
        let named = |meant: &String| task.id == *meant || wish::is_meant(&task.title, meant);
        !(unwanted.iter().any(named) || left_out.iter().any(|habit| task.is(habit)))
    };
    let left = suggestions.into_iter().map(|mut suggestion| {
        suggestion.combination.retain(wanted);
        suggestion.total_score = suggestion.combination.iter().map(|task| task.score).sum();
        suggestion
    });
    let some = left.filter(|suggestion| !suggestion.combination.is_empty());
    // Of equals the first: `max_by_key` would take the last.
    some.reduce(|best, next| match next.total_score > best.total_score {
        true => next,
        false => best,
    })
}
