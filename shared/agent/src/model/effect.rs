use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Field of a result that names what was undone: `RUN` or `RUN:CALL`.
pub const UNDONE: &str = "undone";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    #[default]
    Read,
    ReversibleWrite,
    Outward,
    Destructive,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flow {
    pub private: bool,
    pub untrusted: bool,
    /// Sends its arguments to a third party, although it only reads.
    pub leaves: bool,
    /// Its writes guide later runs, so untrusted text must not get in unseen.
    pub steers: bool,
}

impl Flow {
    /// Nobody's data: the time, a calculation.
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
    /// Public text from other people.
    pub const FOREIGN: Self = Self {
        untrusted: true,
        ..Self::NEUTRAL
    };
    /// Private text from other people; the default.
    pub const UNKNOWN: Self = Self {
        private: true,
        untrusted: true,
        ..Self::NEUTRAL
    };

    /// The owner's stored data; untrusted too if a tainted run wrote it.
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
    /// A channel, a person, a day.
    pub place: String,
    pub provider_id: Option<String>,
    pub link: Option<String>,
    pub at: Option<Timestamp>,
    pub undo: Vec<UndoCall>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UndoCall {
    pub tool: String,
    pub arguments: Value,
    /// The state that the effect left. If it was changed since, the undo is refused.
    pub left: Option<Value>,
}
