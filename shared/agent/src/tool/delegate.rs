//! The tool with which an agent calls another agent of its program.

use alfred_core::Failure;
use alfred_core::policy::Setting;
use alfred_core::ports::ToolSpec;
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::sync::Arc;

use crate::model::effect::Flow;
use crate::policy::AuthorizedArgs;
use crate::policy::tool_def::{ToolDef, Toolset};
use crate::tool::agent::Toolbox;
use crate::tool::{
    self, SeenFiles, SharedTool, Tool, ToolContext, ToolError, ToolOutput, arguments_schema, parsed,
};

pub const WORKERS: Toolset = Toolset::new(
    "workers",
    "hand work to other workers",
    "is working with its colleagues…",
    "Handing work on",
    "answer myself",
);

/// The argument that names files to pass on.
const ATTACHMENTS: &str = "attachments";

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
    pub(crate) fn task(&self) -> String {
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
        let files = self.callers_files()?;
        let read = paths(arguments).filter_map(|path| files.setting(path));
        read.max().filter(|said| *said != Setting::PreApproved)
    }

    fn is_delegation(&self) -> bool {
        true
    }

    fn callers_files(&self) -> Option<&dyn SeenFiles> {
        self.files.as_deref()
    }

    async fn run(&self, _: ToolContext, _: AuthorizedArgs) -> Result<ToolOutput, ToolError> {
        Err(Failure::bug("a delegation is the loop's work").into())
    }
}

/// Adds the attachments argument to delegations, for an agent that was shown files.
pub(crate) fn passing_on(tools: &Toolbox, specs: &[ToolSpec]) -> Arc<[ToolSpec]> {
    let whole = |spec: &ToolSpec| match tools.get(&spec.name) {
        Some(tool) if tool.is_delegation() => tool::whole_spec(&**tool),
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

/// Checks that a delegation has a task.
pub(crate) fn fits(arguments: Value) -> Result<(), ToolError> {
    let given: Delegation = parsed(arguments)?;
    if given.input.trim().is_empty() {
        return Err(ToolError::failed("input: must say what is to be done"));
    }
    Ok(())
}

/// Field in a failed worker's result that lists what it did. Refused calls have none.
pub(crate) const DONE: &str = "done";
