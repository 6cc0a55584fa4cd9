//! Delegation: a tool call that another agent of the program works on, inside the same run. Its
//! result is an ordinary tool result. An approval request of the worker parks the whole run, and
//! stopping the run stops the worker.

use alfred_core::ports::{Finish, ToolCall, Turn};
use alfred_core::{Failure, WorkerOutput};
use serde_json::{Map, json};

use crate::calls::context::AgentLoop;
use crate::calls::{Ready, result};
use crate::history::{actions, frame};
use crate::model::frame::Frame;
use crate::model::step::{NewStep, Step};
use crate::runner::turns::Left;
use crate::tool::delegate::Delegation;
use crate::tool::{Refusal, ToolOutput};
use crate::turn::answer::ended_by;

/// Field in a failed worker's result that lists what it did. Refused calls have none.
pub(crate) const DONE: &str = "done";

impl AgentLoop<'_> {
    /// Why a delegation may not start, if it may not. Doesn't apply to delegations already begun.
    /// `beside` are calls about to start.
    pub(crate) fn refuses(&self, call: &ToolCall, beside: &[Ready]) -> Option<Refusal> {
        let (steps, from) = (&self.cx.loaded.steps, &self.cx.loaded.frame);
        let frame = from.called(&call.id);
        if frame::own(steps, &frame).next().is_some() {
            return None;
        }
        let begins = |ready: &&Ready| ready.tool.delegates().is_some();
        let begins = beside.iter().filter(begins).count();
        let mut path = frame::path(self.program, steps, from);
        let (limits, to) = (self.program.delegation, call.name.as_str());
        let words = if from.depth() >= limits.max_depth {
            too_deep(limits.max_depth, &path)
        } else if path.contains(&to) {
            path.push(to);
            format!("Circular delegation detected: {}", path.join(" -> "))
        } else if frame::called(steps) + begins >= limits.most {
            format!(
                "This request has called {} workers already, and may call no more. Finish with what there is.",
                limits.most
            )
        } else {
            return self.out_of_rounds(call, beside).map(Refusal::from);
        };
        Some(words.into())
    }

    /// Runs a worker in its own frame until it has a result or the run must wait.
    pub(crate) async fn delegated(&mut self, ready: &Ready) -> Result<Option<Left>, Failure> {
        let (call, caller) = (&ready.call, self.cx.loaded.frame.clone());
        let frame = caller.called(&call.id);
        let worker = self.program.workers.get(&call.name);
        let agent = worker.ok_or_else(|| Failure::bug(format!("no worker {}", call.name)))?;
        if !self.is_handed_on(ready, agent).await? {
            return Ok(None);
        }
        let calling = std::mem::replace(&mut self.agent, agent);
        let shown = std::mem::take(&mut self.cx.opened);
        self.cx.loaded.frame.clone_from(&frame);
        let left = Box::pin(self.turns(Vec::new())).await;
        (self.agent, self.cx.loaded.frame) = (calling, caller);
        self.cx.opened = shown;
        let (steps, output) = match left? {
            Left::Ended(steps, output) => (steps, output),
            Left::Failed(steps, reason) => (steps, WorkerOutput::failed(reason, Vec::new())),
            waits => return Ok(Some(waits)),
        };
        // One commit: otherwise a crash would leave the worker's last turn without a result, and it
        // would take another turn.
        let mut steps: Vec<NewStep> = steps.into_iter().map(|step| step.of(&frame)).collect();
        let output = given(output, &self.cx.loaded.steps, &frame);
        steps.push(result::given(call, ready.def(), output).into());
        self.cx.commit(steps, vec![], |_| {}).await?;
        Ok(None)
    }

    /// The outcome of an agent that made its only call's answer its own: what the worker gave back, unless it failed.
    pub(crate) fn passed_on(&self) -> Option<WorkerOutput> {
        let loaded = &*self.cx.loaded;
        let own = frame::own(&loaded.steps, &loaded.frame);
        let result = own.clone().last()?.result().filter(|result| result.ok)?;
        let turn = own.filter_map(Step::turn).next_back()?;
        let [call] = turn.tool_calls.as_slice() else {
            return None;
        };
        self.agent.tools.get(&call.name)?.delegates()?;
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
}

fn too_deep(most: usize, path: &[&str]) -> String {
    let path = path.join(" -> ");
    format!("Maximum delegation depth ({most}) exceeded. Current path: {path}")
}

/// A worker's outcome as its caller sees it.
fn given(output: WorkerOutput, steps: &[Step], frame: &Frame) -> ToolOutput {
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
