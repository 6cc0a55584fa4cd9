//! What a run is to do, and who does it.

use alfred_core::policy::Mode;
use alfred_core::{SlackContext, TeamInput, UserContext, WorkerInput};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::files;

/// What a run is to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "contract", rename_all = "snake_case")]
pub enum RunInput {
    /// A person's request.
    Worker(WorkerInput),
    /// A team's part of a request.
    Team(TeamInput),
}

impl RunInput {
    /// The task in words.
    pub fn prompt(&self) -> &str {
        match self {
            Self::Worker(input) => &input.task_prompt,
            Self::Team(input) => &input.task_prompt,
        }
    }

    /// What a model is told of the files that came with it.
    pub fn files_note(&self) -> String {
        match self {
            Self::Worker(input) => files::note(&input.files),
            Self::Team(_) => String::new(),
        }
    }

    /// What came with a request that its author didn't type, and that the model is given, by kind.
    pub fn carried(&self) -> Vec<&'static str> {
        let Self::Worker(input) = self else {
            return Vec::new();
        };
        let kinds = [("files", !input.files.is_empty()), ("quote", input.quotes)];
        let there = kinds.into_iter().filter(|(_, there)| *there);
        there.map(|(kind, _)| kind).collect()
    }

    /// Who works on it, for the audit.
    pub fn worker(&self) -> &str {
        match self {
            Self::Worker(_) => "utility",
            Self::Team(input) => &input.team,
        }
    }

    /// For whom.
    pub fn user(&self) -> &UserContext {
        match self {
            Self::Worker(input) => &input.user_context,
            Self::Team(input) => &input.user_context,
        }
    }

    /// Where the answer goes.
    pub fn slack(&self) -> &SlackContext {
        match self {
            Self::Worker(input) => &input.slack_context,
            Self::Team(input) => &input.slack_context,
        }
    }
}

/// Who works on a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum Work {
    /// The agent behind the run's queue.
    #[default]
    Agent,
    /// Nobody thinks: one call of one tool, as the person gave it.
    Call(DirectCall),
    /// Nobody thinks: these words are the answer, as they are.
    Say {
        /// Markdown.
        text: String,
        /// From when on they are stale, and not said any more.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until: Option<Timestamp>,
        /// Addresses in them that stay links, also where others wrote them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        links: Vec<String>,
    },
    /// The workers of the program that is kept beside the run, the first of them first.
    Program {
        /// Of the texts that are kept (`program::Snapshot::digest`).
        digest: String,
        /// Whether it is a word in a conversation with the first of them.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        chat: bool,
        /// How its owner wants approvals handled, beside what an administrator set.
        #[serde(default, skip_serializing_if = "is_interactive")]
        approval: Mode,
        /// Whether nobody is there to be asked: what would ask is denied.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        headless: bool,
    },
}

impl Work {
    /// Whether it is a word in a conversation with one worker.
    pub fn is_chat(&self) -> bool {
        matches!(self, Self::Program { chat: true, .. })
    }

    /// Whether no model reads what was said before: the arguments are the person's own.
    pub fn is_by_hand(&self) -> bool {
        matches!(self, Self::Call(_) | Self::Say { .. })
    }

    /// How its owner wants approvals handled.
    pub fn approval(&self) -> Mode {
        match self {
            Self::Program { approval, .. } => *approval,
            Self::Agent | Self::Call(_) | Self::Say { .. } => Mode::default(),
        }
    }

    /// Whether nobody is there to be asked.
    pub fn is_headless(&self) -> bool {
        matches!(self, Self::Program { headless: true, .. })
    }

    /// These words, whenever they come.
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

/// A tool call without a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DirectCall {
    /// The tool.
    pub tool: String,
    /// Its arguments.
    pub arguments: Value,
    /// Tool and canonical arguments hashed (`approval::memory_key`), if making this very call was its owner's approval of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consent: Option<String>,
    /// Of a call that takes an effect back: what the effect left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<Value>,
    /// Whether what it gives is printed where it was called. Slack then hears of what was done alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub printed: bool,
}
