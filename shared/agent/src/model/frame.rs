//! Delegated workers run inside their caller's run.

use serde::{Deserialize, Serialize};

/// The delegation calls that lead to an agent, outermost first; none for the run's own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Frame(pub Vec<String>);

impl Frame {
    pub fn is_own(&self) -> bool {
        self.0.is_empty()
    }

    pub fn called(&self, call_id: &str) -> Self {
        let ids = self.0.iter().cloned();
        Self(ids.chain([call_id.to_owned()]).collect())
    }

    pub fn depth(&self) -> usize {
        self.0.len()
    }

    pub fn is_within(&self, outer: &Self) -> bool {
        self.0.starts_with(&outer.0)
    }

    /// Innermost first.
    pub fn and_callers(&self) -> impl Iterator<Item = Self> {
        (0..=self.0.len())
            .rev()
            .map(|depth| Self(self.0[..depth].to_vec()))
    }
}
