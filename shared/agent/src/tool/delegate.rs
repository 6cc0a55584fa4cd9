use alfred_core::Failure;
use alfred_core::policy::Setting;
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::sync::Arc;

use crate::model::Flow;
use crate::policy::AuthorizedArgs;
use crate::policy::tool_def::{ToolDef, Toolset};
use crate::tool::{
    SeenFiles, SharedTool, Tool, ToolContext, ToolError, ToolOutput, arguments_schema, parsed,
};

pub const WORKERS: Toolset = Toolset::new(
    "workers",
    "hand work to other workers",
    "is working with its colleagues…",
    "Handing work on",
    "answer myself",
);

pub(crate) const ATTACHMENTS: &str = "attachments";

const PASS_ON: &str = "true where this call does the whole task: its answer is yours, unread";

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct Delegation {
    /// The task, with everything needed for it: the worker sees nothing else.
    pub input: String,
    /// Guidance beside it.
    pub instructions: Option<String>,
    /// In the schema only if the caller may pass the answer on.
    #[serde(default)]
    #[schemars(skip)]
    pub answer: bool,
    /// Files to show it: paths, or names of files you were shown.
    pub attachments: Option<Vec<String>>,
}

impl Delegation {
    pub(crate) fn task(&self) -> String {
        match self.instructions.as_deref().map(str::trim) {
            None | Some("") => self.input.clone(),
            Some(guidance) => format!("{}\n\nGuidance: {guidance}", self.input),
        }
    }
}

pub struct Delegate {
    def: ToolDef,
    pass_on: bool,
    files: Option<Box<dyn SeenFiles>>,
}

/// `pass_on`: the worker's answer may become the caller's. `files` can be attached.
pub fn to(
    worker: &str,
    description: &str,
    pass_on: bool,
    files: Option<Box<dyn SeenFiles>>,
) -> SharedTool {
    let description: Cow<'static, str> = description.to_owned().into();
    let def = ToolDef::new(WORKERS, worker.to_owned(), description);
    let def = def.flow(Flow::NEUTRAL).with(|def| def.delegates = true);
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

    /// Passing a file on needs the same approval as reading it.
    fn setting(&self, arguments: &Value) -> Option<Setting> {
        let files = self.callers_files()?;
        let read = paths(arguments).filter_map(|path| files.setting(path));
        read.max().filter(|said| *said != Setting::PreApproved)
    }

    fn callers_files(&self) -> Option<&dyn SeenFiles> {
        self.files.as_deref()
    }

    async fn run(&self, _: ToolContext, _: AuthorizedArgs) -> Result<ToolOutput, ToolError> {
        Err(Failure::bug("a delegation is the loop's work").into())
    }
}

pub(crate) fn paths(arguments: &Value) -> impl Iterator<Item = &str> {
    let named = arguments[ATTACHMENTS].as_array().into_iter().flatten();
    let named = named.filter_map(Value::as_str);
    named.filter(|name| name.starts_with('/'))
}

pub(crate) fn fits(arguments: Value) -> Result<(), ToolError> {
    let given: Delegation = parsed(arguments)?;
    if given.input.trim().is_empty() {
        return Err(ToolError::failed("input: must say what is to be done"));
    }
    Ok(())
}

/// The field of a failed worker's result that lists what it did.
pub(crate) const DONE: &str = "done";
