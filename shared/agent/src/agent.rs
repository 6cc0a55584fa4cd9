//! What an agent is to the loop: a prompt, tools, limits. Nothing here knows Alfred.

use alfred_core::Role;
use alfred_core::policy::Setting;
use alfred_core::ports::{ToolSpec, Usage};
use jsonschema::error::ValidationErrorKind;
use jsonschema::{ValidationError, Validator};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use thiserror::Error;

use crate::attached::AttachmentPolicy;
use crate::run::Run;
use crate::tool::{SharedTool, ToolDef};
use crate::toolsets::Toolsets;

/// Makes the system prompt of a run from the tools it may use. The same run gives the same prompt, also after a resume.
pub type Prompt = Box<dyn Fn(&Run, &[&ToolDef]) -> String + Send + Sync>;

/// An agent.
pub struct Agent {
    /// Its name, for logs.
    pub name: String,
    /// Makes its system prompt.
    pub prompt: Prompt,
    /// What it can do.
    pub tools: Toolbox,
    /// How far it may go.
    pub limits: Limits,
    /// The model that answers it, `provider:model`; unset, the deployment's.
    pub model: Option<String>,
    /// What its file says about approving its tools, by tool. An administrator's policy stands beside it, and the
    /// stricter one counts.
    pub approval: BTreeMap<String, Setting>,
    /// Which files of a request it looks at.
    pub attachments: AttachmentPolicy,
}

/// How far a run may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Model turns (seed 000: at most 10).
    pub max_iterations: u32,
    /// Tokens read and written, all turns together. Caps models without a known price.
    pub max_tokens: u64,
    /// Millionths of a US dollar, all turns together, where prices are known.
    pub max_cost_micros: Option<u64>,
    /// Tokens written in one turn.
    pub max_output_tokens: u32,
    /// Tokens of a chat from which on its older exchanges are shortened.
    pub max_context_tokens: Option<u64>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_iterations: 10,
            max_tokens: 400_000,
            max_cost_micros: Some(1_000_000),
            max_output_tokens: 4_096,
            max_context_tokens: None,
        }
    }
}

impl Limits {
    /// Whether so much used up what may be used.
    pub fn spent(&self, usage: &Usage) -> bool {
        let tokens = usage.input_tokens + usage.output_tokens;
        let dear = match (self.max_cost_micros, usage.cost_micros) {
            (Some(limit), Some(cost)) => cost >= limit,
            _ => false,
        };
        dear || tokens >= self.max_tokens
    }
}

/// Tools by name. Specs and validators are made when they are first needed.
#[derive(Default)]
pub struct Toolbox {
    tools: BTreeMap<Cow<'static, str>, Entry>,
}

struct Entry {
    tool: SharedTool,
    spec: OnceLock<ToolSpec>,
    validator: OnceLock<Result<Validator, String>>,
}

/// Two tools have the same name.
#[derive(Debug, Error)]
#[error("two tools are called {0}")]
pub struct DuplicateTool(Cow<'static, str>);

impl Toolbox {
    /// Of these tools.
    ///
    /// # Errors
    /// When two have the same name.
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

    /// The tool of this name.
    pub fn get(&self, name: &str) -> Option<&SharedTool> {
        self.tools.get(name).map(|entry| &entry.tool)
    }

    /// What somebody of this role may use of the toolsets that are open, by name.
    pub fn defs(&self, role: Role, open: &Toolsets) -> Vec<&ToolDef> {
        let shown = self.shown(role, open);
        shown.map(|entry| entry.tool.def()).collect()
    }

    /// The same as the model sees it.
    pub fn specs(&self, role: Role, open: &Toolsets) -> Arc<[ToolSpec]> {
        let spec = |entry: &Entry| entry.spec.get_or_init(|| entry.tool.spec()).clone();
        self.shown(role, open).map(spec).collect()
    }

    fn shown(&self, role: Role, open: &Toolsets) -> impl Iterator<Item = &Entry> {
        self.tools.values().filter(move |entry| {
            let def = entry.tool.def();
            def.allows(role) && open.shows(def)
        })
    }

    /// The toolsets whose descriptions others wrote.
    pub(crate) fn described_by_others(&self) -> impl Iterator<Item = String> {
        let tools = self.tools.values().map(|entry| &entry.tool);
        let foreign = tools.filter(|tool| tool.is_described_by_others());
        foreign.map(|tool| tool.def().toolset.name.to_string())
    }

    /// Checks arguments against a tool's schema.
    ///
    /// # Errors
    /// What is wrong with which field, for the model to mend.
    pub fn check(&self, name: &str, arguments: &Value) -> Result<(), String> {
        let Some(entry) = self.tools.get(name) else {
            return Err(format!("Tool not found: {name}"));
        };
        let validator = entry.validator.get_or_init(|| {
            jsonschema::validator_for(&entry.tool.schema()).map_err(|error| error.to_string())
        });
        let validator = validator.as_ref().map_err(Clone::clone)?;
        let problems: Vec<String> = validator
            .iter_errors(arguments)
            .take(5)
            .map(|error| {
                let path = error.instance_path().to_string();
                let problem = problem(&error);
                match path.trim_start_matches('/') {
                    "" => problem,
                    field => format!("{}: {problem}", field.replace('/', ".")),
                }
            })
            .collect();
        if problems.is_empty() {
            Ok(())
        } else {
            Err(format!("bad arguments: {}", problems.join("; ")))
        }
    }
}
/// What is wrong, with all that would be right: the library names the first two.
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
