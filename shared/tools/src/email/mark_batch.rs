use super::{TRIAGE, find, moving};
use crate::prelude::*;

const NAME: &str = "email_markBatch";

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// 1 to 500 ids.
    email_ids: Vec<String>,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(
        TRIAGE,
        NAME,
        "Marks e-mails to be processed later: they stay in the inbox, as backlog.",
    )
    .flow(Flow::UNKNOWN)
    .effect(Effect::ReversibleWrite);
    heavy(
        def,
        |args: &Arguments| args.email_ids.len() == 1,
        |def| tool::shown(def, preview, run),
    )
}

async fn preview(context: ToolContext, args: Arguments) -> Result<Preview, ToolError> {
    let ids = find::ids("emailIds", &args.email_ids)?;
    let preview = Preview::new(format!("Mark {} for processing", super::mails(ids.len())));
    Ok(preview.body(find::listed(&context, &ids).await?.join("\n")))
}

async fn run(context: ToolContext, args: Arguments) -> Result<ToolOutput, ToolError> {
    let ids = find::ids("emailIds", &args.email_ids)?;
    let moved = moving::mark(&context, &ids).await?;
    let count = moved.moved.len();
    let data = json!({"marked": count + moved.already, "failed": moved.failed()});
    moved.output(
        &context,
        data,
        format!("Marked {} for processing", super::mails(count)),
    )
}
