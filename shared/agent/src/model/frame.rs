//! Frames: delegated workers run inside their caller's run, with the same budget, journal, taint
//! and audit chain.

use serde::{Deserialize, Serialize};

/// An agent inside a run: the ids of the delegation calls that lead to it, outermost first. Empty
/// for the run's own agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Frame(pub Vec<String>);

impl Frame {
    pub fn is_own(&self) -> bool {
        self.0.is_empty()
    }

    /// The frame of the worker that this call delegates to.
    pub fn called(&self, call_id: &str) -> Self {
        let ids = self.0.iter().cloned();
        Self(ids.chain([call_id.to_owned()]).collect())
    }

    /// Number of delegations from the run's own agent.
    pub fn depth(&self) -> usize {
        self.0.len()
    }

    /// Whether it is `outer` or was called from it, at any depth.
    pub fn is_within(&self, outer: &Self) -> bool {
        self.0.starts_with(&outer.0)
    }

    /// This frame and its callers, innermost first.
    pub fn and_callers(&self) -> impl Iterator<Item = Self> {
        (0..=self.0.len())
            .rev()
            .map(|depth| Self(self.0[..depth].to_vec()))
    }
}
