//! A plan as lines for whoever works on the planner: with the scores that its words leave out.

use std::fmt::Write;

use alfred_core::text;

use super::outcome::{Change, DayPlan, PlannedBlock, Urgency};
use super::reason::{Because, LeftOutWhy};

impl DayPlan {
    /// Blocks and what stays free in the order of the day, then what is
    /// removed, what found no place, and notes.
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
                lost(&task.why)
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
            pressing(task.why)
        );
    }
    line
}

fn pressing(why: Urgency) -> String {
    match why {
        Urgency::Score(score) => format!("score {score}"),
        Urgency::First | Urgency::Overdue(_) | Urgency::DueToday | Urgency::DueTomorrow => {
            why.to_string()
        }
    }
}

fn lost(why: &LeftOutWhy) -> String {
    match why {
        LeftOutWhy::Lost {
            to,
            because: Because::Score { theirs, own },
        } => format!("lost to \"{to}\": score {theirs} against {own}"),
        other => other.to_string(),
    }
}
