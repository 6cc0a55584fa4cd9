//! Toolsets by name. A factory makes each toolset for one worker from that worker's settings.

use alfred_agent::Rounds;
use alfred_agent::model::Snapshot;
use alfred_agent::tool::{SharedTool, delegate};
use alfred_core::policy::Setting;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::BTreeMap;

use crate::file::WorkerFile;
use crate::skills;
use crate::toolsets::{custom, filesystem};

/// The worker for which a toolset is made.
pub struct Binding<'a> {
    pub worker: &'a WorkerFile,
    /// Path of its file.
    pub path: &'a str,
    /// The workers of its program, by name.
    pub workers: &'a BTreeMap<&'a str, &'a WorkerFile>,
    pub program: &'a Snapshot,
    /// The program's entry worker.
    pub entry: &'a str,
}

impl<'a> Binding<'a> {
    /// A worker without others.
    pub(crate) fn of(worker: &'a WorkerFile, program: &'a Snapshot) -> Self {
        Self {
            worker,
            path: "",
            workers: const { &BTreeMap::new() },
            program,
            entry: &worker.name,
        }
    }
}

#[derive(Default)]
pub struct Bound {
    pub tools: Vec<SharedTool>,
    /// The worker's approval settings, by tool.
    pub approval: BTreeMap<String, Setting>,
}

impl Bound {
    /// Tools without approval settings.
    pub(crate) fn of(tools: Vec<SharedTool>) -> Self {
        Self {
            tools,
            approval: BTreeMap::new(),
        }
    }
}

/// Makes a toolset from a worker's settings.
pub type Factory<'a> = Box<dyn Fn(&Binding<'_>, Value) -> Result<Bound, String> + Send + Sync + 'a>;

#[derive(Default)]
pub struct Registry<'a> {
    factories: BTreeMap<String, Factory<'a>>,
}

impl<'a> Registry<'a> {
    /// The toolsets of a catalogue, plus delegation, files, skills, and functions of built-in modules.
    pub fn of(catalogue: &'a [SharedTool]) -> Self {
        let mut sets: BTreeMap<String, Vec<SharedTool>> = BTreeMap::new();
        for tool in catalogue {
            let set = sets.entry(tool.def().toolset.name.to_string());
            set.or_default().push(tool.clone());
        }
        let factories = sets.into_iter().map(|(name, tools)| {
            let factory: Factory<'a> = Box::new(move |_, config| chosen(&tools, config));
            (name, factory)
        });
        let built_in: Factory<'a> =
            Box::new(|binding, config| custom::toolset(binding, config, false));
        let own: [(&str, Factory<'a>); 4] = [
            (&delegate::WORKERS.name, Box::new(workers)),
            (custom::NAME, built_in),
            (&filesystem::TOOLSET.name, Box::new(filesystem::tools)),
            (&skills::SKILLS.name, Box::new(skills::toolset)),
        ];
        let own = own.map(|(name, factory)| (name.to_owned(), factory));
        Self {
            factories: factories.chain(own).collect(),
        }
    }

    /// Adds functions of the programs' own modules, for a person's own machine. A process that serves others
    /// runs only built-in modules: the engine is C, and the process holds their credentials.
    pub fn with_modules_of_programs(mut self) -> Self {
        let own: Factory<'a> = Box::new(|binding, config| custom::toolset(binding, config, true));
        self.factories.insert(custom::NAME.to_owned(), own);
        self
    }

    /// Adds a toolset. An error if the name is taken.
    pub fn register(&mut self, name: &str, factory: Factory<'a>) -> Result<(), DuplicateToolset> {
        if self.factories.contains_key(name) {
            return Err(DuplicateToolset(name.to_owned()));
        }
        self.factories.insert(name.to_owned(), factory);
        Ok(())
    }

    /// The toolset of this name. The error names those there are.
    pub fn get(&self, name: &str) -> Result<&Factory<'a>, String> {
        let found = self.factories.get(name);
        found.ok_or_else(|| unknown("toolset", name, self.factories.keys()))
    }
}

#[derive(Debug, thiserror::Error)]
#[error("two toolsets are called {0}")]
pub struct DuplicateToolset(String);

/// Settings that every toolset has.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Chosen {
    tools: Option<Vec<String>>,
    #[serde(alias = "approvalConfig")]
    approval: Approval,
}

/// Approval settings of a toolset.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Approval {
    pub default: Option<Setting>,
    pub tools: BTreeMap<String, Setting>,
}

impl Approval {
    /// The setting of a tool, otherwise the default.
    pub fn of(&self, tool: &str) -> Option<Setting> {
        self.tools.get(tool).copied().or(self.default)
    }

    /// Checks that every tool with a setting is in `names`. The error says which one isn't.
    pub fn check(&self, names: &[&str]) -> Result<(), String> {
        let mut tools = self.tools.keys();
        match tools.find(|tool| !names.contains(&tool.as_str())) {
            Some(tool) => Err(unknown("tool", tool, names)),
            None => Ok(()),
        }
    }
}

/// The words for a name that isn't in `valid`, with the valid names.
pub fn unknown(what: &str, name: &str, valid: impl IntoIterator<Item: AsRef<str>>) -> String {
    let valid = valid.into_iter().map(|name| name.as_ref().to_owned());
    let valid = valid.collect::<Vec<_>>().join(", ");
    format!("there is no {what} \"{name}\"; there are: {valid}")
}

/// Deserialises settings; null means the defaults. The error names the field.
pub fn settings<T: DeserializeOwned>(config: Value) -> Result<T, String> {
    let config = if config.is_null() { json!({}) } else { config };
    serde_json::from_value(config).map_err(|error| error.to_string())
}

/// The chosen tools, with their approval settings.
fn chosen(all: &[SharedTool], config: Value) -> Result<Bound, String> {
    let Chosen { tools, approval } = settings(config)?;
    let names: Vec<&str> = all.iter().map(|tool| &*tool.def().name).collect();
    approval.check(&names)?;
    let named = |name: &String| {
        let found = all.iter().find(|tool| tool.def().name == *name);
        found.cloned().ok_or_else(|| unknown("tool", name, &names))
    };
    let tools = match tools {
        None => all.to_vec(),
        Some(names) => names.iter().map(named).collect::<Result<_, _>>()?,
    };
    let setting = |tool: &SharedTool| {
        let name = tool.def().name.to_string();
        let setting = approval.of(&name)?;
        Some((name, setting))
    };
    let approval = tools.iter().filter_map(setting).collect();
    Ok(Bound { tools, approval })
}

/// Delegation settings of a worker.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Delegation {
    pub(crate) allowed_workers: Vec<String>,
    /// Which of them reviews which, if they work in rounds.
    pub(crate) rounds: Option<Rounds>,
    /// Whether it may return a worker's answer as its own.
    #[serde(default)]
    pub(crate) pass_on: bool,
}

/// Whether every provider accepts this as a tool name.
pub(crate) fn is_tool_name(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    !name.is_empty() && name.len() <= 64 && name.bytes().all(plain)
}

/// The error for a name that isn't a tool name.
pub(crate) fn not_callable(name: &str) -> String {
    format!("\"{name}\" can't be a tool's name: use at most 64 letters, digits, - and _")
}

/// One tool for each worker that may be called.
fn workers(binding: &Binding<'_>, config: Value) -> Result<Bound, String> {
    let Delegation {
        allowed_workers,
        rounds,
        pass_on,
    } = settings(config)?;
    if allowed_workers.is_empty() {
        return Err(
            "allowed_workers: is empty, so nobody could be called; leave the toolset out".into(),
        );
    }
    if let Some(rounds) = &rounds {
        for (field, name) in [("reviewer", &rounds.reviewer), ("writer", &rounds.writer)] {
            if !allowed_workers.contains(name) {
                return Err(format!(
                    "rounds.{field}: \"{name}\" is missing from allowed_workers"
                ));
            }
        }
    }
    let tool = |name: &String| {
        let found = binding.workers.get(name.as_str());
        if !is_tool_name(name) {
            return Err(format!("allowed_workers: {}", not_callable(name)));
        }
        let worker = found.ok_or_else(|| {
            let reason = unknown("worker", name, binding.workers.keys());
            format!("allowed_workers: {reason}")
        })?;
        let files = filesystem::seen(binding);
        Ok(delegate::to(name, &worker.description, pass_on, files))
    };
    let tools = allowed_workers.iter().map(tool);
    Ok(Bound::of(tools.collect::<Result<_, String>>()?))
}
