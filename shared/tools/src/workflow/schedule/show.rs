//! The card of a day's plan.

use alfred_planner::plan::OWN_TITLES;
use alfred_planner::{DayStats, Span, TimeBlock};

use super::{ASSIGN, Block, CREATE, DELETE, MOVE, Plan, PlannedTask};
use crate::prelude::*;
use crate::workflow::proposal::Item;

/// Everything on the card is in the arguments, and so in their digest.
pub(super) fn card(plan: &Plan) -> Preview {
    let wanted = &plan.confirmation;
    let tasks = |block: &Block| {
        let fill = wanted.fills.iter().find(|fill| fill.id == block.id);
        fill.map(|fill| listed(&fill.tasks)).unwrap_or_default()
    };
    let stay = stay(plan).map(|block| block.line("stays") + &tasks(block));
    let new = wanted.approved_blocks.iter();
    let new = new.map(|block| block.line("new") + &listed(&block.tasks));
    let moves = wanted.moves.iter().map(|block| {
        let before = plan.before(block);
        let from = before.map_or_else(String::new, |one| format!(" from {}", one.time()));
        let verb = verb(plan, [block]).to_uppercase();
        block.line(&format!("{verb}{from}")) + &tasks(block)
    });
    let mut lines: Vec<String> = stay.chain(new).chain(moves).collect();
    // Each line begins with a time.
    lines.sort();
    lines.extend(wanted.removals.iter().map(|block| {
        let why = after(": ", &block.why);
        format!("REMOVED {} {}{why}", block.time(), block.title)
    }));
    let day = plan.proposal.date.strftime("%A, %-d %B %Y");
    Preview::new(format!("Plan {day}")).body(lines.join("\n"))
}

/// "moved", or "changed" if one of these blocks keeps its start.
pub(super) fn verb<'a>(plan: &Plan, moves: impl IntoIterator<Item = &'a Block>) -> &'static str {
    let starts = |block: &Block| {
        plan.before(block)
            .is_some_and(|one| one.start_time == block.start_time)
    };
    if moves.into_iter().any(starts) {
        "changed"
    } else {
        "moved"
    }
}

pub(super) fn items(plan: &Plan) -> Vec<Item> {
    let wanted = &plan.confirmation;
    let mut items = Vec::new();
    let mut add = |list, step, blocks: &[Block], label: fn(&Block) -> String| {
        items.extend(blocks.iter().enumerate().map(|(at, block)| {
            let tasks = block.tasks.iter().map(|task| task.title.as_str());
            let tasks = tasks.collect::<Vec<_>>().join(", ");
            let why = if step == ASSIGN { &tasks } else { &block.why };
            Item::new(list, at, step, &label(block), why)
        }));
    };
    let new = |block: &Block| format!("{} {}", block.time(), block.title);
    add("approvedBlocks", CREATE, &wanted.approved_blocks, new);
    let moved = |block: &Block| format!("Move {} to {}", block.title, block.time());
    add("moves", MOVE, &wanted.moves, moved);
    let filled = |block: &Block| format!("Tasks for {}", block.title);
    add("fills", ASSIGN, &wanted.fills, filled);
    let removed = |block: &Block| format!("Remove {}", block.title);
    add("removals", DELETE, &wanted.removals, removed);
    items
}

/// The times of a plan without titles, which may be other people's words.
pub(super) fn outline(plan: &Plan) -> String {
    let stay = stay(plan).map(|block| format!("{} there already", block.time()));
    let new = plan.confirmation.approved_blocks.iter().map(|block| {
        let is_own = OWN_TITLES.contains(&block.title.as_str());
        let kind = block.kind.to_string();
        let what = if is_own { &block.title } else { &kind };
        format!("{} new: {what}", block.time())
    });
    let moves = plan.confirmation.moves.iter();
    let moves = moves.map(|block| format!("{} moved here", block.time()));
    let mut lines: Vec<String> = stay.chain(new).chain(moves).collect();
    lines.sort();
    lines.insert(0, format!("Plan of {}", plan.proposal.date));
    lines.join("\n")
}

/// The existing blocks that the plan neither moves nor removes.
fn stay(plan: &Plan) -> impl Iterator<Item = &Block> {
    let wanted = &plan.confirmation;
    let goes = move |block: &Block| {
        let mut changed = wanted.moves.iter().chain(&wanted.removals);
        changed.any(|one| one.id == block.id)
    };
    plan.proposal.day.iter().filter(move |block| !goes(block))
}

impl Plan {
    /// The block as it is before the plan.
    fn before(&self, block: &Block) -> Option<&Block> {
        self.proposal.day.iter().find(|one| one.id == block.id)
    }
}

impl Block {
    fn time(&self) -> String {
        format!("{}–{}", self.start_time, self.end_time)
    }

    fn line(&self, mark: &str) -> String {
        let (time, title, why) = (self.time(), &self.title, after(": ", &self.why));
        format!("{time}  {title} ({mark}{why})")
    }

    /// `None` for a block that ends before it starts.
    fn planned(&self) -> Option<TimeBlock> {
        let span = Span::new(self.start_time, self.end_time)?;
        Some(TimeBlock::new("", self.kind, &self.title, span))
    }
}

/// A reason after its mark; empty without a reason.
fn after(mark: &str, why: &str) -> String {
    if why.is_empty() {
        String::new()
    } else {
        format!("{mark}{why}")
    }
}

/// Percent of the day planned before and after these changes.
pub(super) fn day_use(plan: &Plan) -> String {
    let before = plan.proposal.planned;
    let wanted = &plan.confirmation;
    let new = wanted.moves.iter().chain(&wanted.approved_blocks);
    let blocks = stay(plan).chain(new).filter_map(Block::planned);
    let after = DayStats::from_blocks(&Vec::from_iter(blocks)).utilization;
    let free = &plan.proposal.free;
    format!("Planned: {before} % → {after} % of 8 hours{free}.")
}

fn listed(tasks: &[PlannedTask]) -> String {
    let line = |task: &PlannedTask| {
        let minutes = text::minutes_of(task.minutes, task.of.unwrap_or(task.minutes));
        let (title, why) = (&task.title, after(", ", &task.why));
        format!("\n    • {title} ({minutes}{why})")
    };
    tasks.iter().map(line).collect()
}
