use alfred_core::ports::ToolCall;

use super::stage::Grant;
use crate::gate::AuthorizedArgs;
use crate::tool::{Effect, SharedTool, ToolDef};

pub struct Ready {
    pub call: ToolCall,
    pub tool: SharedTool,
    /// The arguments that passed the gate.
    pub arguments: AuthorizedArgs,
    /// The owner's approval, if one was needed.
    pub grant: Option<Grant>,
}

impl Ready {
    /// The tool's definition for these arguments.
    pub fn def(&self) -> &ToolDef {
        self.tool.def_of(self.arguments.value())
    }

    pub fn effect(&self) -> Effect {
        self.def().effect
    }

    /// Whether it acts outside our store, where a failed commit can't undo it.
    pub fn is_outside(&self) -> bool {
        self.effect() == Effect::Outward || self.def().behind_intent
    }
}
