//! `email_createTaskFromEmail`.

use alfred_agent::tool::{self, Effect, SharedTool, ToolContext, ToolError, ToolOutput};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{find, task};
use crate::flows;

const NAME: &str = "email_createTaskFromEmail";

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// The e-mail's id, or words of its sender or subject that fit one e-mail alone.
    email_id: String,
    /// What the task is called, at most 200 characters; read out of the e-mail when left out.
    custom_title: Option<String>,
}

/// The tool.
#[must_use]
pub fn tool() -> SharedTool {
    let def = flows::def(
        NAME,
        "Makes a task of an e-mail: title and estimate are read out of it, and its description names the e-mail.",
    )
    .effect(Effect::ReversibleWrite)
    .adding();
    tool::full(def, run)
}

async fn run(context: ToolContext, args: Arguments) -> Result<ToolOutput, ToolError> {
    let mail = find::one(&context, NAME, "emailId", &args.email_id).await?;
    let title = args.custom_title.as_deref();
    task::made_of(&context, &mail, "customTitle", title)
}

#[cfg(test)]
#[path = "create_task_tests.rs"]
mod tests;
