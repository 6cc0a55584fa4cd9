//! Excludes tools that an agent may no longer use, because of earlier calls that restrict it.

use serde_json::Value;

use crate::context::AgentLoop;
use crate::frame;
use crate::step::StepKind;
use crate::tool::SharedTool;

impl AgentLoop<'_> {
    /// Whether a successful earlier call of this agent excludes the tool.
    pub(super) fn is_ruled_out(&self, tool: &SharedTool) -> bool {
        let (steps, frame) = (&self.cx.loaded.steps, &self.cx.loaded.frame);
        frame::own(steps, frame).any(|step| {
            let StepKind::ToolResult {
                call_id, ok: true, ..
            } = &step.did
            else {
                return false;
            };
            let Some((_, call)) = frame::call(frame::own(steps, frame), call_id) else {
                return false;
            };
            let arguments = serde_json::from_str::<Value>(&call.arguments);
            let made = self.agent.tools.get(&call.name).zip(arguments.ok());
            made.is_some_and(|(made, arguments)| made.rules_out(&arguments, tool.def()))
        })
    }
}
