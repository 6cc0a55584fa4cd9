//! The toolset `custom`: functions of a JavaScript module as tools. They only compute, so their results are
//! as private and as trusted as their arguments.

use crate::script::{Export, Script};
use alfred_agent::policy::AuthorizedArgs;
use alfred_agent::tool::{
    Flow, Result, Tool, ToolContext, ToolDef, ToolError, ToolOutput, Toolset,
};
use alfred_core::Failure;
use alfred_core::policy::Setting::{self, Ask, PreApproved};
use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::programs;
use crate::registry::{Approval, Binding, Bound, is_tool_name, not_callable, settings};

pub const NAME: &str = "custom";

const CUSTOM: Toolset = Toolset::new(
    NAME,
    "compute with the worker's own functions",
    "is calculating…",
    "That",
    "calculate",
);

/// Method names for the work of a tool object.
const FUNCTIONS: [&str; 2] = ["execute", "run"];
/// Member of a tool object that says whether calls need approval: a boolean, or a function for each call.
const NEEDS_APPROVAL: &str = "needsApproval";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Custom {
    module: String,
    tools: Vec<String>,
    #[serde(default)]
    approval: Approval,
}

/// An export's description of itself as a tool.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
struct Described {
    name: Option<String>,
    description: Option<String>,
    #[serde(alias = "parameters")]
    input_schema: Option<Value>,
    needs_approval: Option<bool>,
}

/// The module in a worker's settings. `None` if they are invalid.
pub(crate) fn module_of(config: Value) -> Option<String> {
    settings::<Custom>(config).ok().map(|set| set.module)
}

/// The path of a module named in the worker file at `worker`; `.js` is added if missing. An error unless it
/// is a relative path of a JavaScript file.
pub(crate) fn path_of(worker: &str, module: &str) -> Result<String, String> {
    let wrong = |reason: &str| Err(format!("module: \"{module}\" {reason}"));
    let named = match Path::new(module).extension() {
        None => PathBuf::from(format!("{module}.js")),
        Some(end) if end == "js" => PathBuf::from(module),
        Some(_) => return wrong("is no JavaScript: its name must end in .js"),
    };
    if module.is_empty() || named.is_absolute() {
        return wrong("must be a path relative to the worker's file");
    }
    let folder = Path::new(worker).parent();
    let mut path = folder.unwrap_or(Path::new("")).to_owned();
    for part in named.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if path.file_name().is_some() => {
                path.pop();
            }
            other => path.push(other),
        }
    }
    Ok(path.display().to_string())
}

/// Functions of built-in modules. With `own`, also of modules that a run keeps with its worker files, for a person's
/// own machine. A run uses the text from when it began.
pub(crate) fn toolset(binding: &Binding<'_>, config: Value, own: bool) -> Result<Bound, String> {
    let Custom {
        module,
        tools,
        approval,
    } = settings(config)?;
    if tools.is_empty() {
        return Err("tools: is empty, so nothing could be called; leave the toolset out".into());
    }
    let path = path_of(binding.path, &module)?;
    let built_in = programs::module(&path);
    if built_in.is_none() && !own {
        return Err(format!(
            "module: \"{module}\" isn't built in, and only built-in modules run here"
        ));
    }
    let kept = binding.program.beside.iter().find(|file| file.path == path);
    let text = kept.map(|file| &*file.text).or(built_in.as_deref());
    let text = text.ok_or_else(|| format!("module: \"{module}\" isn't there"))?;
    let script = Script::new(&module, text);
    let exports = script.exports();
    let exports = exports.map_err(|error| format!("module: {error}"))?;
    let scripted = |export: &String| Scripted::of(&script, &exports, export);
    let tools: Vec<Scripted> = tools.iter().map(scripted).collect::<Result<_, _>>()?;
    let names: Vec<&str> = tools.iter().map(|tool| &*tool.def.name).collect();
    let checked = approval.check(&names);
    checked.map_err(|wrong| format!("approval: {wrong}"))?;
    let mut bound = Bound::default();
    for tool in tools {
        let name = tool.def.name.to_string();
        let mut setting = approval.of(&name);
        if !tool.decides {
            // The stricter setting of the file and of the tool itself. The default is to ask.
            setting = Some(setting.max(tool.needs_approval).unwrap_or(Ask));
        }
        let setting = setting.map(|setting| (name, setting));
        bound.approval.extend(setting);
        bound.tools.push(Arc::new(tool));
    }
    Ok(bound)
}

/// The schema that is exported next to a function.
fn beside(exports: &BTreeMap<String, Export>, name: &str) -> Result<Described, String> {
    let schema = exports.get(&format!("{name}Schema"));
    match schema.and_then(|schema| schema.data.clone()) {
        Some(schema) => Ok(Described {
            input_schema: Some(schema),
            ..Described::default()
        }),
        None => Err(format!(
            "tools: the function {name} needs a JSON Schema beside it, exported as {name}Schema"
        )),
    }
}

/// A tool object, and the path of the method that does its work.
fn full(export: &Export, name: &str) -> Result<(Vec<String>, Described), String> {
    let works = FUNCTIONS
        .iter()
        .find(|works| export.methods.iter().any(|one| one == *works));
    let data = export.data.clone().filter(Value::is_object);
    let (Some(works), Some(data)) = (works, data) else {
        return Err(format!(
            "tools: {name} is neither a function nor an object with a schema and a function `execute` or `run`"
        ));
    };
    let described = serde_json::from_value(data);
    let described = described.map_err(|error| format!("tools: {name}: {error}"))?;
    Ok((vec![name.to_owned(), (*works).to_owned()], described))
}

struct Scripted {
    def: ToolDef,
    schema: Value,
    script: Script,
    /// Whether the tool decides for each call if it needs approval.
    decides: bool,
    /// The tool's own setting for all calls.
    needs_approval: Option<Setting>,
    /// Path of the called function.
    called: Vec<String>,
}

impl Scripted {
    fn of(script: &Script, exports: &BTreeMap<String, Export>, name: &str) -> Result<Self, String> {
        let Some(export) = exports.get(name) else {
            let valid: Vec<&str> = exports.keys().map(String::as_str).collect();
            let valid = valid.join(", ");
            return Err(format!(
                "tools: the module doesn't export \"{name}\"; it exports: {valid}"
            ));
        };
        let (called, described) = if export.is_function {
            (vec![name.to_owned()], beside(exports, name)?)
        } else {
            full(export, name)?
        };
        let known = described.name.unwrap_or_else(|| name.to_owned());
        if !is_tool_name(&known) {
            return Err(format!("tools: {}", not_callable(&known)));
        }
        let mut schema = described.input_schema.unwrap_or_default();
        let fields = schema.as_object_mut();
        let of_schema = fields.and_then(|schema| schema.remove("description"));
        let of_schema = of_schema.as_ref().and_then(Value::as_str);
        let description = described.description.as_deref().or(of_schema);
        let nameless = || format!("{known}, a function of this worker.");
        let description = description.map_or_else(nameless, str::to_owned);
        let wrong = |why: &str| format!("tools: {name}: its schema{why}");
        if schema["type"] != "object" {
            return Err(wrong(" must be a JSON Schema with `type: \"object\"`"));
        }
        jsonschema::validator_for(&schema).map_err(|error| wrong(&format!(": {error}")))?;
        let setting = |asks| if asks { Ask } else { PreApproved };
        Ok(Self {
            def: ToolDef::new(CUSTOM, known, description).flow(Flow::NEUTRAL),
            schema,
            script: script.clone(),
            decides: export.methods.iter().any(|one| one == NEEDS_APPROVAL),
            needs_approval: described.needs_approval.map(setting),
            called,
        })
    }
}

#[async_trait]
impl Tool for Scripted {
    fn def(&self) -> &ToolDef {
        &self.def
    }

    fn schema(&self) -> Value {
        self.schema.clone()
    }

    /// Anything except `false` asks, including a failure. This blocks the thread for as long as a call may take.
    fn setting(&self, arguments: &Value) -> Option<Setting> {
        let tool = self.called.first().filter(|_| self.decides)?;
        Some(match self.script.call(&[tool, NEEDS_APPROVAL], arguments) {
            Ok(Value::Bool(false)) => PreApproved,
            _ => Ask,
        })
    }

    async fn run(&self, _: ToolContext, arguments: AuthorizedArgs) -> Result {
        let (script, called) = (self.script.clone(), self.called.clone());
        let arguments = arguments.into_value();
        // It may take a second, so it runs on a blocking thread.
        let work = tokio::task::spawn_blocking(move || {
            let called: Vec<&str> = called.iter().map(String::as_str).collect();
            script.call(&called, &arguments)
        });
        let result = work.await.map_err(Failure::bug)?;
        let result = result.map_err(|error| {
            let error = ToolError::failed(format!("{}: {error}", self.def.name));
            error.say("I couldn't calculate that.")
        })?;
        ToolOutput::data(&json!({ "result": result }))
    }
}

#[cfg(test)]
#[path = "custom_tests.rs"]
mod tests;
