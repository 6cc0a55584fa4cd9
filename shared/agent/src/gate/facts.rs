//! What the gate looks at.

use alfred_core::policy::{Mode, Setting};
use alfred_core::{Role, Taint};
use serde::{Deserialize, Serialize};

use crate::tool::ToolDef;

/// Everything the gate decides from.
#[derive(Clone, Debug)]
pub struct Facts<'a> {
    /// The tool: effect, default, flow, least role.
    pub def: &'a ToolDef,
    /// The owner's role.
    pub role: Role,
    /// What is configured for the tool, for the worker that calls, for the owner.
    pub configured: [Option<Setting>; 3],
    /// How approvals are handled.
    pub mode: Mode,
    /// Whether people of a real Slack are at the other end.
    pub real_slack: bool,
    /// Whether the owner approved the same call in this session and let it be remembered.
    pub remembered: bool,
    /// What the run and the runs above it have read.
    pub taint: &'a Taint,
    /// Whether the call would take words of a conversation that only its members read somewhere else.
    pub leaves_members: bool,
    /// How many calls of the same tool changed something in this run already, or will beside this one.
    pub earlier: usize,
    /// Whether all that the call says stands in the owner's request, word for word.
    pub own_words: bool,
    /// To whom the call reaches.
    pub recipients: &'a [Recipient],
    /// Whether an administrator has paused all effects.
    pub paused: bool,
}

/// Somebody a call reaches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recipient {
    /// As the arguments name them.
    pub who: String,
    /// Whether the owner wrote it, or the workspace knows them.
    pub trusted: bool,
}
