//! The state of a chat with one worker.

use alfred_core::{RunId, Taint};
use serde::{Deserialize, Serialize};

/// The state of a chat, apart from its exchanges.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chat {
    /// The worker's name, if the thread is a chat with a worker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker: Option<String>,
    /// Summary of the exchanges before those kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<Summary>,
    /// Input tokens of the last run's first turn, as counted by the provider. Later turns of a run
    /// contain tool results that no exchange keeps.
    pub context_tokens: u64,
    /// Number of changes to the remembered conversation. A run uses it to notice changes since it began.
    pub changes: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    pub text: String,
    #[serde(default, skip_serializing_if = "Taint::is_empty")]
    pub taint: Taint,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exchange {
    pub request: String,
    pub answer: String,
    #[serde(default, skip_serializing_if = "Taint::is_empty")]
    pub taint: Taint,
    /// Whether the request contains quotes or other text not written by the owner.
    #[serde(default, skip_serializing_if = "is_false")]
    pub quotes: bool,
    /// The run that answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
}

fn is_false(value: &bool) -> bool {
    !value
}
