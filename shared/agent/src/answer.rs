//! What a turn without tool calls comes to: the outcome, a challenge, or nothing at all.

use alfred_core::WorkerOutput;
use alfred_core::ports::{Finish, Turn};
use alfred_core::text;

use crate::claims;
use crate::direct;
use crate::frame;
use crate::journal::LoadedRun;
use crate::ledger::Ledger;
use crate::run::{Step, StepKind, Work, actions};
use crate::schedule::NOTHING;

/// The outcome that a turn without tool calls is; `None` for an answer that is sent back.
pub(crate) fn ended_by(turn: &Turn, loaded: &LoadedRun) -> Option<WorkerOutput> {
    if !loaded.frame.is_own() {
        return Some(answer(turn, Vec::new()));
    }
    let unfounded = is_unfounded(turn, loaded);
    let sent_back = |step: &Step| step.did == StepKind::Challenged;
    if unfounded && !loaded.steps.iter().any(sent_back) {
        return None;
    }
    let done = actions(&loaded.steps);
    if loaded.run.job.is_some() && turn.text.trim() == NOTHING {
        return Some(WorkerOutput::done(String::new(), done));
    }
    // A team's output goes to no person, and may be a text that somebody is to send.
    Some(if unfounded && loaded.run.parent.is_none() {
        WorkerOutput::failed(text::claimed_in_vain(turn.text.trim()), done)
    } else if direct::failed(loaded) {
        WorkerOutput::failed(turn.text.clone(), done)
    } else {
        answer(turn, done)
    })
}

/// Whether an answer claims an effect of which there is no receipt. It is sent back once.
fn is_unfounded(turn: &Turn, loaded: &LoadedRun) -> bool {
    loaded.run.work == Work::Agent
        && turn.finish == Finish::Stop
        && !Ledger::from_steps(&loaded.run.id, &loaded.steps).has_effects()
        && claims::claims_effect(&turn.text)
}

/// Whether a turn says nothing and calls nothing; one that thinks until its limit does.
pub(crate) fn is_empty(turn: &Turn) -> bool {
    turn.tool_calls.is_empty() && turn.text.trim().is_empty() && turn.finish != Finish::Filtered
}

/// Whether the turn before was such a one: asking again didn't help.
pub(crate) fn was_empty(loaded: &LoadedRun) -> bool {
    let last = frame::own(&loaded.steps, &loaded.frame).last();
    matches!(last.map(|step| &step.did), Some(StepKind::Turn(turn)) if is_empty(turn))
}

/// What a turn without tool calls says to the person.
fn answer(turn: &Turn, done: Vec<String>) -> WorkerOutput {
    match turn.finish {
        Finish::Filtered => WorkerOutput::failed(text::declined(), done),
        Finish::Stop if turn.refused => WorkerOutput::failed(turn.text.trim().to_owned(), done),
        Finish::Length => WorkerOutput::done(format!("{} […]", turn.text.trim()), done),
        Finish::Stop | Finish::ToolCalls => WorkerOutput::done(turn.text.trim().to_owned(), done),
    }
}
