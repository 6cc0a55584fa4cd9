use alfred_core::policy::{Mode, Setting};
use alfred_core::{Role, Taint};

use crate::model::approval::Recipient;
use crate::policy::tool_def::ToolDef;

#[derive(Clone, Debug)]
pub struct Facts<'a> {
    /// The tool's definition: effect, approval default, flow and minimum role.
    pub def: &'a ToolDef,
    pub role: Role,
    /// Settings for the tool: general, for the worker, for the owner.
    pub configured: [Option<Setting>; 3],
    pub mode: Mode,
    /// Whether a real Slack workspace is connected, rather than the local stand-in.
    pub real_slack: bool,
    /// Whether the owner approved an identical call in this session with "remember".
    pub remembered: bool,
    /// Taint of the run, including that of its parent runs.
    pub taint: &'a Taint,
    /// Whether the call would send text from a members-only conversation elsewhere.
    pub leaves_members: bool,
    /// Calls of the same tool that changed something in this run, or will in this step.
    pub earlier: usize,
    /// Whether all text of the call appears word for word in the owner's request.
    pub own_words: bool,
    /// Whether the owner typed every address that the call opens, or a tool of this run returned it as a source.
    pub known_addresses: bool,
    pub recipients: &'a [Recipient],
    pub paused: bool,
}
