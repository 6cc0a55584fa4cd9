//! `email_archiveBatch`.

use alfred_agent::preview::Preview;
use alfred_agent::tool::{
    self, Effect, Flow, Heavy, SharedTool, ToolContext, ToolDef, ToolError, ToolOutput,
};
use alfred_core::ports::MailStatus;
use alfred_core::text;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{TOOLSET, find, moving};
use crate::fields::description;
use crate::fields::invalid;

const NAME: &str = "email_archiveBatch";

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// 1 to 500 ids.
    email_ids: Vec<String>,
    /// Why, for the record.
    reason: Option<String>,
}

/// The tool.
#[must_use]
pub fn tool() -> SharedTool {
    let def = ToolDef::new(TOOLSET, NAME,
        "Archives several e-mails by id; they are kept. One, by id or words: email_processEmail.",
    ).flow(Flow::UNKNOWN)
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
    Ok(preview.body(find::listed(&context, &ids).await?.join("\n")))
}

async fn run(context: ToolContext, args: Arguments) -> Result<ToolOutput, ToolError> {
    let ids = find::ids("emailIds", &args.email_ids)?;
    description("reason", args.reason.as_deref()).map_err(invalid)?;
    let moved = moving::all(&context, &ids, MailStatus::Archived).await?;
    let count = moved.moved.len();
    let mut data = json!({"archived": count, "failed": moved.failed()});
    if moved.already > 0 {
        data["alreadyArchived"] = moved.already.into();
    }
    moved.explain(&mut data);
    let data = ToolOutput::data(&data)?;
    Ok(moved.output(&context, data, text::archived_mails(count)))
}

#[cfg(test)]
#[path = "archive_batch_tests.rs"]
mod tests;
