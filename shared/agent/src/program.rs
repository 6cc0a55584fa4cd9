//! The agents that work on one run together, and the texts that a run keeps of them.

use alfred_core::Failure;
use alfred_core::digest::{canonical_json, sha256_hex};
use alfred_core::ports::Write;
use alfred_core::{RunId, TeamId, keys};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use crate::agent::Agent;
use crate::frame::{self, Frame};
use crate::rounds::Rounds;
use crate::row::{ROW_VERSION, body};
use crate::step::Step;

/// The agents of a run: the one it is given to, and those that may be called from it, by name (seed 004 §1.2).
pub struct Program {
    /// Its name; empty for an agent alone.
    pub name: String,
    /// Whom the run is given to.
    pub own: Agent,
    /// Who may be delegated to. Of them each agent calls those for which it has a tool.
    pub workers: BTreeMap<String, Agent>,
    /// How far they may delegate.
    pub delegation: Delegating,
    /// Who reviews whom, where the program's own agent works in rounds.
    pub rounds: Option<Rounds>,
}

impl Program {
    /// Who was called down to this frame, from the run's own agent on.
    pub(crate) fn path<'a>(&'a self, steps: &'a [Step], frame: &Frame) -> Vec<&'a str> {
        let called = frame::workers(steps, frame);
        [&*self.own.name].into_iter().chain(called).collect()
    }

    /// How an administrator's policy names one of its agents: `PROGRAM/WORKER`, or the agent's own name where it is alone.
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

/// How far agents may delegate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delegating {
    /// Levels below the run's own agent (annex 3).
    pub max_depth: usize,
    /// Delegations of one run, at all levels together.
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

/// The worker files of a program as they were when a run began, so that any release goes on with the same words.
/// A row beside the run's, which goes with it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The program, which names its workers to an administrator: `NAME/WORKER`.
    pub name: String,
    /// Its settings, where it has any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<Source>,
    /// Its worker files; the first is the one the run is given to.
    pub workers: Vec<Source>,
    /// Which model answers a worker, where the command line or the program's settings say so (`provider:model`, by
    /// the worker's name), as it was decided when the run began.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub models: BTreeMap<String, String>,
    /// Other files that its workers name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<Source>,
    /// Where its files are, of a program that was found on a disk; without it they are its person's stored ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<Folder>,
}

/// A folder of the machine on which a program was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Folder {
    /// As the machine names it, absolute.
    pub root: String,
    /// Whether it is only read.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub readonly: bool,
}

/// A file of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Where it was, for errors.
    pub path: String,
    /// All of it.
    pub text: String,
}

impl Snapshot {
    /// Of these worker files, as path and text; the first is the one a run is given to.
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

    /// SHA-256 of all that stands in it.
    ///
    /// # Errors
    /// `Bug` when it can't be written as JSON.
    pub fn digest(&self) -> Result<String, Failure> {
        let text = canonical_json(self).map_err(Failure::bug)?;
        Ok(sha256_hex(text.as_bytes()))
    }

    /// The write that keeps it beside a run.
    ///
    /// # Errors
    /// `Bug` when it can't be written as JSON.
    pub fn write(&self, team: &TeamId, run: &RunId) -> Result<Write, Failure> {
        let mut row = body(self)?;
        row["v"] = ROW_VERSION.into();
        Ok(Write::create(keys::program(team, run), row))
    }
}
