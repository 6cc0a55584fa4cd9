//! `email_archiveBatch`.

use alfred_agent::preview::Preview;
use alfred_agent::tool::{self, Effect, Heavy, SharedTool, ToolContext, ToolError, ToolOutput};
use alfred_core::text;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{find, moving};
use crate::fields::description;
use crate::fields::invalid;
use crate::flows;

const NAME: &str = "email_archiveBatch";

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// The ids of 1 to 500 e-mails.
    email_ids: Vec<String>,
    /// Why they are archived, for the record; at most 2000 characters.
    reason: Option<String>,
}

/// The tool.
#[must_use]
pub fn tool() -> SharedTool {
    let def = flows::def(
        NAME,
        "Archives e-mails: they leave the inbox and are kept. Those that can't be archived are in failed, with the reason in problems.",
    )
    .rules(&[
        "Never archive e-mails on your own that are important or urgent: offer to archive those of category can_archive, and archive what the person names.",
    ])
    .effect(Effect::ReversibleWrite);
    let heavy = Heavy {
        is_light: |args: &Arguments| args.email_ids.len() == 1,
        preview: |context, args| Box::pin(preview(context, args)),
    };
    tool::heavy(def, heavy, run)
}

async fn preview(context: ToolContext, args: Arguments) -> Result<Preview, ToolError> {
    let ids = find::ids("emailIds", &args.email_ids)?;
    let preview = Preview::new(text::archive_mails_title(ids.len()));
    let preview = match args.reason.as_deref().unwrap_or_default() {
        "" => preview,
        reason => preview.field("Reason", reason),
    };
    Ok(preview.body(find::listed(&context, NAME, &ids).await?.join("\n")))
}

async fn run(context: ToolContext, args: Arguments) -> Result<ToolOutput, ToolError> {
    let ids = find::ids("emailIds", &args.email_ids)?;
    description("reason", args.reason.as_deref()).map_err(invalid)?;
    let archived = moving::archive(&context, NAME, &ids).await?;
    let failed: Vec<_> = archived.problems.iter().map(|one| &one.email_id).collect();
    let mut data = json!({"archived": archived.moved.len(), "failed": failed});
    if archived.already > 0 {
        data["alreadyArchived"] = archived.already.into();
    }
    if !archived.problems.is_empty() {
        data["problems"] = json!(archived.problems);
    }
    let data = ToolOutput::data(&data)?;
    Ok(archived.output(&context, data))
}

#[cfg(test)]
#[path = "archive_batch_tests.rs"]
mod tests;
