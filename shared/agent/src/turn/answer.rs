//! The outcome of a model turn without tool calls.

use alfred_core::WorkerOutput;
use alfred_core::ports::{Finish, Turn};

use crate::history::{actions, frame};
use crate::model::job::NOTHING;
use crate::model::step::StepKind;
use crate::store::journal::LoadedRun;
use crate::turn::direct;

/// The outcome of a turn without tool calls.
pub(crate) fn ended_by(turn: &Turn, loaded: &LoadedRun) -> WorkerOutput {
    if !loaded.frame.is_own() {
        return answer(turn, Vec::new());
    }
    let done = actions(&loaded.steps);
    if loaded.run.job.is_some() && turn.text.trim() == NOTHING {
        WorkerOutput::done(String::new(), done)
    } else if direct::failed(loaded) {
        WorkerOutput::failed(turn.text.clone(), done)
    } else {
        answer(turn, done)
    }
}

/// Whether a turn has neither text nor tool calls; for example, reasoning reached the output limit.
pub(crate) fn is_empty(turn: &Turn) -> bool {
    turn.tool_calls.is_empty() && turn.text.trim().is_empty() && turn.finish != Finish::Filtered
}

/// Whether this agent's previous turn was empty too.
pub(crate) fn was_empty(loaded: &LoadedRun) -> bool {
    let last = frame::own(&loaded.steps, &loaded.frame).last();
    matches!(last.map(|step| &step.did), Some(StepKind::Turn(turn)) if is_empty(turn))
}

fn answer(turn: &Turn, done: Vec<String>) -> WorkerOutput {
    match turn.finish {
        Finish::Filtered => WorkerOutput::failed(
            "My language model declined to answer that. Could you put it differently?",
            done,
        ),
        Finish::Stop if turn.refused => WorkerOutput::failed(turn.text.trim().to_owned(), done),
        Finish::Length => WorkerOutput::done(format!("{} […]", turn.text.trim()), done),
        Finish::Stop | Finish::ToolCalls => WorkerOutput::done(turn.text.trim().to_owned(), done),
    }
}
