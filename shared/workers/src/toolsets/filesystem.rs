//! The toolset `filesystem`: a program's files, as visible to a worker.

mod change;
mod tool;

use alfred_agent::model::Folder;
use alfred_agent::tool::{SeenFiles, SharedTool, ToolContext, Toolset};
use alfred_core::files::{Narrowing, Sandbox};
use alfred_core::policy::Setting;
use alfred_core::ports::{FilesError, VirtualPath};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::iter::once;
use std::sync::Arc;

use crate::file::{FileSandbox, SandboxApproval, WorkerFile};
use crate::registry::{Approval, Binding, Bound, settings, unknown};
use tool::{Action, FileTool};

pub const TOOLSET: Toolset = Toolset::new(
    "filesystem",
    "read and write files",
    "is looking at files…",
    "Changing files",
    "read files",
);

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Config {
    tools: Option<Vec<String>>,
    #[serde(alias = "approvalConfig")]
    approval: FileApproval,
}

/// As [`Approval`], with settings of paths. Serde can't flatten it and refuse unknown fields too.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct FileApproval {
    default: Option<Setting>,
    tools: BTreeMap<String, Setting>,
    /// By folder or file, as the worker sees it.
    paths: BTreeMap<String, Setting>,
}

/// A worker's approval settings for file calls.
pub struct Rules {
    approval: Approval,
    paths: BTreeMap<VirtualPath, Setting>,
    sandbox: SandboxApproval,
}

impl Rules {
    /// The setting of a call: of the deepest folder above the path, otherwise of the tool, otherwise the default.
    fn of(&self, action: Action, path: Option<&VirtualPath>) -> Option<Setting> {
        let above = path.and_then(|path| {
            let mut above = once(path.clone()).chain(path.above());
            above.find_map(|at| self.paths.get(&at))
        });
        let sandbox = match action {
            Action::Write => self.sandbox.write,
            Action::Delete => self.sandbox.delete,
            Action::Read | Action::List | Action::Exists | Action::Info => None,
        };
        let own = above.or(self.approval.tools.get(action.name())).copied();
        own.or(sandbox).or(self.approval.default)
    }
}

/// The files that each worker of a program can see.
pub struct Views {
    entry: String,
    folder: Option<Folder>,
    narrowings: BTreeMap<String, Narrowing>,
}

impl Views {
    fn of(binding: &Binding<'_>) -> Self {
        let workers = binding.workers.values().copied();
        let narrowing = |worker: &WorkerFile| {
            let by = Narrowing {
                restrict: worker.sandbox.restrict.clone(),
                readonly: worker.sandbox.readonly,
            };
            (worker.name.clone(), by)
        };
        Self {
            entry: binding.entry.to_owned(),
            folder: binding.program.folder.clone(),
            narrowings: workers.chain([binding.worker]).map(narrowing).collect(),
        }
    }

    /// The caller's view. Each worker in the chain of delegation sees at most what its caller sees.
    fn seen(&self, context: &ToolContext) -> Result<Sandbox, FilesError> {
        let folder = self.folder.as_ref();
        let files = context.files_of(folder.map(|folder| &*folder.root))?;
        let readonly = folder.is_some_and(|folder| folder.readonly);
        let mut view = Sandbox::over(files).narrowed(&Narrowing {
            restrict: None,
            readonly: readonly.then_some(true),
        })?;
        for worker in once(&self.entry).chain(&context.called) {
            if let Some(narrowing) = self.narrowings.get(worker) {
                view = view.narrowed(narrowing)?;
            }
        }
        Ok(view)
    }
}

pub fn names() -> [&'static str; 6] {
    Action::ALL.map(Action::name)
}

/// The chosen tools. The error names the invalid setting.
pub fn tools(binding: &Binding<'_>, config: Value) -> Result<Bound, String> {
    let (chosen, rules) = read(binding, config)?;
    let (views, rules) = (Arc::new(Views::of(binding)), Arc::new(rules));
    let tool =
        |action| -> SharedTool { Arc::new(FileTool::new(action, views.clone(), rules.clone())) };
    // Each tool decides about approval by itself, since it depends on the path.
    Ok(Bound::of(chosen.into_iter().map(tool).collect()))
}

/// The files that a worker can pass to the workers it calls. `None` if its file doesn't mention files.
pub fn seen(binding: &Binding<'_>) -> Option<Box<dyn SeenFiles>> {
    let worker = binding.worker;
    let config = worker.toolsets.get(&*TOOLSET.name);
    if config.is_none() && worker.sandbox == FileSandbox::default() {
        return None;
    }
    // The toolset reports invalid settings.
    let (_, rules) = read(binding, config.cloned().flatten().unwrap_or_default()).ok()?;
    let views = Views::of(binding);
    Some(Box::new(Seen { views, rules }))
}

/// A worker's view of files, and its approval settings for reading.
struct Seen {
    views: Views,
    rules: Rules,
}

impl SeenFiles for Seen {
    fn view(&self, context: &ToolContext) -> Result<Sandbox, FilesError> {
        self.views.seen(context)
    }

    fn setting(&self, path: &str) -> Option<Setting> {
        let path = VirtualPath::parse(path).ok();
        self.rules.of(Action::Read, path.as_ref())
    }

    fn tool(&self) -> &str {
        Action::Read.name()
    }
}

/// The chosen tools and approval rules of the settings.
fn read(binding: &Binding<'_>, config: Value) -> Result<(Vec<Action>, Rules), String> {
    let Config { tools, approval } = settings(config)?;
    let paths = approval.paths;
    let approval = Approval {
        default: approval.default,
        tools: approval.tools,
    };
    approval.check(&names())?;
    let named = |name: &String| Action::named(name).ok_or_else(|| unknown("tool", name, names()));
    let path = |(path, setting): (String, Setting)| {
        let path = VirtualPath::parse(&path).map_err(|error| format!("approval.paths: {error}"));
        Ok((path?, setting))
    };
    let rules = Rules {
        approval,
        paths: paths.into_iter().map(path).collect::<Result<_, String>>()?,
        sandbox: binding.worker.sandbox.approval,
    };
    let chosen = match tools {
        None => Action::ALL.to_vec(),
        Some(names) => names.iter().map(named).collect::<Result<_, _>>()?,
    };
    Ok((chosen, rules))
}

#[cfg(test)]
#[path = "filesystem_tests.rs"]
mod tests;
