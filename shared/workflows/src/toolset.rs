//! The tools a workflow is made of, by name.

use alfred_agent::tool::{Part, PartDone, SharedTool, ToolContext, ToolError, look};
use alfred_core::Failure;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The tools of one workflow.
#[derive(Clone)]
pub struct Toolset(Vec<SharedTool>);

/// A part of a workflow: a tool's name and its arguments.
pub type Step = (&'static str, Value);

impl Toolset {
    /// Those of these names; `None` when one is missing.
    pub fn from_tools(tools: &[SharedTool], names: &[&str]) -> Option<Self> {
        let named = |name: &&str| tools.iter().find(|tool| tool.def().name == *name).cloned();
        names
            .iter()
            .map(named)
            .collect::<Option<Vec<_>>>()
            .map(Self)
    }

    fn get(&self, name: &str) -> Result<&SharedTool, ToolError> {
        let found = self.0.iter().find(|tool| tool.def().name == name);
        found.ok_or_else(|| ToolError::Stop(Failure::bug(format!("a workflow without {name}"))))
    }

    /// What a tool that only reads gives.
    ///
    /// # Errors
    /// The tool's own; `Bug` when it gives something else.
    pub async fn read<T: DeserializeOwned>(
        &self,
        context: &ToolContext,
        name: &str,
        arguments: Value,
    ) -> Result<T, ToolError> {
        let output = look(self.get(name)?, context, arguments).await?;
        let read = serde_json::from_value(Value::Object(output.data));
        read.map_err(|error| ToolError::Stop(Failure::bug(format!("{name}: {error}"))))
    }

    /// The step that comes after those that were tried; `None` behind the last.
    pub fn next(&self, mut steps: Vec<Step>, done: &[PartDone<'_>]) -> Option<Part> {
        if done.len() >= steps.len() {
            return None;
        }
        let (name, arguments) = steps.swap_remove(done.len());
        let tool = self.get(name).ok()?.clone();
        Some(Part::Call { tool, arguments })
    }
}

/// What a part said went wrong.
pub fn trouble(part: &PartDone<'_>) -> Option<String> {
    let error = part.output["error"].as_str()?;
    Some(error.to_owned())
}
