//! Makes an agent of a worker file and the tools there are.

use alfred_agent::tool::SharedTool;
use alfred_agent::{Agent, Limits, Toolbox};
use std::collections::BTreeSet;
use thiserror::Error;

use crate::file::{FileError, WorkerFile};
use crate::prompt::system_prompt;

/// Why a worker file makes no agent.
#[derive(Debug, Error)]
pub enum BindError {
    /// It can't be read.
    #[error(transparent)]
    File(#[from] FileError),
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
    /// It names a tool that isn't in the toolset.
    #[error("worker {worker}: toolset {toolset} has no tool \"{tool}\"; it has: {valid}")]
    Tool {
        /// The worker.
        worker: String,
        /// The toolset.
        toolset: String,
        /// The name.
        tool: String,
        /// The names that would do.
        valid: String,
    },
    /// Two tools have one name.
    #[error(transparent)]
    Duplicate(#[from] alfred_agent::agent::DuplicateTool),
}

/// The agent that the text of a worker file describes. `path` is for error messages.
///
/// # Errors
/// When the file can't be read, or names toolsets or tools that aren't there.
pub fn from_text(path: &str, text: &str, catalogue: &[SharedTool]) -> Result<Agent, BindError> {
    agent(WorkerFile::parse(path, text)?, catalogue)
}

/// The agent a worker file describes, with its toolsets out of a catalogue.
///
/// # Errors
/// When it names toolsets or tools that aren't there.
pub fn agent(file: WorkerFile, catalogue: &[SharedTool]) -> Result<Agent, BindError> {
    let mut tools: Vec<SharedTool> = Vec::new();
    for (toolset, config) in &file.toolsets {
        let of_set: Vec<&SharedTool> = catalogue
            .iter()
            .filter(|tool| tool.def().toolset.name == *toolset)
            .collect();
        if of_set.is_empty() {
            return Err(BindError::Toolset {
                worker: file.name,
                toolset: toolset.clone(),
                valid: names(catalogue.iter().map(|tool| &*tool.def().toolset.name)),
            });
        }
        match config.as_ref().and_then(|config| config.tools.as_ref()) {
            None => tools.extend(of_set.into_iter().cloned()),
            Some(chosen) => {
                for name in chosen {
                    let found = of_set.iter().find(|tool| tool.def().name == *name);
                    let Some(tool) = found else {
                        return Err(BindError::Tool {
                            worker: file.name.clone(),
                            toolset: toolset.clone(),
                            tool: name.clone(),
                            valid: names(of_set.iter().map(|tool| &*tool.def().name)),
                        });
                    };
                    tools.push((*tool).clone());
                }
            }
        }
    }
    let defaults = Limits::default();
    let limits = Limits {
        max_iterations: file
            .limits
            .max_iterations
            .unwrap_or(defaults.max_iterations),
        max_tokens: file.limits.max_tokens.unwrap_or(defaults.max_tokens),
        max_cost_micros: file
            .limits
            .max_cost_usd
            .map(micros)
            .or(defaults.max_cost_micros),
        ..defaults
    };
    let instructions = file.instructions;
    Ok(Agent {
        name: file.name,
        prompt: Box::new(move |run, tools| system_prompt(&instructions, run, tools, run.began())),
        tools: Toolbox::new(tools)?,
        limits,
    })
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked positive and finite when the file was read; the cast saturates"
)]
fn micros(dollars: f64) -> u64 {
    (dollars * 1e6).round() as u64
}

fn names<'a>(all: impl Iterator<Item = &'a str>) -> String {
    let unique: BTreeSet<&str> = all.collect();
    unique.into_iter().collect::<Vec<_>>().join(", ")
}
