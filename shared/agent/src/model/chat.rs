//! The state of a chat with one worker.

use alfred_core::{RunId, Taint};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chat {
    pub worker: Option<String>,
    pub summary: Option<Summary>,
    /// Of the last run's first turn, since later ones contain tool results that aren't kept.
    pub context_tokens: u64,
    /// Number of changes, by which a run notices those since it began.
    pub changes: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    pub text: String,
    pub taint: Taint,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exchange {
    pub request: String,
    pub answer: String,
    pub taint: Taint,
    /// The request contains text not written by the owner.
    pub quotes: bool,
    pub run: Option<RunId>,
}
