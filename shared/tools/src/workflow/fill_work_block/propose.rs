//! Chooses the tasks for a block.

use alfred_planner::patterns::{Pattern, What};
use alfred_planner::{BacklogFilter, BlockType, ClockTime, Strategy};
use futures_util::{StreamExt as _, TryStreamExt as _, future::ready, stream};
use std::pin::pin;

use super::wanted::{self, Tasks};
use super::{Arguments, Confirmation, Filling, PlannedTask, Proposal};
use crate::prelude::*;
use crate::schedule::day::Day;
use crate::schedule::taken::TakenBlock;
use crate::schedule::work_block::WorkBlock;
use crate::system::observed::{About, sure_patterns};
use crate::task::TaskView;
use crate::task::get_backlog_with_scores::backlog_on;
use crate::task::suggest_for_duration::Suggested;
use crate::workflow::composed::Wanted;
use crate::workflow::proposal::unmet_notes;

/// In minutes. Tasks are suggested only for at least this much time.
const LEAST: u32 = 15;
/// Blocks whose tasks are read at once.
const AT_ONCE: usize = 8;
/// Days that are searched for the block, today included.
const DAYS: i32 = 15;

pub(super) async fn plan(context: &ToolContext, mut wanted: Wanted<Arguments>) -> Result<Filling> {
    let found = find(context, wanted.wish.block_id.as_deref()).await?;
    let block = &found.taken.block;
    wanted.wish.block_id = Some(block.id.to_string());
    let mut filling = Filling {
        proposal: Proposal {
            time: block.span.to_string(),
            block_title: block.title.clone(),
            date: found.taken.day.date.to_string(),
            minutes: found.left(),
            ..Proposal::default()
        },
        wish: wanted.wish,
        without: wanted.without,
        own: None,
        confirmation: Confirmation::default(),
        notes: Vec::new(),
    };
    if filling.proposal.minutes >= LEAST {
        choose(context, block.span.start(), &mut filling).await?;
    }
    let unmet = unmet_notes(&filling.wish.changes.unmet);
    filling.notes.extend(unmet);
    Ok(filling)
}

/// Adds the tasks for the block, the minutes that they may take, and the reasons.
async fn choose(context: &ToolContext, start: ClockTime, filling: &mut Filling) -> Result<()> {
    let (wish, proposal, notes) = (&filling.wish, &mut filling.proposal, &mut filling.notes);
    let known = sure_patterns(context, &[About::Tasks, About::Proposals]).await?;
    let (room, line) = room(proposal.minutes, &known);
    notes.extend(line);
    let most = wish.changes.at_most_minutes;
    let free = most.map_or(room, |most| most.min(room));
    let (_, scored) = backlog_on(context, &BacklogFilter::default(), today(context)).await?;
    let backlog: Vec<TaskView> = scored.tasks.iter().cloned().map(TaskView::from).collect();
    let mut wanted = Tasks::wanted(&wish.changes, &filling.without, &known);
    for words in wish.changes.first.iter().chain(&wish.changes.drop) {
        if !backlog.iter().any(|task| wanted::is_meant(task, words)) {
            notes.push(format!("No task fits \"{words}\"."));
        }
    }
    let mut chosen = wanted.take_first(&backlog, free, notes);
    let taken: u32 = chosen.iter().map(|task| task.estimated_minutes).sum();
    if free - taken >= LEAST && wanted.most > 0 {
        let strategy = if start < ClockTime::NOON {
            Strategy::Priority
        } else {
            Strategy::Mixed
        };
        let found = Suggested::new(&scored.tasks, free - taken, strategy);
        notes.extend(wanted.left_out_before(&found));
        if let Some((best, whole)) = wanted.best(found.suggestions) {
            if whole && taken == 0 {
                proposal.reasoning = best.reasoning;
            }
            chosen.extend(best.combination);
        }
    }
    let fit = backlog.iter().filter(|task| task.estimated_minutes <= free);
    let fit = fit.count();
    if fit > chosen.len() && !chosen.is_empty() {
        notes.push(format!("Chosen from {fit} tasks that fit."));
    }
    proposal.minutes = free;
    let planned = |task: &TaskView| PlannedTask {
        id: task.id.to_string(),
        title: task.title.clone(),
        minutes: task.estimated_minutes,
        of: None,
        why: format!("{} priority", task.priority),
    };
    proposal.tasks = chosen.iter().map(planned).collect();
    let ids = chosen.iter().map(|task| task.id.to_string());
    filling.confirmation.approved_task_ids = ids.collect();
    Ok(())
}

/// The named block, or else the next with room.
async fn find(context: &ToolContext, words: Option<&str>) -> Result<WorkBlock> {
    if let Some(words) = words {
        return WorkBlock::find(context, &Ref::from(words.to_owned())).await;
    }
    let now = context.zone().to_datetime(context.now);
    let ahead = |days| now.date().saturating_add(jiff::Span::new().days(days));
    let dates: Vec<Date> = (0..DAYS).map(ahead).collect();
    let days = Day::with_blocks(context, dates).await?;
    let mut coming = Vec::new();
    for day in &days {
        for (at, block) in day.blocks.iter().enumerate() {
            if block.kind == BlockType::Work && block.span.end().on(day.date) > now {
                coming.push(TakenBlock::of_day(day.clone(), at));
            }
        }
    }
    let read = stream::iter(coming).map(|taken| WorkBlock::of(context, taken));
    let read = read.buffered(AT_ONCE);
    let mut free = pin!(read.try_filter(|block| ready(block.left() >= LEAST)));
    let none = || ToolError::failed("blockId: no work block of the coming two weeks has room.");
    free.try_next().await?.ok_or_else(none)
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
