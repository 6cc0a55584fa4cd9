use alfred_core::Role;
use alfred_core::policy::Setting;
use alfred_core::ports::{ToolCall, ToolSpec};
use jsonschema::error::ValidationErrorKind;
use jsonschema::{ValidationError, Validator};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use thiserror::Error;

use crate::model::{AttachmentPolicy, Limits, Run};
use crate::policy::tool_def::ToolDef;
use crate::tool::SharedTool;
use crate::tool::delegate::ATTACHMENTS;
use crate::tool::toolsets::Toolsets;

/// Must return the same prompt for the same run, since runs are resumed.
pub type Prompt = Box<dyn Fn(&Run, &[&ToolDef]) -> String + Send + Sync>;

pub struct Agent {
    pub name: String,
    pub prompt: Prompt,
    pub tools: Toolbox,
    pub limits: Limits,
    /// `provider:model`; `None` for the deployment's model.
    pub model: Option<String>,
    /// Of these and the administrator's policy, the stricter counts.
    pub approval: BTreeMap<String, Setting>,
    pub attachments: AttachmentPolicy,
}

/// Specs and validators are built when first needed.
#[derive(Default)]
pub struct Toolbox {
    tools: BTreeMap<Cow<'static, str>, Entry>,
}

struct Entry {
    tool: SharedTool,
    spec: OnceLock<ToolSpec>,
    validator: OnceLock<Result<Validator, String>>,
}

#[derive(Debug, Error)]
#[error("two tools are called {0}")]
pub struct DuplicateTool(Cow<'static, str>);

impl Toolbox {
    pub fn new(tools: impl IntoIterator<Item = SharedTool>) -> Result<Self, DuplicateTool> {
        let mut toolbox = Self::default();
        for tool in tools {
            let name = tool.def().name.clone();
            let entry = Entry {
                tool,
                spec: OnceLock::new(),
                validator: OnceLock::new(),
            };
            if toolbox.tools.insert(name.clone(), entry).is_some() {
                return Err(DuplicateTool(name));
            }
        }
        Ok(toolbox)
    }

    pub fn get(&self, name: &str) -> Option<&SharedTool> {
        self.tools.get(name).map(|entry| &entry.tool)
    }

    /// The tools that this role may use and whose toolsets are open, by name.
    pub fn defs(&self, role: Role, open: &Toolsets) -> Vec<&ToolDef> {
        let shown = self.shown(role, open);
        shown.map(|entry| entry.tool.def()).collect()
    }

    /// Without files to attach, delegations don't take attachments.
    pub fn specs(&self, role: Role, open: &Toolsets, has_files: bool) -> Arc<[ToolSpec]> {
        let spec = |entry: &Entry| {
            let tool = &entry.tool;
            let mut spec = entry.spec.get_or_init(|| tool.spec()).clone();
            if tool.def().delegates
                && !(has_files || tool.callers_files().is_some())
                && let Some(properties) = spec.parameters["properties"].as_object_mut()
            {
                properties.remove(ATTACHMENTS);
            }
            spec
        };
        self.shown(role, open).map(spec).collect()
    }

    fn shown(&self, role: Role, open: &Toolsets) -> impl Iterator<Item = &Entry> {
        self.tools.values().filter(move |entry| {
            let def = entry.tool.def();
            def.allows(role) && open.shows(def)
        })
    }

    pub(crate) fn described_by_others(&self) -> impl Iterator<Item = String> {
        let tools = self.tools.values().map(|entry| &entry.tool);
        let foreign = tools.filter(|tool| tool.def().described_by_others);
        foreign.map(|tool| tool.def().toolset.name.to_string())
    }

    /// Renames snake_case arguments to the camelCase names of the tool's schema, since models mix the two.
    pub(crate) fn rename_arguments(&self, call: &mut ToolCall) {
        let parsed = serde_json::from_str::<Map<String, Value>>(&call.arguments);
        let (Some(tool), Ok(mut arguments)) = (self.get(&call.name), parsed) else {
            return;
        };
        if !arguments.keys().any(|name| name.contains('_')) {
            return;
        }
        let schema = tool.schema();
        let names = schema["properties"].as_object().into_iter();
        for name in names.flat_map(Map::keys) {
            let is_same = |key: &&String| key.replace('_', "").eq_ignore_ascii_case(name);
            let written = arguments.keys().find(is_same).cloned();
            if let Some(value) = written.and_then(|key| arguments.remove(&key)) {
                arguments.insert(name.clone(), value);
            }
        }
        call.arguments = Value::from(arguments).to_string();
    }

    pub fn check(&self, name: &str, arguments: &Value) -> Result<(), String> {
        let Some(entry) = self.tools.get(name) else {
            return Err(format!("Tool not found: {name}"));
        };
        let validator = entry.validator.get_or_init(|| {
            let schema = entry.tool.schema();
            let built = if entry.tool.def().described_by_others {
                jsonschema::validator_for(&schema)
            } else {
                // Our own schemas use what both drafts share. This one's meta-schema is ready 2 ms earlier.
                jsonschema::draft7::new(&schema)
            };
            built.map_err(|error| error.to_string())
        });
        let validator = validator.as_ref().map_err(Clone::clone)?;
        let problems = validator.iter_errors(arguments).take(5).map(|error| {
            let path = error.instance_path().to_string();
            let problem = problem(&error);
            match path.trim_start_matches('/') {
                "" => problem,
                field => format!("{}: {problem}", field.replace('/', ".")),
            }
        });
        let problems: Vec<String> = problems.collect();
        if problems.is_empty() {
            return Ok(());
        }
        Err(format!("bad arguments: {}", problems.join("; ")))
    }
}
/// Lists all allowed enum values, since the library lists only two.
fn problem(error: &ValidationError<'_>) -> String {
    match error.kind() {
        ValidationErrorKind::Enum { options } => {
            let options = options.as_array().into_iter().flatten();
            let words: Vec<String> = options.map(Value::to_string).collect();
            format!("{} is none of {}", error.instance(), words.join(", "))
        }
        _ => error.to_string(),
    }
}
