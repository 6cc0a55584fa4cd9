use super::{Chosen, Filling, Proposal};
use crate::prelude::*;

pub(super) fn preview(filling: &Filling) -> Preview {
    let (wanted, proposal) = (&filling.confirmation, &filling.proposal);
    let mut preview = Preview::new(format!("Fill \"{}\" with tasks", proposal.block_title))
        .field("When", format!("{} {}", proposal.date, proposal.time))
        .field("Free", format!("{} min", proposal.minutes));
    let mut lines = Vec::new();
    for (at, id) in wanted.approved_task_ids.iter().enumerate() {
        let known = proposal.tasks.iter().find(|task| task.id == *id);
        let line = known.map_or_else(
            || id.clone(),
            |task| format!("{} ({} min)", task.title, task.minutes),
        );
        let label = known.map_or_else(|| id.clone(), |task| task.title.clone());
        lines.push(format!("• {line}"));
        preview = preview.item(format!("/confirmation/approvedTaskIds/{at}"), label);
    }
    if let Some(reasoning) = reasoning(proposal, &wanted.approved_task_ids) {
        lines.push(String::new());
        lines.push(reasoning);
    }
    lines.extend(proposal.notes.shown());
    preview.body(lines.join("\n"))
}

/// Why these tasks. If some are left out, how much time the others take.
fn reasoning(proposal: &Proposal, ids: &[String]) -> Option<String> {
    let of = |task: &&Chosen| ids.contains(&task.id);
    let left: Vec<&Chosen> = proposal.tasks.iter().filter(of).collect();
    if left.len() == proposal.tasks.len() {
        return Some(proposal.reasoning.clone()).filter(|why| !why.is_empty());
    }
    let minutes = left.iter().map(|task| task.minutes).sum();
    Some(tasks_take(left.len(), minutes, proposal.minutes))
}

pub(crate) fn tasks_take(tasks: usize, minutes: u32, free: u32) -> String {
    let tasks = match tasks {
        1 => "One task takes".to_owned(),
        several => format!("{several} tasks take"),
    };
    format!("{tasks} {minutes} of {free} minutes.")
}
