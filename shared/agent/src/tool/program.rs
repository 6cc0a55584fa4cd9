//! Programs: the agents that work on a run together, and the copy of their files stored with the run.

use serde::Deserialize;
use std::collections::BTreeMap;

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

/// The writer and the reviewer of a program. A round is a review and the following revision. One more review
/// checks the last revision, and factual errors may be fixed once more. With 0 rounds nothing is reviewed.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rounds {
    /// Rounds if the request doesn't say.
    pub default: u32,
    pub reviewer: String,
    pub writer: String,
}

impl Rounds {
    /// How often a worker may be called in this many rounds. `None` for no limit.
    pub fn most(&self, worker: &str, rounds: u32) -> Option<u32> {
        let beyond = u32::from(rounds > 0);
        if worker == self.reviewer {
            Some(rounds + beyond)
        } else if worker == self.writer {
            Some(1 + rounds + beyond)
        } else {
            None
        }
    }
}
