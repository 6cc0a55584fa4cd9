//! `task_deleteTask`.

use alfred_agent::gate::AuthorizedArgs;
use alfred_agent::preview::Preview;
use alfred_agent::tool::{
    self, Effect, Flow, SharedTool, Tool, ToolContext, ToolDef, ToolError, ToolOutput,
};
use alfred_core::text;
use alfred_planner::{Score, Task};
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

use super::{TOOLSET, TaskView, store};
use crate::fields::today;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Its id, or words of its title.
    task_id: String,
}

#[derive(Serialize)]
struct Deleted {
    deleted: TaskView,
}

struct DeleteTask(ToolDef);

/// The tool.
#[must_use]
pub fn tool() -> SharedTool {
    let def = ToolDef::new(
        TOOLSET,
        "task_deleteTask",
        "Deletes a task for good. One that is done: task_completeTask.",
    )
    .flow(Flow::PRIVATE)
    .effect(Effect::Destructive);
    Arc::new(DeleteTask(def))
}

async fn find(context: &ToolContext, arguments: Value) -> Result<(Task, u64), ToolError> {
    let args: Arguments = tool::parsed(arguments)?;
    store::get(context, "taskId", &args.task_id).await
}

#[async_trait]
impl Tool for DeleteTask {
    fn def(&self) -> &ToolDef {
        &self.0
    }

    fn schema(&self) -> Value {
        tool::arguments_schema::<Arguments>()
    }

    async fn preview(
        &self,
        context: &ToolContext,
        arguments: &Value,
    ) -> Result<Preview, ToolError> {
        let (task, _) = find(context, arguments.clone()).await?;
        let due = task
            .due_date
            .map_or(String::new(), |date| format!(", due {date}"));
        let line = format!(
            "\"{}\" ({}, {} priority, {} minutes{due})",
            task.title, task.status, task.priority, task.estimated_minutes
        );
        let preview = Preview::new(text::delete_task_title()).change("Task", line, "");
        Ok(match task.description.is_empty() {
            true => preview,
            false => preview.change("Description", task.description, ""),
        })
    }

    async fn run(
        &self,
        context: ToolContext,
        arguments: AuthorizedArgs,
    ) -> Result<ToolOutput, ToolError> {
        let (task, version) = find(&context, arguments.into_value()).await?;
        let writes = vec![store::delete(&context, &task, version)];
        let action = format!("Deleted task \"{}\"", task.title);
        let flow = Flow::of_stored(task.tainted);
        let score = Score::new(&task, today(&context), &context.zone());
        let deleted = Deleted {
            deleted: TaskView::new(task, score),
        };
        Ok(ToolOutput::data(&deleted)?
            .with_effect(action, writes)
            .bringing(flow))
    }
}

#[cfg(test)]
#[path = "delete_task_tests.rs"]
mod tests;
