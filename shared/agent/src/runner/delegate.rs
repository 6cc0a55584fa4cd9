//! Delegation: a tool call that another agent of the program works on, inside the same run. Its
//! result is an ordinary tool result. An approval request of the worker parks the whole run, and
//! stopping the run stops the worker.

use alfred_core::WorkerOutput;
use alfred_core::ports::{Finish, Turn};
use serde_json::{Map, json};

use crate::calls::context::AgentLoop;
use crate::calls::result;
use crate::history::{actions, frame};
use crate::model::frame::Frame;
use crate::model::step::Step;
use crate::tool::delegate::{DONE, Delegation};
use crate::tool::{Refusal, ToolOutput};
use crate::turn::model_turn::ended_by;

/// The outcome of an agent that made its only call's answer its own: what the worker gave back, unless it failed.
pub(crate) fn passed_on(work: &AgentLoop<'_>) -> Option<WorkerOutput> {
    let loaded = &*work.cx.loaded;
    let own = frame::own(&loaded.steps, &loaded.frame);
    let result = own.clone().last()?.result().filter(|result| result.ok)?;
    let turn = own.filter_map(Step::turn).next_back()?;
    let [call] = turn.tool_calls.as_slice() else {
        return None;
    };
    if !work.agent.tools.get(&call.name)?.is_delegation() {
        return None;
    }
    let given: Delegation = serde_json::from_str(&call.arguments).ok()?;
    if !given.answer || call.id != result.call_id {
        return None;
    }
    let said = result.output["result"].as_str();
    let said = said.filter(|said| !said.is_empty())?;
    let said = Turn {
        text: said.to_owned(),
        finish: Finish::Stop,
        tool_calls: Vec::new(),
        ..turn.clone()
    };
    Some(ended_by(&said, loaded))
}

/// A worker's outcome as its caller sees it.
pub(crate) fn worker_output(output: WorkerOutput, steps: &[Step], frame: &Frame) -> ToolOutput {
    let said = output.error.or(output.result).unwrap_or_default();
    if output.success {
        let data = Map::from_iter([("result".to_owned(), said.into())]);
        return ToolOutput {
            data,
            ..ToolOutput::default()
        };
    }
    let mut why = Refusal::from(said);
    let done = actions(steps.iter().filter(|step| step.frame.is_within(frame)));
    why.data.insert(DONE.into(), json!(done));
    let partial = last_words(steps, frame).map(|words| ("partial".to_owned(), words.into()));
    why.data.extend(partial);
    result::failed(why)
}

/// A worker's last text before it failed.
fn last_words(steps: &[Step], frame: &Frame) -> Option<String> {
    let turns = frame::own(steps, frame).filter_map(Step::turn);
    let words = turns.map(|turn| turn.text.trim());
    let last = words.rev().find(|words| !words.is_empty());
    last.map(str::to_owned)
}
