//! The card of a day's plan.

use alfred_planner::plan::OWN_TITLES;
use alfred_planner::{ClockTime, utilization};

use super::{
    ASSIGN, CREATE, Confirmation, DELETE, Free, MOVE, Move, NewBlock, Plan, PlannedTask, Proposal,
    There, on,
};
use crate::prelude::*;
use crate::workflow::proposal::{self, Item};

/// Everything on the card is in the arguments, and so in their digest.
pub(super) fn card(plan: &Plan) -> Result<Preview, ToolError> {
    let (wanted, proposal) = (&plan.confirmation, &plan.proposal);
    let tasks = |block: &str| {
        let fill = wanted.fills.iter().find(|fill| fill.block_id == block);
        fill.map(|fill| listed(&fill.tasks)).unwrap_or_default()
    };
    let stay = proposal.day.iter().filter(|there| stays(there, wanted));
    let stay = stay.map(|there| kept(there) + &tasks(&there.id));
    let new = wanted.approved_blocks.iter().map(new);
    let moves = wanted.moves.iter();
    let moves = moves.map(|one| moved(one) + &tasks(&one.block_id));
    let mut lines: Vec<String> = stay.chain(new).chain(moves).collect();
    // Each line begins with a time.
    lines.sort();
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
    let title = format!("Plan {}", on(plan)?.strftime("%A, %-d %B %Y"));
    Ok(Preview::new(title).body(lines.join("\n")))
}

pub(super) fn items(wanted: &Confirmation) -> Vec<Item> {
    let new = wanted.approved_blocks.iter().map(|block| {
        let label = format!("{}–{} {}", block.start_time, block.end_time, block.title);
        (label, block.why.clone())
    });
    let moves = wanted.moves.iter().map(|one| {
        let label = format!("Move {} to {}", one.title, one.new_start_time);
        (label, one.why.clone())
    });
    let fills = wanted.fills.iter().map(|one| {
        let tasks = one.tasks.iter().map(|task| task.title.as_str());
        let tasks = tasks.collect::<Vec<_>>().join(", ");
        (format!("Tasks for {}", one.title), tasks)
    });
    let removals = wanted.removals.iter();
    let removals = removals.map(|one| (format!("Remove {}", one.title), one.why.clone()));
    [
        proposal::items("approvedBlocks", CREATE, new),
        proposal::items("moves", MOVE, moves),
        proposal::items("fills", ASSIGN, fills),
        proposal::items("removals", DELETE, removals),
    ]
    .concat()
}

pub(super) fn nothing(plan: &Plan) -> Result<Vec<String>, ToolError> {
    let day = on(plan)?.strftime("%A, %-d %B");
    let mut lines = vec![format!("There is nothing to add to {day}.")];
    lines.extend(day_use(&plan.proposal, &plan.confirmation));
    Ok(lines)
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

fn moved(one: &Move) -> String {
    let (start, end, title) = (&one.new_start_time, &one.new_end_time, &one.title);
    let (from, why) = (&one.previous_time, behind(": ", &one.why));
    format!("{start}–{end}  {title} (MOVED from {from}{why})")
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
    let before = proposal.planned?;
    let gone = |there: &&There| wanted.removals.iter().all(|one| one.block_id != there.id);
    let moved = |there: &There| {
        let mut moves = wanted.moves.iter();
        match moves.find(|one| one.block_id == there.id) {
            Some(one) => minutes(&one.new_start_time, &one.new_end_time),
            None => minutes(&there.start_time, &there.end_time),
        }
    };
    let now = proposal.day.iter().filter(|there| !there.whole_day);
    let left = now.filter(gone).map(moved);
    let new = wanted.approved_blocks.iter();
    let new = new.map(|block| minutes(&block.start_time, &block.end_time));
    let after = utilization(left.chain(new).sum());
    let free = proposal.free.map(free).unwrap_or_default();
    Some(format!("Planned: {before} % → {after} % of 8 hours{free}."))
}

fn free(Free { gaps, minutes }: Free) -> String {
    let gaps = match gaps {
        1 => "one gap".to_owned(),
        several => format!("{several} gaps"),
    };
    format!(" ({minutes} min in {gaps} were free)")
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
