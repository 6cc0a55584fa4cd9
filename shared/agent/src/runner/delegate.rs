//! Delegation: a tool call that another agent of the program works on, inside the same run. Its
//! result is an ordinary tool result. An approval request of the worker parks the whole run, and
//! stopping the run stops the worker.

use alfred_core::policy::Setting;
use alfred_core::ports::{Finish, ToolCall, ToolSpec, Turn};
use alfred_core::{Failure, WorkerOutput};
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::sync::Arc;

use crate::calls::context::AgentLoop;
use crate::calls::{Ready, result};
use crate::history::actions;
use crate::model::frame::{self, Frame};
use crate::model::step::{NewStep, Step};
use crate::policy::AuthorizedArgs;
use crate::runner::handed_on::SeenFiles;
use crate::runner::turns::Left;
use crate::tool::agent::{Agent, Toolbox};
use crate::tool::program::Program;
use crate::tool::{
    self, Flow, Refusal, SharedTool, Tool, ToolContext, ToolDef, ToolError, ToolOutput, Toolset,
    arguments_schema, parsed,
};
use crate::turn::answer::ended_by;

pub const WORKERS: Toolset = Toolset::new(
    "workers",
    "hand work to other workers",
    "is working with its colleagues…",
    "Handing work on",
    "answer myself",
);

/// The argument that names files to pass on.
const ATTACHMENTS: &str = "attachments";

/// Field in a failed worker's result that lists what it did. Refused calls have none.
pub(crate) const DONE: &str = "done";

/// Description of `Delegation::answer` for the calling model.
const PASS_ON: &str = "true where this call does the whole task: its answer is yours, unread";

/// The arguments of a delegation.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct Delegation {
    /// The task, with everything needed for it: the worker sees nothing else.
    pub input: String,
    /// Guidance beside it.
    pub instructions: Option<String>,
    /// Whether the worker's result becomes the caller's answer. In the schema only if the caller may do that.
    #[serde(default)]
    #[schemars(skip)]
    pub answer: bool,
    /// Files to show it: paths, or names of files you were shown.
    pub attachments: Option<Vec<String>>,
}

impl Delegation {
    /// The task as the worker reads it.
    fn task(&self) -> String {
        match self.instructions.as_deref().map(str::trim) {
            None | Some("") => self.input.clone(),
            Some(guidance) => format!("{}\n\nGuidance: {guidance}", self.input),
        }
    }
}

/// The tool that calls a worker. It has the worker's name.
pub struct Delegate {
    def: ToolDef,
    pass_on: bool,
    files: Option<Box<dyn SeenFiles>>,
}

impl Delegate {
    /// The files that the caller sees, if it has any.
    pub(crate) fn files(&self) -> Option<&dyn SeenFiles> {
        self.files.as_deref()
    }
}

/// The tool that calls a worker, with its description for the caller. With `pass_on` the caller may use the
/// worker's answer as its own, which saves a turn. `files` are the caller's files that it may attach.
pub fn to(
    worker: &str,
    description: &str,
    pass_on: bool,
    files: Option<Box<dyn SeenFiles>>,
) -> SharedTool {
    let description: Cow<'static, str> = description.to_owned().into();
    let def = ToolDef::new(WORKERS, worker.to_owned(), description).flow(Flow::NEUTRAL);
    Arc::new(Delegate {
        def,
        pass_on,
        files,
    })
}

#[async_trait]
impl Tool for Delegate {
    fn def(&self) -> &ToolDef {
        &self.def
    }

    fn schema(&self) -> Value {
        let mut schema = arguments_schema::<Delegation>();
        if self.pass_on {
            schema["properties"]["answer"] = json!({"type": "boolean", "description": PASS_ON});
        }
        schema
    }

    /// Leaves out the attachments if the caller has no files.
    fn spec(&self) -> ToolSpec {
        let mut spec = tool::whole_spec(self);
        if self.files.is_none()
            && let Some(properties) = spec.parameters["properties"].as_object_mut()
        {
            properties.remove(ATTACHMENTS);
        }
        spec
    }

    /// Passing a file on needs the same approval as reading it.
    fn setting(&self, arguments: &Value) -> Option<Setting> {
        let files = self.files()?;
        let read = paths(arguments).filter_map(|path| files.setting(path));
        read.max().filter(|said| *said != Setting::PreApproved)
    }

    fn delegates(&self) -> Option<&Delegate> {
        Some(self)
    }

    async fn run(&self, _: ToolContext, _: AuthorizedArgs) -> Result<ToolOutput, ToolError> {
        Err(Failure::bug("a delegation is the loop's work").into())
    }
}

/// Adds the attachments argument to delegations, for an agent that was shown files.
pub(crate) fn passing_on(tools: &Toolbox, specs: &[ToolSpec]) -> Arc<[ToolSpec]> {
    let whole = |spec: &ToolSpec| match tools.get(&spec.name) {
        Some(tool) if tool.delegates().is_some() => tool::whole_spec(&**tool),
        _ => spec.clone(),
    };
    specs.iter().map(whole).collect()
}

/// The file paths among a call's attachments.
pub(crate) fn paths(arguments: &Value) -> impl Iterator<Item = &str> {
    let named = arguments[ATTACHMENTS].as_array().into_iter().flatten();
    let named = named.filter_map(Value::as_str);
    named.filter(|name| name.starts_with('/'))
}

/// The agent that works in a frame.
pub(crate) fn agent_in<'a>(
    program: &'a Program,
    steps: &[Step],
    frame: &Frame,
) -> Option<&'a Agent> {
    match frame::workers(steps, frame).last() {
        None => Some(&program.own),
        Some(worker) => program.workers.get(*worker),
    }
}

/// The task of a frame.
pub(crate) fn task(steps: &[Step], frame: &Frame) -> Option<String> {
    let (_, call) = frame::call(steps, frame.0.last()?)?;
    let given: Delegation = serde_json::from_str(&call.arguments).ok()?;
    Some(given.task())
}

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
        let mut path = self.program.path(steps, from);
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

/// Checks that a delegation has a task.
pub(crate) fn fits(arguments: Value) -> Result<(), ToolError> {
    let given: Delegation = parsed(arguments)?;
    match given.input.trim().is_empty() {
        true => Err(ToolError::failed("input: must say what is to be done")),
        false => Ok(()),
    }
}
