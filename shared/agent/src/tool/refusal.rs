//! Why nothing was done.

use serde_json::{Map, Value};
use thiserror::Error;

use super::{Flow, ToolDef};

/// Why nothing was done, and what may help to do it otherwise.
#[derive(Clone, Debug, Default, PartialEq, Error)]
#[error("{message}")]
pub struct Refusal {
    /// In words, for a model.
    pub message: String,
    /// The same for a person, without names of arguments, tools and ids; as for a model when there are none in it.
    pub say: Option<String>,
    /// Fields of the result beside `success` and `error`.
    pub data: Map<String, Value>,
    /// What a person may choose between.
    pub options: Vec<String>,
    /// What it brings in, where it is known better than for the tool as a whole. It tells of what the
    /// tool looked at, so without this it counts as the tool's results do.
    pub flow: Option<Flow>,
    /// What kind of failure it is, for the audit.
    pub kind: Option<&'static str>,
}

impl Refusal {
    /// The same, and these words where a person reads it.
    pub fn say(mut self, words: impl Into<String>) -> Self {
        self.say = Some(words.into());
        self
    }

    /// As a person reads it.
    pub fn said(self) -> String {
        self.say.unwrap_or(self.message)
    }

    /// The same, of a tool that looked at what is stored before it said no.
    pub fn looked(mut self, def: &ToolDef) -> Self {
        self.flow.get_or_insert(def.flow);
        self
    }
}

impl From<&str> for Refusal {
    fn from(message: &str) -> Self {
        message.to_owned().into()
    }
}

impl From<String> for Refusal {
    fn from(message: String) -> Self {
        Self {
            message,
            ..Self::default()
        }
    }
}
