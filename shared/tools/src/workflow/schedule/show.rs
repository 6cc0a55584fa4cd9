//! The card of a day's plan.

use alfred_planner::plan::OWN_TITLES;
use alfred_planner::{ClockTime, utilization};

use super::{Confirmation, NewBlock, Plan, PlannedTask, Proposal, There, on};
use crate::prelude::*;

/// Everything on the card is in the arguments, and so in their digest.
pub(super) fn preview(plan: &Plan) -> Result<Preview, ToolError> {
    let (wanted, proposal) = (&plan.confirmation, &plan.proposal);
    let mut table: Vec<(String, String)> = Vec::new();
    for there in proposal.day.iter().filter(|there| stays(there, wanted)) {
        let fill = wanted.fills.iter().find(|fill| fill.block_id == there.id);
        let tasks = fill.map(|fill| listed(&fill.tasks)).unwrap_or_default();
        table.push((there.start_time.clone(), kept(there) + &tasks));
    }
    for block in &wanted.approved_blocks {
        table.push((block.start_time.clone(), new(block)));
    }
    for one in &wanted.moves {
        let fill = wanted
            .fills
            .iter()
            .find(|fill| fill.block_id == one.block_id);
        let tasks = fill.map(|fill| listed(&fill.tasks)).unwrap_or_default();
        let line = format!(
            "{}–{}  {} (MOVED from {}{}){tasks}",
            one.new_start_time,
            one.new_end_time,
            one.title,
            one.previous_time,
            behind(": ", &one.why)
        );
        table.push((one.new_start_time.clone(), line));
    }
    table.sort();
    let mut lines: Vec<String> = table.into_iter().map(|(_, line)| line).collect();
    let gone = wanted.removals.iter();
    lines.extend(gone.map(|one| {
        let why = behind(": ", &one.why);
        format!("REMOVED {} {}{why}", one.time, one.title)
    }));
    let mut notes = proposal.notes.shown();
    notes.extend(day_use(proposal, wanted));
    if !notes.is_empty() {
        lines.push(String::new());
        lines.extend(notes);
    }
    let mut preview = Preview::new(format!("Plan {}", (on(plan)?).strftime("%A, %-d %B %Y")))
        .body(lines.join("\n"));
    for (at, block) in wanted.approved_blocks.iter().enumerate() {
        let label = format!("{}–{} {}", block.start_time, block.end_time, block.title);
        preview = preview.item(format!("/confirmation/approvedBlocks/{at}"), label);
    }
    for (at, one) in wanted.moves.iter().enumerate() {
        let label = format!("Move {} to {}", one.title, one.new_start_time);
        preview = preview.item(format!("/confirmation/moves/{at}"), label);
    }
    for (at, one) in wanted.fills.iter().enumerate() {
        let label = format!("Tasks for {}", one.title);
        preview = preview.item(format!("/confirmation/fills/{at}"), label);
    }
    for (at, one) in wanted.removals.iter().enumerate() {
        let label = format!("Remove {}", one.title);
        preview = preview.item(format!("/confirmation/removals/{at}"), label);
    }
    Ok(preview)
}

/// The times of a plan without titles, which may be other people's words.
pub(super) fn outline(plan: &Plan) -> String {
    let wanted = &plan.confirmation;
    let day = plan
        .proposal
        .day
        .iter()
        .filter(|there| stays(there, wanted));
    let stays = day.map(|there| format!("{}–{} there already", there.start_time, there.end_time));
    let new = wanted.approved_blocks.iter().map(|one| {
        let what = match OWN_TITLES.contains(&one.title.as_str()) {
            true => &one.title,
            false => &one.kind,
        };
        format!("{}–{} new: {what}", one.start_time, one.end_time)
    });
    let moves = wanted.moves.iter().map(|one| {
        let (start, end) = (&one.new_start_time, &one.new_end_time);
        format!("{start}–{end} moved here")
    });
    let mut lines: Vec<String> = stays.chain(new).chain(moves).collect();
    lines.sort();
    lines.insert(
        0,
        format!("Plan of {}", plan.wish.date.as_deref().unwrap_or_default()),
    );
    lines.join("\n")
}

fn stays(there: &There, wanted: &Confirmation) -> bool {
    let moves = wanted.moves.iter().any(|one| one.block_id == there.id);
    let goes = wanted.removals.iter().any(|one| one.block_id == there.id);
    !moves && !goes
}

fn kept(there: &There) -> String {
    let (start, end, title) = (&there.start_time, &there.end_time, &there.title);
    format!("{start}–{end}  {title} (stays{})", behind(": ", &there.why))
}

/// A reason after its mark; empty without a reason.
fn behind(mark: &str, why: &str) -> String {
    match why {
        "" => String::new(),
        why => format!("{mark}{why}"),
    }
}

/// Percent of the day planned before and after these changes.
fn day_use(proposal: &Proposal, wanted: &Confirmation) -> Option<String> {
    let free = proposal.free?;
    let gone = |there: &&There| wanted.removals.iter().all(|one| one.block_id != there.id);
    let moved = |there: &There| {
        let mut moves = wanted.moves.iter();
        match moves.find(|one| one.block_id == there.id) {
            Some(one) => minutes(&one.new_start_time, &one.new_end_time),
            None => minutes(&there.start_time, &there.end_time),
        }
    };
    let now = proposal.day.iter().filter(|there| !there.whole_day);
    let before = now
        .clone()
        .map(|there| minutes(&there.start_time, &there.end_time));
    let left = now.filter(gone).map(moved);
    let new = wanted.approved_blocks.iter();
    let new = new.map(|block| minutes(&block.start_time, &block.end_time));
    Some(planned_of_day(
        utilization(before.sum()),
        utilization(left.chain(new).sum()),
        free.gaps,
        free.minutes,
    ))
}

pub(super) fn planned_of_day(before: u32, after: u32, gaps: usize, free: u32) -> String {
    let gaps = match gaps {
        1 => "one gap".to_owned(),
        several => format!("{several} gaps"),
    };
    format!("Planned: {before} % → {after} % of 8 hours ({free} min in {gaps} were free).")
}

/// Minutes from one clock time to another.
fn minutes(start: &str, end: &str) -> u32 {
    let start = ClockTime::parse("startTime", start);
    let end = ClockTime::parse_end("endTime", end);
    match (start, end) {
        (Ok(start), Ok(end)) => u32::from(end.minutes().saturating_sub(start.minutes())),
        // The tools report invalid times when they run.
        (Err(_), _) | (_, Err(_)) => 0,
    }
}

fn new(block: &NewBlock) -> String {
    let (start, end, title) = (&block.start_time, &block.end_time, &block.title);
    let line = format!("{start}–{end}  {title} (new: {})", block.why);
    line + &listed(&block.tasks)
}

fn listed(tasks: &[PlannedTask]) -> String {
    let line = |task: &PlannedTask| {
        let minutes = text::minutes_of(task.minutes, task.of.unwrap_or(task.minutes));
        format!(
            "\n    • {} ({minutes}{})",
            task.title,
            behind(", ", &task.why)
        )
    };
    tasks.iter().map(line).collect()
}
