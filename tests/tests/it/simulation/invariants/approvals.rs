use alfred_agent::model::{Approval, Status};
use alfred_agent::{LoadedRun, RunState, Step};

use super::Facts;

/// Row, index, timer and journal agree on every approval.
pub(super) fn approvals(facts: &Facts, wrong: &mut Vec<String>) {
    for approval in &facts.approvals {
        let id = &approval.id;
        let run = facts.runs.iter().find(|found| found.run.id == approval.run);
        let Some(found) = run else {
            wrong.push(format!("{id} belongs to no run"));
            continue;
        };
        let mut asked = found.steps.iter().rev().filter_map(Step::asked);
        let last = asked.find(|asked| asked.approval == *id);
        let (last, now) = (last.map(|asked| asked.revision), approval.revision);
        if last != Some(now) {
            wrong.push(format!("{id}: revision {now} and the journal {last:?}"));
        }
        let mut decided = found.steps.iter().filter_map(Step::decided);
        let decided = decided.find(|one| one.approval == *id && one.revision == now);
        let verdict = decided.map(|decided| decided.verdict);
        let status = match verdict {
            Some(verdict) => verdict.status(),
            None if found.run.output().is_some() => Status::Error,
            None => Status::Pending,
        };
        if approval.status != status {
            wrong.push(format!(
                "{id} is {:?}, the journal says {verdict:?} of {:?}",
                approval.status, found.run.state
            ));
        }
        let waits = status == Status::Pending;
        if facts.pending.contains(id.as_str()) != waits {
            wrong.push(format!("{id} is {status:?}, in the index: {}", !waits));
        }
        let timer = format!("expire-{id}");
        if facts.timers.iter().any(|set| set.ends_with(&timer)) != waits {
            wrong.push(format!("{id} is {status:?}, with a timer: {}", !waits));
        }
        let by = approval.resolved_by.as_ref();
        if by.is_some_and(|by| by.as_str() != "U1") {
            wrong.push(format!("{id} was decided by {:?}", approval.resolved_by));
        }
    }
    let known = |id: &&String| {
        let mut approvals = facts.approvals.iter();
        approvals.any(|approval| approval.id.as_str() == id.as_str())
    };
    for id in facts.pending.iter().filter(|id| !known(id)) {
        wrong.push(format!("{id} is in the index and in no journal"));
    }
    let asks = |found: &&LoadedRun| matches!(found.run.state, RunState::Asking { .. });
    for found in facts.runs.iter().filter(asks) {
        let waits = |approval: &Approval| {
            approval.run == found.run.id && approval.status == Status::Pending
        };
        if !facts.approvals.iter().any(waits) {
            wrong.push(format!("{} asks for nothing", found.run.id));
        }
    }
}
