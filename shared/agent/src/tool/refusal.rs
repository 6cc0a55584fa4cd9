use serde_json::{Map, Value};
use thiserror::Error;

use crate::model::effect::Flow;
use crate::model::step::Unclear;
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
    /// The reason to show in the ledger, for a call that was checked but not run.
    pub unclear: Option<Unclear>,
}

impl Refusal {
    pub fn say(mut self, words: impl Into<String>) -> Self {
        self.say = Some(words.into());
        self
    }

    /// Sets the reason for the ledger, if none is set.
    pub(crate) fn unclear(mut self, reason: Unclear) -> Self {
        self.unclear.get_or_insert(reason);
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
