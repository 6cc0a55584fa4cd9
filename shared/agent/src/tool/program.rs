//! Programs: the agents that work on a run together, and the copy of their files stored with the run.

use alfred_core::Failure;
use alfred_core::digest::{canonical_json, sha256_hex};
use alfred_core::ports::Write;
use alfred_core::{RunId, TeamId, keys};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use crate::model::frame::{self, Frame};
use crate::model::step::Step;
use crate::runner::rounds::Rounds;
use crate::store::row::{ROW_VERSION, body};
use crate::tool::agent::Agent;

pub struct Program {
    /// Name of the program; empty for a single agent.
    pub name: String,
    /// The agent that the run starts with.
    pub own: Agent,
    /// Agents to delegate to, by name. An agent can call those for which it has a tool.
    pub workers: BTreeMap<String, Agent>,
    pub delegation: Delegating,
    /// The reviewer and writer, if the program works in rounds.
    pub rounds: Option<Rounds>,
}

impl Program {
    /// The agent names from the run's own agent down to this frame.
    pub(crate) fn path<'a>(&'a self, steps: &'a [Step], frame: &Frame) -> Vec<&'a str> {
        let called = frame::workers(steps, frame);
        [&*self.own.name].into_iter().chain(called).collect()
    }

    /// The agent's name in an administrator's policy: `PROGRAM/WORKER`, or its own name if it isn't
    /// part of a program.
    pub fn policy_name(&self, agent: &Agent) -> String {
        match self.name.as_str() {
            "" => agent.name.clone(),
            program => format!("{program}/{}", agent.name),
        }
    }
}

impl From<Agent> for Program {
    fn from(own: Agent) -> Self {
        Self {
            name: String::new(),
            own,
            workers: BTreeMap::new(),
            delegation: Delegating::default(),
            rounds: None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delegating {
    /// Levels below the run's own agent.
    pub max_depth: usize,
    /// Delegations of a run at all levels together.
    pub most: usize,
}

impl Default for Delegating {
    fn default() -> Self {
        Self {
            max_depth: 5,
            most: 30,
        }
    }
}

/// A program's files when a run began, so that the run continues with the same texts under any
/// release. Stored in a row beside the run's and deleted with it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The program's name. Policies name its workers `NAME/WORKER`.
    pub name: String,
    /// The program's settings file, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<Source>,
    /// Its worker files. The run starts with the first.
    pub workers: Vec<Source>,
    /// The model of a worker (`provider:model`) by the worker's name, from the command line or the
    /// settings when the run began.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub models: BTreeMap<String, String>,
    /// Other files that its workers refer to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<Source>,
    /// The folder of a program on disk. `None` if its files are in its owner's storage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<Folder>,
}

/// The folder of a program on a machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Folder {
    pub root: String,
    /// Whether the program may only read it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub readonly: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// The file's path, for error messages.
    pub path: String,
    pub text: String,
}

impl Snapshot {
    /// A snapshot of worker files given as path and text. The run starts with the first.
    pub fn of<'a>(name: &str, workers: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let source = |(path, text): (&str, &str)| Source {
            path: path.to_owned(),
            text: text.to_owned(),
        };
        Self {
            name: name.to_owned(),
            settings: None,
            workers: workers.into_iter().map(source).collect(),
            models: BTreeMap::new(),
            beside: Vec::new(),
            folder: None,
        }
    }

    pub fn digest(&self) -> Result<String, Failure> {
        let text = canonical_json(self).map_err(Failure::bug)?;
        Ok(sha256_hex(text.as_bytes()))
    }

    /// The write that stores it with a run.
    pub fn write(&self, team: &TeamId, run: &RunId) -> Result<Write, Failure> {
        let mut row = body(self)?;
        row["v"] = ROW_VERSION.into();
        Ok(Write::create(keys::program(team, run), row))
    }
}
