//! Which tasks a block gets.

use alfred_agent::tool::{Resolution, ToolContext, ToolError};
use alfred_core::{Failure, text};
use alfred_planner::patterns::What;
use alfred_planner::{BlockType, ClockTime, wish};
use serde::Deserialize;
use serde_json::json;

use super::wanted::Wanted;
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
    pub title: String,
    pub estimated_minutes: u32,
    #[serde(default)]
    pub score: u32,
}

#[derive(Deserialize)]
pub(super) struct Suggested {
    pub suggestions: Vec<Suggestion>,
}

#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Suggestion {
    pub combination: Vec<Waiting>,
    pub total_score: u32,
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
) -> Result<Resolution, ToolError> {
    let (date, block) = block(tools, context, args.block_id.as_deref()).await?;
    let mut notes = Notes {
        unmet: args.changes.unmet.clone(),
        ..Notes::default()
    };
    let free = block.free();
    if free < LEAST {
        return nothing(&text::nothing_fits(&block.title), &notes);
    }
    let known = habits::about(tools, context, &["tasks", "proposals"]).await?;
    let (free, lines) = room(free, &known);
    notes.lines.extend(lines);
    let free = args
        .changes
        .at_most_minutes
        .map_or(free, |most| most.min(free));
    let backlog: Backlog = tools
        .read(context, "task_getBacklogWithScores", json!({}))
        .await?;
    let mut wanted = Wanted::new(&args, &known, &backlog.tasks, &mut notes);
    let first = wanted.take_first(&backlog.tasks, free, &mut notes);
    let taken: u32 = first.iter().map(|task| task.estimated_minutes).sum();
    let mut chosen = first;
    let mut reasoning = None;
    if free - taken >= LEAST && wanted.most > 0 {
        let noon = ClockTime::parse("noon", NOON).map_err(Failure::bug)?;
        let strategy = if block.start_time < noon {
            "priority"
        } else {
            "mixed"
        };
        let ask = json!({"duration": free - taken, "strategy": strategy});
        let found: Suggested = tools.read(context, "task_suggestForDuration", ask).await?;
        notes.lines.extend(wanted.left_out_before(&found));
        if let Some((best, whole)) = wanted.best(found.suggestions) {
            reasoning = (whole && taken == 0).then(|| best.reasoning.clone());
            chosen.extend(best.combination);
        }
    }
    if chosen.is_empty() {
        return nothing(&text::nothing_fits(&block.title), &notes);
    }
    let ask = json!({"maxDuration": free});
    let fitting: Backlog = tools
        .read(context, "task_getBacklogWithScores", ask)
        .await?;
    notes.lines.push(text::fitting_tasks(fitting.total_tasks));
    let tasks: Vec<Chosen> = chosen.iter().map(Waiting::chosen).collect();
    let minutes = tasks.iter().map(|task| task.minutes).sum();
    let score = tasks.iter().map(|task| task.score).sum();
    let why = || text::tasks_take(tasks.len(), minutes, free, score);
    as_call(&Arguments {
        block_id: Some(block.id.clone()),
        confirmation: Some(Confirmation {
            proposal_id: None,
            approved: true,
            approved_task_ids: tasks.iter().map(|task| task.id.clone()).collect(),
        }),
        proposal: Some(Proposal {
            time: block.time(),
            reasoning: reasoning.unwrap_or_else(why),
            block_title: block.title,
            date,
            minutes: free,
            tasks,
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

    /// Whether it is meant: by its id, or by words of its title.
    pub fn means(&self, words: &str) -> bool {
        self.id == words || wish::is_meant(&self.title, words)
    }

    pub fn is(&self, habit: &Habit) -> bool {
        matches!(&habit.what, What::LeavesTask { id, .. } if *id == self.id)
    }
}

impl Suggestion {
    pub fn has(&self, habit: &Habit) -> bool {
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
