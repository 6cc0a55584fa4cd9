//! What a run is to do, and who does it.

use alfred_core::policy::Mode;
use alfred_core::{SlackContext, TeamInput, UserContext, WorkerInput};
use jiff::Timestamp;
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

    /// The kinds of content in the request that its author didn't type: files and quotes.
    pub fn carried(&self) -> Vec<&'static str> {
        let Self::Worker(input) = self else {
            return Vec::new();
        };
        let kinds = [("files", !input.files.is_empty()), ("quote", input.quotes)];
        let there = kinds.into_iter().filter(|(_, there)| *there);
        there.map(|(kind, _)| kind).collect()
    }

    /// The worker's name for the audit.
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

    pub fn slack(&self) -> &SlackContext {
        match self {
            Self::Worker(input) => &input.slack_context,
            Self::Team(input) => &input.slack_context,
        }
    }
}

/// What a run executes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum Work {
    /// The agent that serves the run's queue.
    #[default]
    Agent,
    /// One tool call given by the person, without a model.
    Call(DirectCall),
    Say {
        text: String,
        /// From then on the text is outdated and isn't posted.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until: Option<Timestamp>,
        /// Addresses in the text that stay links, even in a tainted run.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        links: Vec<String>,
    },
    /// The program stored with the run; its first worker starts.
    Program {
        /// Digest of the program's files (`program::Snapshot::digest`).
        digest: String,
        /// Whether the run belongs to a chat with that worker.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        chat: bool,
        /// The owner's approval mode; the administrator's also applies.
        #[serde(default, skip_serializing_if = "is_interactive")]
        approval: Mode,
        /// Whether nobody can be asked, so that calls needing approval are denied.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        headless: bool,
    },
}

impl Work {
    /// Whether it belongs to a chat with one worker.
    pub fn is_chat(&self) -> bool {
        matches!(self, Self::Program { chat: true, .. })
    }

    /// Whether a model of the run is shown the conversation's earlier exchanges. A worker file outside a chat gets none.
    pub fn reads_memory(&self) -> bool {
        match self {
            Self::Agent => true,
            Self::Program { chat, .. } => *chat,
            Self::Call(_) | Self::Say { .. } => false,
        }
    }

    /// Whether no model is involved, so that no conversation memory is read.
    pub fn is_by_hand(&self) -> bool {
        matches!(self, Self::Call(_) | Self::Say { .. })
    }

    pub fn approval(&self) -> Mode {
        match self {
            Self::Program { approval, .. } => *approval,
            Self::Agent | Self::Call(_) | Self::Say { .. } => Mode::default(),
        }
    }

    /// Whether nobody can be asked.
    pub fn is_headless(&self) -> bool {
        matches!(self, Self::Program { headless: true, .. })
    }

    /// A fixed text without expiry or links.
    pub fn say(text: impl Into<String>) -> Self {
        Self::Say {
            text: text.into(),
            until: None,
            links: Vec::new(),
        }
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_interactive(mode: &Mode) -> bool {
    *mode == Mode::Interactive
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DirectCall {
    pub tool: String,
    pub arguments: Value,
    /// Set if the click that made this call also approved it: the hash of tool and canonical
    /// arguments (`approval::memory_key`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consent: Option<String>,
    /// For an undo call: the state that the effect left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<Value>,
    /// Whether the caller prints the result itself. Slack then shows only the effects.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub printed: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Offered {
    pub tool: String,
    /// The arguments as the model wrote them.
    pub arguments: String,
    /// The result as the model read it.
    pub given: String,
}
