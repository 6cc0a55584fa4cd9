//! Makes the agents of a program of its worker files and the toolsets there are.

use alfred_agent::program::{Delegating, Program, Snapshot};
use alfred_agent::{Agent, Limits, Toolbox};
use std::collections::BTreeMap;
use thiserror::Error;

use crate::file::{FileError, WorkerFile};
use crate::program::Settings;
use crate::prompt::system_prompt;
use crate::registry::{Binding, Registry};

/// Why worker files make no program.
#[derive(Debug, Error)]
pub enum BindError {
    /// One of them can't be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// Two workers have one name.
    #[error("{second}: there is a worker \"{worker}\" already, in {first}")]
    TwoWorkers {
        /// The name.
        worker: String,
        /// Where it was first.
        first: String,
        /// Where it is again.
        second: String,
    },
    /// There is none.
    #[error("a program without a worker")]
    Empty,
    /// It names a toolset there isn't.
    #[error("worker {worker}: there is no toolset \"{toolset}\"; there are: {valid}")]
    Toolset {
        /// The worker.
        worker: String,
        /// The name.
        toolset: String,
        /// The names that would do.
        valid: String,
    },
    /// What it says about a toolset can't be used.
    #[error("worker {worker}: toolsets.{toolset}: {wrong}")]
    Config {
        /// The worker.
        worker: String,
        /// The toolset.
        toolset: String,
        /// What is wrong.
        wrong: String,
    },
    /// Two of its tools have one name.
    #[error("worker {worker}: {source}")]
    Duplicate {
        /// The worker.
        worker: String,
        /// Which.
        source: alfred_agent::agent::DuplicateTool,
    },
}

/// The program that these texts describe; its first worker is the one a run is given to.
///
/// # Errors
/// When one can't be read, or names toolsets, tools or workers that aren't there.
pub fn program(snapshot: &Snapshot, registry: &Registry<'_>) -> Result<Program, BindError> {
    let settings = Settings::of(snapshot)?;
    let mut files: Vec<WorkerFile> = Vec::with_capacity(snapshot.workers.len());
    for source in &snapshot.workers {
        let file = WorkerFile::parse(&source.path, &source.text)?;
        if let Some(first) = files.iter().position(|known| known.name == file.name) {
            return Err(BindError::TwoWorkers {
                worker: file.name,
                first: snapshot.workers[first].path.clone(),
                second: source.path.clone(),
            });
        }
        files.push(file);
    }
    let by_name: BTreeMap<&str, &WorkerFile> =
        files.iter().map(|file| (&*file.name, file)).collect();
    let mut agents = Vec::with_capacity(files.len());
    for (file, source) in files.iter().zip(&snapshot.workers) {
        agents.push(agent(
            &Binding {
                worker: file,
                path: &source.path,
                workers: &by_name,
                beside: &snapshot.beside,
                entry: &files[0].name,
                folder: snapshot.folder.as_ref(),
            },
            registry,
        )?);
    }
    let mut agents = agents.into_iter();
    Ok(Program {
        name: snapshot.name.clone(),
        own: agents.next().ok_or(BindError::Empty)?,
        workers: agents.map(|agent| (agent.name.clone(), agent)).collect(),
        delegation: Delegating {
            max_depth: settings.max_depth(),
            ..Delegating::default()
        },
        rounds: files.first().and_then(|file| file.delegation()?.rounds),
    })
}

/// The agent a worker file describes, by itself.
///
/// # Errors
/// When it names toolsets or tools that aren't there.
pub fn alone(file: &WorkerFile, registry: &Registry<'_>) -> Result<Agent, BindError> {
    agent(
        &Binding {
            worker: file,
            path: "",
            workers: &BTreeMap::new(),
            beside: &[],
            entry: &file.name,
            folder: None,
        },
        registry,
    )
}

fn agent(binding: &Binding<'_>, registry: &Registry<'_>) -> Result<Agent, BindError> {
    let (mut tools, mut approval) = (Vec::new(), BTreeMap::new());
    let file = binding.worker;
    for (toolset, config) in &file.toolsets {
        let factory = registry.get(toolset).ok_or_else(|| BindError::Toolset {
            worker: file.name.clone(),
            toolset: toolset.clone(),
            valid: registry.names(),
        })?;
        let bound = factory(binding, config.clone().unwrap_or_default());
        let bound = bound.map_err(|wrong| BindError::Config {
            worker: file.name.clone(),
            toolset: toolset.clone(),
            wrong,
        })?;
        tools.extend(bound.tools);
        approval.extend(bound.approval);
    }
    let instructions = file.instructions.clone();
    let tools = Toolbox::new(tools).map_err(|source| BindError::Duplicate {
        worker: file.name.clone(),
        source,
    })?;
    Ok(Agent {
        name: file.name.clone(),
        prompt: Box::new(move |run, tools| system_prompt(&instructions, run, tools, run.began())),
        tools,
        limits: limits(file),
        approval,
    })
}

/// How far a run of this worker may go: as its file says, else as any agent may.
#[must_use]
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
