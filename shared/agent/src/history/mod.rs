//! What a run's steps say about its calls.

pub mod frame;
pub mod ledger;

use alfred_core::Source;
use alfred_core::ports::ToolCall;

use crate::history::frame::own;
use crate::model::{Asked, Attached, Decided, Frame, Run, RunInput, Step, StepKind};

/// The latest request for approval of a call.
pub(crate) fn asked<'a>(steps: &'a [Step], call_id: &str) -> Option<&'a Asked> {
    let mut asked = steps.iter().rev().filter_map(Step::asked);
    asked.find(|asked| asked.call_id == call_id)
}

pub(crate) fn decided<'a>(
    steps: impl DoubleEndedIterator<Item = &'a Step>,
    call_id: &str,
) -> Option<&'a Decided> {
    let mut decided = steps.rev().filter_map(Step::decided);
    decided.find(|decided| decided.call_id == call_id)
}

pub(crate) fn has_result(steps: &[Step], call_id: &str) -> bool {
    let mut results = steps.iter().filter_map(Step::result);
    results.any(|result| result.call_id == call_id)
}

/// Calls of an agent's last turn without a result.
pub fn open_calls(steps: &[Step], frame: &Frame) -> Vec<ToolCall> {
    let mut open = Vec::new();
    for step in own(steps, frame) {
        match &step.did {
            StepKind::Turn(turn) => open.clone_from(&turn.tool_calls),
            StepKind::ToolResult(result) => open.retain(|call| call.id != result.call_id),
            _ => {}
        }
    }
    open
}

/// Descriptions of successful calls, in order, for `actions_taken`.
pub fn actions<'a>(steps: impl IntoIterator<Item = &'a Step>) -> Vec<String> {
    let done = steps.into_iter().filter_map(Step::result);
    let done = done.filter(|result| result.ok).map(|result| {
        let action = result.action.clone();
        action.unwrap_or_else(|| format!("Used {}", result.name))
    });
    done.collect()
}

/// The web pages in these steps' results, in order, without duplicates.
pub(crate) fn sources(steps: &[Step]) -> Vec<Source> {
    let mut found: Vec<Source> = Vec::new();
    let results = steps.iter().filter_map(Step::result);
    for source in results.flat_map(|result| &result.sources) {
        if !found.iter().any(|one| one.url == source.url) {
            found.push(source.clone());
        }
    }
    found
}

pub(crate) fn attached_files(did: &StepKind) -> &[Attached] {
    match did {
        StepKind::Attached { files } => files,
        _ => &[],
    }
}

/// The last output of a run that failed: its agent's last text, or the result of a later delegation.
pub(crate) fn partial(steps: &[Step]) -> Option<String> {
    let own = Frame::default();
    let delegated = |id: &str| steps.iter().any(|step| step.frame == own.called(id));
    frame::own(steps, &own).rev().find_map(|step| {
        let said = match &step.did {
            StepKind::Turn(turn) => &*turn.text,
            StepKind::ToolResult(done) if done.ok && delegated(&done.call_id) => {
                done.output.get("result")?.as_str()?
            }
            _ => return None,
        };
        let said = said.trim();
        (!said.is_empty()).then(|| said.to_owned())
    })
}

/// The owner's messages in this conversation. A quoted part could name recipients, so messages with quotes are left out.
pub fn owner_words(run: &Run) -> Vec<String> {
    let earlier = run.before.history.iter();
    let earlier = earlier.filter(|exchange| !exchange.quotes);
    let earlier = earlier.map(|exchange| exchange.request.as_str());
    earlier.chain(own_request(run)).map(str::to_owned).collect()
}

/// The request if its owner wrote it: not a team's or job's task, nor a request with other people's words.
pub(crate) fn own_request(run: &Run) -> Option<&str> {
    match &run.input {
        RunInput::Worker(input) if !input.quotes && run.job.is_none() => Some(&input.task_prompt),
        _ => None,
    }
}
