use serde_json::{Map, Value};
use thiserror::Error;

use crate::model::effect::Flow;
use crate::policy::tool_def::ToolDef;

/// Why a call wasn't done, with advice for another try.
#[derive(Clone, Debug, Default, PartialEq, Error)]
#[error("{message}")]
pub struct Refusal {
    /// Message for the model.
    pub message: String,
    /// Message for the person, without names of arguments, tools and ids. `None` if `message` has
    /// none either.
    pub say: Option<String>,
    pub data: Map<String, Value>,
    pub options: Vec<String>,
    /// The flow of the message. It may contain data that the tool read, so by default the tool's
    /// flow applies.
    pub flow: Option<Flow>,
    /// The kind of failure, for the audit.
    pub kind: Option<&'static str>,
}

impl Refusal {
    pub fn say(mut self, words: impl Into<String>) -> Self {
        self.say = Some(words.into());
        self
    }

    pub fn said(self) -> String {
        self.say.unwrap_or(self.message)
    }

    /// Sets the tool's flow, if none is set, for a refusal that may contain stored data.
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
