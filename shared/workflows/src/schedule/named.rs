//! Changes of a day that whoever calls names themselves: blocks that are there and tasks by their ids,
//! new blocks by time and title. All else on the card is read from the day as it is.

use alfred_agent::tool::{Resolution, ToolContext, ToolError};
use alfred_core::text;
use alfred_planner::{BlockType, ClockTime, Span};
use alfred_tools::fields::{refused, title};
use alfred_tools::schedule::is_a_meeting;
use serde_json::{Value, json};

use super::day::{Backlog, Block, Day, gaps};
use super::propose::{self, unusable};
use super::{Arguments, Confirmation, Move, NewBlock, PlannedTask, Proposal, Removal, Schedule};
use crate::composed::Workflow;
use crate::fill_work_block::not_waiting;
use crate::proposal::{Notes, as_call};
use crate::toolset::Toolset;

/// To change the day in just these ways.
pub(super) async fn plan(
    tools: &Toolset,
    context: &ToolContext,
    args: Arguments,
) -> Result<Resolution, ToolError> {
    let wanted = args.confirmation.clone().unwrap_or_default();
    if wanted.is_empty() {
        return Schedule::left(context, args);
    }
    let date = propose::date(context, args.date.as_deref())?;
    let day: Day = tools
        .read(context, "schedule_viewSchedule", json!({"date": date}))
        .await?;
    let backlog: Backlog = tools
        .read(context, "task_getBacklogWithScores", json!({}))
        .await?;
    let gaps = gaps(tools, context, date).await?;
    let known = Known { day, backlog };
    let confirmation = Confirmation {
        proposal_id: None,
        approved: true,
        approved_blocks: each(wanted.approved_blocks, |at, one| known.created(at, one))?,
        moves: each(wanted.moves, |at, one| known.moved(at, &one))?,
        removals: each(wanted.removals, |at, one| known.removal(at, &one))?,
    };
    let there = known.day.blocks.iter();
    as_call(&Arguments {
        date: Some(date.to_string()),
        confirmation: Some(confirmation),
        proposal: Some(Proposal {
            day: there.map(|block| block.there(String::new())).collect(),
            free: Some(gaps.free()),
            notes: Notes {
                lines: known.day.note.into_iter().collect(),
                ..Notes::default()
            },
        }),
        ..args
    })
}

fn each<T, R>(
    wanted: Vec<T>,
    read: impl Fn(usize, T) -> Result<R, ToolError>,
) -> Result<Vec<R>, ToolError> {
    let numbered = wanted.into_iter().enumerate();
    numbered.map(|(at, one)| read(at, one)).collect()
}

struct Known {
    day: Day,
    backlog: Backlog,
}

impl Known {
    /// A block that is there and Alfred's to change.
    fn block(&self, field: &str, id: &str) -> Result<&Block, ToolError> {
        let found = self.day.blocks.iter().find(|block| block.id.as_str() == id);
        match found {
            Some(block) if block.event_id.is_some() => Err(is_a_meeting(field, id)),
            Some(block) => Ok(block),
            None => {
                let problem = "is no block of that day. schedule_viewSchedule gives the ids.";
                Err(refused(field, id, problem))
            }
        }
    }

    fn removal(&self, at: usize, wanted: &Removal) -> Result<Removal, ToolError> {
        let field = format!("confirmation.removals[{at}].blockId");
        let block = self.block(&field, &wanted.block_id)?;
        Ok(Removal {
            block_id: block.id.to_string(),
            title: block.title.clone(),
            time: block.time(),
            why: String::new(),
        })
    }

    /// It keeps its length, whatever the caller says of its end.
    fn moved(&self, at: usize, wanted: &Move) -> Result<Move, ToolError> {
        let place = format!("confirmation.moves[{at}]");
        let block = self.block(&format!("{place}.blockId"), &wanted.block_id)?;
        let field = format!("{place}.newStartTime");
        let start = ClockTime::parse(&field, &wanted.new_start_time).map_err(unusable)?;
        let length = block
            .end_time
            .minutes()
            .saturating_sub(block.start_time.minutes());
        let end = ClockTime::from_minutes(start.minutes() + length).ok_or_else(|| {
            let problem = format!("is too late: the block takes {length} minutes.");
            refused(&field, &wanted.new_start_time, problem)
        })?;
        Ok(Move {
            block_id: block.id.to_string(),
            title: block.title.clone(),
            previous_time: block.time(),
            new_start_time: start.to_string(),
            new_end_time: end.to_string(),
            why: String::new(),
        })
    }

    fn created(&self, at: usize, wanted: NewBlock) -> Result<NewBlock, ToolError> {
        let place = format!("confirmation.approvedBlocks[{at}]");
        let span = Span::parse(
            (&format!("{place}.startTime"), &wanted.start_time),
            (&format!("{place}.endTime"), &wanted.end_time),
        );
        let span = span.map_err(unusable)?;
        let kind: Result<BlockType, _> = serde_json::from_value(Value::String(wanted.kind.clone()));
        let kind = kind.map_err(|_| {
            let problem = "is no type of block.";
            refused(&format!("{place}.type"), &wanted.kind, problem)
        })?;
        let task = |(at, task): (usize, &PlannedTask)| {
            self.task(&format!("{place}.tasks[{at}].id"), &task.id)
        };
        Ok(NewBlock {
            title: title(&format!("{place}.title"), &wanted.title).map_err(unusable)?,
            start_time: span.start().to_string(),
            end_time: span.end().to_string(),
            tasks: wanted
                .tasks
                .iter()
                .enumerate()
                .map(task)
                .collect::<Result<_, _>>()?,
            why: text::block_of_type(&kind.to_string()),
            kind: kind.to_string(),
        })
    }

    fn task(&self, field: &str, id: &str) -> Result<PlannedTask, ToolError> {
        let mut tasks = self.backlog.tasks.iter();
        let task = tasks.find(|task| task.id.as_str() == id);
        let task = task.ok_or_else(|| not_waiting(field, id))?;
        Ok(PlannedTask {
            id: task.id.to_string(),
            title: task.title.clone(),
            minutes: task.estimated_minutes,
            why: String::new(),
        })
    }
}
