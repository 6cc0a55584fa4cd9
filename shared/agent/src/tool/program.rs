//! The agents that work on a run together.

use serde::Deserialize;
use std::collections::BTreeMap;

use crate::tool::agent::Agent;

pub const MAX_DEPTH: usize = 5;
/// Delegations of a run at all levels together.
pub(crate) const MAX_DELEGATIONS: usize = 30;

pub struct Program {
    pub name: String,
    pub own: Agent,
    /// An agent can call those for which it has a tool.
    pub workers: BTreeMap<String, Agent>,
    /// Levels of delegation below the run's own agent.
    pub max_depth: usize,
    pub rounds: Option<Rounds>,
}

impl Program {
    /// `PROGRAM/WORKER`, or its own name outside a program.
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
            max_depth: MAX_DEPTH,
            rounds: None,
        }
    }
}

/// A round is a review and the following revision. One more review checks the last revision, and
/// factual errors may be fixed once more.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rounds {
    pub default: u32,
    pub reviewer: String,
    pub writer: String,
}

impl Rounds {
    /// How often a worker may be called; `None` for no limit.
    pub fn most(&self, worker: &str, rounds: u32) -> Option<u32> {
        let beyond = u32::from(rounds > 0);
        match worker {
            _ if worker == self.reviewer => Some(rounds + beyond),
            _ if worker == self.writer => Some(1 + rounds + beyond),
            _ => None,
        }
    }
}
