use alfred_core::policy::Mode;
use alfred_core::{ScheduleId, SlackContext, TeamInput, UserContext, WorkerInput};
use jiff::Timestamp;
use jiff::civil::DateTime;
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "contract", rename_all = "snake_case")]
pub enum RunInput {
    Worker(WorkerInput),
    Team(TeamInput),
}

impl RunInput {
    pub fn prompt(&self) -> &str {
        match self {
            Self::Worker(input) => &input.task_prompt,
            Self::Team(input) => &input.task_prompt,
        }
    }

    /// Content of the request that its author didn't type.
    pub fn carried(&self) -> Vec<&'static str> {
        let Self::Worker(input) = self else {
            return Vec::new();
        };
        let kinds = [("files", !input.files.is_empty()), ("quote", input.quotes)];
        let there = kinds.into_iter().filter(|(_, there)| *there);
        there.map(|(kind, _)| kind).collect()
    }

    pub fn worker(&self) -> &str {
        match self {
            Self::Worker(_) => "utility",
            Self::Team(input) => &input.team,
        }
    }

    pub fn user(&self) -> &UserContext {
        match self {
            Self::Worker(input) => &input.user_context,
            Self::Team(input) => &input.user_context,
        }
    }

    pub(crate) fn user_mut(&mut self) -> &mut UserContext {
        match self {
            Self::Worker(input) => &mut input.user_context,
            Self::Team(input) => &mut input.user_context,
        }
    }

    pub fn slack(&self) -> &SlackContext {
        match self {
            Self::Worker(input) => &input.slack_context,
            Self::Team(input) => &input.slack_context,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum Work {
    #[default]
    Agent,
    Call(DirectCall),
    Say {
        text: String,
        /// From then on it isn't posted.
        until: Option<Timestamp>,
        /// Addresses in the text that stay links, even in a tainted run.
        links: Vec<String>,
    },
    Program {
        /// `Snapshot::digest`.
        digest: String,
        chat: bool,
        /// The owner's approval mode; the administrator's also applies.
        approval: Mode,
        /// Nobody can be asked, so calls that need approval are denied.
        headless: bool,
    },
}

impl Work {
    pub fn is_chat(&self) -> bool {
        matches!(self, Self::Program { chat: true, .. })
    }

    /// A worker file outside a chat gets no earlier exchanges.
    pub fn reads_memory(&self) -> bool {
        match self {
            Self::Agent => true,
            Self::Program { chat, .. } => *chat,
            Self::Call(_) | Self::Say { .. } => false,
        }
    }

    pub fn is_by_hand(&self) -> bool {
        matches!(self, Self::Call(_) | Self::Say { .. })
    }

    pub fn approval(&self) -> Mode {
        match self {
            Self::Program { approval, .. } => *approval,
            Self::Agent | Self::Call(_) | Self::Say { .. } => Mode::default(),
        }
    }

    pub fn is_headless(&self) -> bool {
        matches!(self, Self::Program { headless: true, .. })
    }

    pub fn say(text: impl Into<String>) -> Self {
        Self::Say {
            text: text.into(),
            until: None,
            links: Vec::new(),
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DirectCall {
    pub tool: String,
    pub arguments: Value,
    /// Set if the click that made the call approved it (`approval::memory_key`).
    pub consent: Option<String>,
    /// For an undo call: the state that the effect left.
    pub left: Option<Value>,
    /// The caller prints the result; Slack shows only the effects.
    pub printed: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Offered {
    pub tool: String,
    pub arguments: String,
    pub given: String,
}

/// A model's answer that sends nothing.
pub const NOTHING: &str = "NOTHING_TO_REPORT";

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobOccurrence {
    pub id: ScheduleId,
    pub name: String,
    /// The local time it was due, if it runs noticeably later.
    pub missed: Option<DateTime>,
}
