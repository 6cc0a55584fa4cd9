//! What a call does and which data it brings in or lets out.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    #[default]
    Read,
    /// Changes the owner's own data and can be undone.
    ReversibleWrite,
    Outward,
    Destructive,
}

/// Which data a tool brings into a run and lets out of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flow {
    /// Returns data that only the owner may see.
    pub private: bool,
    /// Returns text from other people or the web.
    pub untrusted: bool,
    /// Sends its arguments to a third party, although it only reads.
    pub leaves: bool,
    /// Its writes guide later runs, so untrusted text must not get in unseen.
    pub steers: bool,
}

impl Flow {
    /// Returns nobody's data: the time, a calculation.
    pub const NEUTRAL: Self = Self {
        private: false,
        untrusted: false,
        leaves: false,
        steers: false,
    };
    pub const PRIVATE: Self = Self {
        private: true,
        ..Self::NEUTRAL
    };
    /// Returns public text from other people.
    pub const FOREIGN: Self = Self {
        untrusted: true,
        ..Self::NEUTRAL
    };
    /// Returns private text from other people. The default for tools without a flow.
    pub const UNKNOWN: Self = Self {
        private: true,
        untrusted: true,
        ..Self::NEUTRAL
    };

    /// The flow of the owner's stored data: untrusted too if a tainted run wrote it.
    pub const fn of_stored(tainted: bool) -> Self {
        if tainted {
            Self::UNKNOWN
        } else {
            Self::PRIVATE
        }
    }

    pub const fn leaving(mut self) -> Self {
        self.leaves = true;
        self
    }

    pub const fn steering(mut self) -> Self {
        self.steers = true;
        self
    }
}

/// Evidence of an effect. It is rendered without the model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Receipt {
    pub what: String,
    /// Where the effect can be seen: a channel, a person, a day.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub place: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// The undo calls, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undo: Vec<UndoCall>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UndoCall {
    pub tool: String,
    pub arguments: Value,
    /// The state that the effect left, as the undo tool sees it. If it was changed since, the undo
    /// is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<Value>,
}
