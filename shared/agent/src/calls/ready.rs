//! A call that may run now.

use alfred_core::ports::ToolCall;

use super::stage::Grant;
use crate::gate::AuthorizedArgs;
use crate::tool::{Effect, SharedTool, ToolDef};

/// A call that may run now.
pub struct Ready {
    pub call: ToolCall,
    pub tool: SharedTool,
    /// Its arguments, behind the gate.
    pub arguments: AuthorizedArgs,
    /// What its owner approved, if they were asked.
    pub grant: Option<Grant>,
}

impl Ready {
    /// What this call is, by the arguments with which it runs.
    pub fn def(&self) -> &ToolDef {
        self.tool.def_of(self.arguments.value())
    }

    /// What it does to the world.
    pub fn effect(&self) -> Effect {
        self.def().effect
    }

    /// Whether it happens outside, where no commit of ours takes it back.
    pub fn is_outside(&self) -> bool {
        self.effect() == Effect::Outward || self.def().behind_intent
    }
}
