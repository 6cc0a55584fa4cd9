//! `system_showPatterns`.

use alfred_agent::tool::{self, SharedTool, ToolContext, ToolError, ToolOutput};
use alfred_core::keys;
use alfred_planner::{BlockType, TaskStatus, TimeBlock};
use jiff::civil::{Date, Weekday};
use jiff::{SignedDuration, Span, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeMap;

use super::history::{Executed, newest};
use crate::fields::today;
use crate::flows;
use crate::schedule::day::Day;
use crate::task::store;

/// Days behind which "all time" ends: each is a read.
const ALL_TIME: i64 = 90;
/// Days, or workflows, from which on a pattern is certain.
const CERTAIN: usize = 10;
/// Examples of a pattern.
const EXAMPLES: usize = 3;

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Period {
    Week,
    Month,
    AllTime,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// How far back: week (when left out), month, or all_time, which is 90 days.
    timeframe: Option<Period>,
}

#[derive(Debug, PartialEq, Serialize)]
struct Pattern {
    pattern: String,
    /// 0–1: how many days or workflows it rests on, and how many of them agree.
    confidence: f64,
    examples: Vec<String>,
}

/// The tool.
#[must_use]
pub fn tool() -> SharedTool {
    let def = flows::def(
        "system_showPatterns",
        "Says what the person's stored days, tasks and workflows have in common: focus a day, lunch, the fullest weekday, tasks done, plans carried out. Each with how sure it is.",
    );
    tool::full(def, show)
}

async fn show(context: ToolContext, args: Arguments) -> Result<ToolOutput, ToolError> {
    let days_back = match args.timeframe.unwrap_or(Period::Week) {
        Period::Week => 7,
        Period::Month => 30,
        Period::AllTime => ALL_TIME,
    };
    let today = today(&context);
    let mut days = Vec::new();
    for back in 0..days_back {
        let date = today.saturating_sub(Span::new().days(back));
        let day = Day::load(&context, date).await?;
        if !day.blocks.is_empty() {
            days.push((date, day.blocks));
        }
    }
    let since = context
        .now
        .saturating_sub(SignedDuration::from_hours(24 * days_back))
        .unwrap_or(Timestamp::MIN);
    let partition = |at| keys::workflows(&context.team, context.user_id(), at);
    let done: Vec<Executed> = newest(&context, partition, since, 200).await?;
    let tasks = store::list(&context).await?;
    let mut found = of_days(&days);
    found.extend(of_workflows(&done));
    let completed = tasks
        .iter()
        .filter(|task| task.status == TaskStatus::Completed && task.created_at >= since);
    let made = tasks.iter().filter(|task| task.created_at >= since).count();
    let completed = completed.count();
    if made > 0 {
        found.push(Pattern {
            pattern: format!("Of {made} tasks made in this time {completed} are done."),
            confidence: sure(made, made),
            examples: Vec::new(),
        });
    }
    let data = json!({"patterns": found, "daysWithBlocks": days.len(), "workflows": done.len()});
    ToolOutput::data(&data)
}

/// How sure a pattern is: by how much there is, and how much of it agrees.
fn sure(agree: usize, of: usize) -> f64 {
    if of == 0 {
        return 0.0;
    }
    let ratio = |a: usize, b: usize| {
        f64::from(u32::try_from(a).unwrap_or(u32::MAX))
            / f64::from(u32::try_from(b).unwrap_or(u32::MAX))
    };
    let enough = ratio(of.min(CERTAIN), CERTAIN);
    (enough * ratio(agree, of) * 100.0).round() / 100.0
}

fn of_days(days: &[(Date, Vec<TimeBlock>)]) -> Vec<Pattern> {
    let mut found = Vec::new();
    if days.is_empty() {
        return found;
    }
    let minutes = |blocks: &[TimeBlock], kind: BlockType| -> u32 {
        blocks
            .iter()
            .filter(|block| block.kind == kind)
            .map(TimeBlock::duration)
            .sum()
    };
    let focus: Vec<(Date, u32)> = days
        .iter()
        .map(|(date, blocks)| (*date, minutes(blocks, BlockType::Work)))
        .collect();
    let with_focus = focus.iter().filter(|(_, minutes)| *minutes > 0).count();
    let total: u32 = focus.iter().map(|(_, minutes)| minutes).sum();
    let average = total / u32::try_from(days.len()).unwrap_or(1).max(1);
    found.push(Pattern {
        pattern: format!("{average} minutes of focus on a planned day."),
        confidence: sure(with_focus, days.len()),
        examples: focus
            .iter()
            .take(EXAMPLES)
            .map(|(date, minutes)| format!("{date}: {minutes} min"))
            .collect(),
    });
    found.extend(usual_lunch(days));
    found.extend(fullest_weekday(days));
    found
}

/// When lunch usually is.
fn usual_lunch(days: &[(Date, Vec<TimeBlock>)]) -> Option<Pattern> {
    let mut starts: BTreeMap<String, Vec<Date>> = BTreeMap::new();
    let mut lunches = 0;
    for (date, blocks) in days {
        let lunch = blocks.iter().find(|block| {
            block.kind == BlockType::Break && block.title.to_lowercase().contains("lunch")
        });
        if let Some(lunch) = lunch {
            lunches += 1;
            starts
                .entry(lunch.start.to_string())
                .or_default()
                .push(*date);
        }
    }
    let (start, dates) = starts.into_iter().max_by_key(|(_, dates)| dates.len())?;
    Some(Pattern {
        pattern: format!("Lunch is usually at {start}."),
        confidence: sure(dates.len(), lunches),
        examples: dates
            .iter()
            .take(EXAMPLES)
            .map(ToString::to_string)
            .collect(),
    })
}

/// The weekday with the most planned minutes, where there are several.
fn fullest_weekday(days: &[(Date, Vec<TimeBlock>)]) -> Option<Pattern> {
    let mut sums: BTreeMap<i8, (u32, u32)> = BTreeMap::new();
    for (date, blocks) in days {
        let sum = sums
            .entry(date.weekday().to_monday_one_offset())
            .or_default();
        sum.0 += blocks.iter().map(TimeBlock::duration).sum::<u32>();
        sum.1 += 1;
    }
    if sums.len() < 2 {
        return None;
    }
    let (weekday, (minutes, count)) = sums
        .into_iter()
        .max_by_key(|(_, (minutes, count))| minutes / (*count).max(1))?;
    let weekday = Weekday::from_monday_one_offset(weekday).ok()?;
    Some(Pattern {
        pattern: format!(
            "{weekday:?} is the fullest day, with {} planned minutes.",
            minutes / count.max(1)
        ),
        confidence: sure(usize::try_from(count).unwrap_or(0), days.len()),
        examples: Vec::new(),
    })
}

fn of_workflows(done: &[Executed]) -> Vec<Pattern> {
    let mut kinds: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for one in done {
        let count = kinds.entry(one.kind.as_str()).or_default();
        count.0 += 1;
        count.1 += usize::from(one.status == "completed");
    }
    kinds
        .into_iter()
        .map(|(kind, (count, whole))| Pattern {
            pattern: format!(
                "{kind} was carried out {count} times, {whole} times without a problem."
            ),
            confidence: sure(whole, count),
            examples: done
                .iter()
                .filter(|one| one.kind == kind)
                .take(EXAMPLES)
                .map(|one| one.outcome.clone())
                .collect(),
        })
        .collect()
}
