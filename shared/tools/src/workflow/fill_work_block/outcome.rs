//! The result of filling a block, the offers that the person took, and the call for the rest.

use alfred_agent::tool::PartDone;

use super::{Arguments, Changes, Chosen, FillWorkBlock, Filling};
use crate::prelude::*;
use crate::system::history::{Again, Offer};
use crate::workflow::composed::Workflow;
use crate::workflow::proposal::{Ended, offered, trouble};

/// The call that plans only these tasks for this block of that day; `None` without any.
pub(crate) fn again(block: &Value, ids: &[Value], day: &str) -> Option<Again> {
    let ids: Vec<String> = ids
        .iter()
        .filter_map(|id| Some(id.as_str()?.to_owned()))
        .collect();
    if ids.is_empty() {
        return None;
    }
    let call = Arguments {
        block_id: block.as_str().map(str::to_owned),
        changes: Changes {
            at_most_tasks: Some(ids.len()),
            first: ids,
            ..Changes::default()
        },
    };
    offered(FillWorkBlock::NAME, &call, Some(day))
}

pub(super) fn ended(filling: &Filling, done: &[PartDone<'_>]) -> Ended {
    let part = done.first();
    let list = |field: &str| {
        let found = part.and_then(|part| part.output[field].as_array());
        found.cloned().unwrap_or_default()
    };
    let (wish, proposal) = (&filling.wish, &filling.proposal);
    let wanted = &filling.confirmation.approved_task_ids;
    let (assigned, mut failed) = (list("assigned"), list("failed"));
    let problem = part.and_then(trouble);
    let left: Vec<Value> = match problem {
        Some(_) => wanted.iter().map(|id| json!(id)).collect(),
        None => failed.iter().map(|one| one["taskId"].clone()).collect(),
    };
    failed.extend(problem.map(|reason| json!({"reason": reason})));
    let offer = |task: &Chosen| Offer::Task {
        id: task.id.clone(),
        title: task.title.clone(),
        taken: wanted.contains(&task.id),
    };
    let again = again(&json!(wish.block_id), &left, &proposal.date);
    Ended {
        whole: failed.is_empty(),
        data: json!({
            "phase": "completed",
            "blockId": wish.block_id,
            "summary": block_filled(assigned.len(), failed.len()),
            "assigned": assigned,
            "failed": failed,
        }),
        again: again.into_iter().collect(),
        offers: proposal.tasks.iter().map(offer).collect(),
    }
}

fn block_filled(tasks: usize, problems: usize) -> String {
    match problems {
        0 if tasks == 1 => "Assigned 1 task to the block.".into(),
        0 => format!("Assigned {tasks} tasks to the block."),
        problems => format!("Assigned {tasks} tasks to the block; {problems} didn't fit any more."),
    }
}
