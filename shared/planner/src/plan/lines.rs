//! A plan as lines of text.

use std::fmt::Write;

use alfred_core::text;

use super::outcome::{Change, DayPlan, PlannedBlock};

impl DayPlan {
    /// Blocks and what stays free in the order of the day, then what is
    /// removed, what found no place, and notes.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let blocks = self
            .blocks
            .iter()
            .map(|block| (block.span, of_block(block)));
        let idle = self.idle.iter().map(|idle| {
            let line = format!("{} free: {}", idle.span, idle.why);
            (idle.span, line)
        });
        let mut day: Vec<_> = blocks.chain(idle).collect();
        day.sort();
        let removed = self
            .removed
            .iter()
            .map(|block| format!("removed {} {}: {}", block.span, block.title, block.why));
        let left_out = self.left_out.iter().map(|task| {
            format!(
                "left out {} ({}): {}",
                task.title,
                text::minutes_of(task.minutes, task.of),
                task.why
            )
        });
        let notes = self.notes.iter().map(|note| format!("note: {note}"));
        day.into_iter()
            .map(|(_, line)| line)
            .chain(removed)
            .chain(left_out)
            .chain(notes)
            .collect()
    }
}

fn of_block(block: &PlannedBlock) -> String {
    let change = match block.change {
        Change::New => "new ".to_owned(),
        Change::Moved { from } => format!("moved from {from} "),
        Change::Kept => String::new(),
    };
    let mut line = format!(
        "{} {change}{} {}: {}",
        block.span, block.kind, block.title, block.why
    );
    for task in &block.tasks {
        // Writing to a string can't fail.
        let _ = write!(
            line,
            " | {} ({}, {})",
            task.title,
            text::minutes_of(task.minutes, task.of),
            task.why
        );
    }
    line
}
