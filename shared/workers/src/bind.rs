//! Builds a program's agents from its worker files and the available toolsets.

use alfred_agent::model::{Snapshot, Source};
use alfred_agent::{Agent, Limits, Program, Toolbox};
use serde_json::Value;
use std::collections::BTreeMap;
use thiserror::Error;

use crate::file::{FileError, WorkerFile};
use crate::problem::Problem;
use crate::program::Settings;
use crate::prompt::system_prompt;
use crate::registry::{Binding, Bound, Registry};
use crate::skills;

#[derive(Debug, Error)]
pub enum BindError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("a program without a worker")]
    Empty,
    /// An unknown toolset, invalid settings of one, or two tools of one name.
    #[error("worker {worker}: {wrong}")]
    Toolset { worker: String, wrong: String },
}

/// Builds the program of these files. Its first worker is the entry. An error for an unreadable file or an
/// unknown toolset, tool or worker.
pub fn program(snapshot: &Snapshot, registry: &Registry<'_>) -> Result<Program, BindError> {
    let settings = Settings::of(snapshot)?;
    let mut files: Vec<WorkerFile> = Vec::with_capacity(snapshot.workers.len());
    for source in &snapshot.workers {
        let file = WorkerFile::parse(&source.path, &source.text)?;
        if let Some(first) = files.iter().position(|known| known.name == file.name) {
            let (name, first) = (file.name, &snapshot.workers[first].path);
            let reason = format!("there is a worker \"{name}\" already, in {first}");
            return Err(FileError::of(&source.path)(reason).into());
        }
        files.push(file);
    }
    let by_name: BTreeMap<&str, &WorkerFile> =
        files.iter().map(|file| (&*file.name, file)).collect();
    let mut agents = Vec::with_capacity(files.len());
    for (file, source) in files.iter().zip(&snapshot.workers) {
        let binding = Binding {
            worker: file,
            path: &source.path,
            workers: &by_name,
            program: snapshot,
            entry: &files[0].name,
        };
        let mut agent = agent(&binding, registry)?;
        agent.model = snapshot.models.get(&file.name).cloned().or(agent.model);
        agents.push(agent);
    }
    let mut agents = agents.into_iter();
    Ok(Program {
        name: snapshot.name.clone(),
        own: agents.next().ok_or(BindError::Empty)?,
        workers: agents.map(|agent| (agent.name.clone(), agent)).collect(),
        max_depth: settings.max_depth(),
        rounds: files.first().and_then(|file| file.delegation()?.rounds),
    })
}

/// The agent of a single worker file. An error for an unknown toolset or tool.
pub fn alone(file: &WorkerFile, registry: &Registry<'_>) -> Result<Agent, BindError> {
    agent(&Binding::of(file, &Snapshot::default()), registry)
}

/// All problems in the toolset settings of a program's workers, with their places.
pub fn problems(snapshot: &Snapshot, registry: &Registry<'_>) -> Vec<Problem> {
    let files = snapshot.workers.iter().filter_map(|source| {
        let file = WorkerFile::parse(&source.path, &source.text);
        Some((source, file.ok()?))
    });
    let files: Vec<(&Source, WorkerFile)> = files.collect();
    let by_name = files.iter().map(|(_, file)| (&*file.name, file)).collect();
    let mut problems = Vec::new();
    for (source, worker) in &files {
        let binding = Binding {
            worker,
            path: &source.path,
            workers: &by_name,
            program: snapshot,
            entry: files.first().map_or("", |(_, first)| &first.name),
        };
        let mut wrong = |keys: &[&str], words: String| {
            problems.push(Problem::below(source, keys, words));
        };
        let mut tools = Vec::new();
        for (toolset, config) in &worker.toolsets {
            match bound(&binding, registry, toolset, config.as_ref()) {
                Ok(bound) => tools.extend(bound.tools),
                Err(words) => wrong(&["toolsets", toolset], words),
            }
        }
        if let Err(error) = Toolbox::new(tools) {
            wrong(&["toolsets"], error.to_string());
        }
    }
    problems
}

fn bound(
    binding: &Binding<'_>,
    registry: &Registry<'_>,
    toolset: &str,
    config: Option<&Value>,
) -> Result<Bound, String> {
    let factory = registry.get(toolset)?;
    let bound = factory(binding, config.cloned().unwrap_or_default());
    bound.map_err(|wrong| format!("toolsets.{toolset}: {wrong}"))
}

fn agent(binding: &Binding<'_>, registry: &Registry<'_>) -> Result<Agent, BindError> {
    let worker = binding.worker.name.clone();
    try_agent(binding, registry).map_err(|wrong| BindError::Toolset { worker, wrong })
}

fn try_agent(binding: &Binding<'_>, registry: &Registry<'_>) -> Result<Agent, String> {
    let (mut tools, mut approval) = (Vec::new(), BTreeMap::new());
    let file = binding.worker;
    for (toolset, config) in &file.toolsets {
        let bound = bound(binding, registry, toolset, config.as_ref())?;
        tools.extend(bound.tools);
        approval.extend(bound.approval);
    }
    let instructions = file.instructions.clone() + &skills::introduced(binding);
    Ok(Agent {
        name: file.name.clone(),
        prompt: Box::new(move |run, tools| system_prompt(&instructions, run, tools, run.began())),
        tools: Toolbox::new(tools).map_err(|error| error.to_string())?,
        limits: limits(file),
        model: file.model.clone(),
        approval,
        attachments: file.attachment_policy.clone(),
    })
}

/// The limits of a worker: its file's, otherwise the defaults.
pub fn limits(file: &WorkerFile) -> Limits {
    let defaults = Limits::default();
    let said = &file.limits;
    Limits {
        max_iterations: said.max_iterations.unwrap_or(defaults.max_iterations),
        max_tokens: said.max_tokens.unwrap_or(defaults.max_tokens),
        max_cost_micros: said.max_cost_usd.map(micros).or(defaults.max_cost_micros),
        max_context_tokens: Some(file.max_context_tokens),
        ..defaults
    }
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked positive and finite when the file was read; the cast saturates"
)]
fn micros(dollars: f64) -> u64 {
    (dollars * 1e6).round() as u64
}

#[cfg(test)]
#[path = "bind_tests.rs"]
mod tests;
