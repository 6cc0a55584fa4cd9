use alfred_core::ports::MailStatus;

use super::{TRIAGE, find, moving};
use crate::fields::description;
use crate::prelude::*;

const NAME: &str = "email_archiveBatch";

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// 1 to 500 ids.
    email_ids: Vec<String>,
    /// Why, for the record.
    reason: Option<String>,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(TRIAGE, NAME,
        "Archives several e-mails by id; they are kept. One, by id or words: email_processEmail.",
    ).flow(Flow::UNKNOWN)
    .rules(&[
        "Never archive e-mails on your own that are important or urgent: offer to archive those of category can_archive, and archive what the person names.",
    ])
    .effect(Effect::ReversibleWrite);
    heavy(
        def,
        |args: &Arguments| args.email_ids.len() == 1,
        |def| tool::shown(def, preview, run),
    )
}

async fn preview(context: ToolContext, args: Arguments) -> Result<Preview, ToolError> {
    let ids = find::ids("emailIds", &args.email_ids)?;
    let mails = find::listed(&context, &ids).await?;
    Ok(Preview::new(format!("Archive {}", super::mails(ids.len())))
        .any("Reason", args.reason.unwrap_or_default())
        .body(mails.join("\n")))
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
    let what = format!("Archived {}", moved.named());
    moved.output(&context, data, what)
}
