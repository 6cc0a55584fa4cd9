//! A day's plan as its owner reads it: a time table, what stays free and why,
//! what found no place.

use alfred_agent::preview::Preview;
use alfred_agent::tool::ToolError;
use alfred_core::text;

use super::{Arguments, NewBlock, on};

/// The card of a plan. Everything on it stands in the arguments, and so in their digest.
pub(super) fn preview(args: &Arguments) -> Result<Preview, ToolError> {
    let wanted = args.confirmation.clone().unwrap_or_default();
    let proposal = args.proposal.clone().unwrap_or_default();
    let mut table: Vec<(String, String)> = Vec::new();
    for kept in &proposal.kept {
        let line = format!(
            "{}–{}  {} (stays: {})",
            kept.start_time, kept.end_time, kept.title, kept.why
        );
        table.push((kept.start_time.clone(), line));
    }
    for block in &wanted.approved_blocks {
        table.push((block.start_time.clone(), new(block)));
    }
    for one in &wanted.moves {
        let line = format!(
            "{}–{}  {} (MOVED from {}: {})",
            one.new_start_time, one.new_end_time, one.title, one.previous_time, one.why
        );
        table.push((one.new_start_time.clone(), line));
    }
    table.sort();
    let mut lines: Vec<String> = table.into_iter().map(|(_, line)| line).collect();
    let gone = wanted.removals.iter();
    lines.extend(gone.map(|one| format!("REMOVED {} {}: {}", one.time, one.title, one.why)));
    let notes = proposal.notes.shown();
    if !notes.is_empty() {
        lines.push(String::new());
        lines.extend(notes);
    }
    let mut preview = Preview::new(text::plan_title(on(args)?)).body(lines.join("\n"));
    for (at, block) in wanted.approved_blocks.iter().enumerate() {
        let label = format!("{}–{} {}", block.start_time, block.end_time, block.title);
        preview = preview.item(format!("/confirmation/approvedBlocks/{at}"), label);
    }
    for (at, one) in wanted.moves.iter().enumerate() {
        let label = format!("Move {} to {}", one.title, one.new_start_time);
        preview = preview.item(format!("/confirmation/moves/{at}"), label);
    }
    for (at, one) in wanted.removals.iter().enumerate() {
        let label = format!("Remove {}", one.title);
        preview = preview.item(format!("/confirmation/removals/{at}"), label);
    }
    Ok(preview)
}

fn new(block: &NewBlock) -> String {
    let mut line = format!(
        "{}–{}  {} (NEW: {})",
        block.start_time, block.end_time, block.title, block.why
    );
    for task in &block.tasks {
        line.push_str(&format!(
            "\n    • {} ({} min, {})",
            task.title, task.minutes, task.why
        ));
    }
    line
}
