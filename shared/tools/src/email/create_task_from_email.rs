use super::{TOOLSET, doubt, find, task};
use crate::prelude::*;

const NAME: &str = "email_createTaskFromEmail";

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Its id, or words of sender or subject that fit it alone.
    email_id: String,
    /// Another title.
    #[serde(skip_serializing_if = "Option::is_none")]
    custom_title: Option<String>,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(
        TOOLSET,
        NAME,
        "Makes a task of an e-mail, with title and estimate read out of it.",
    )
    .flow(Flow::UNKNOWN)
    .effect(Effect::ReversibleWrite)
    .with(|def| def.adds = true);
    tool::shown(def, preview, run)
}

async fn preview(context: ToolContext, args: Arguments) -> Result<Preview, ToolError> {
    let mail = find::one(&context, "emailId", &args.email_id).await?;
    let preview = task::preview(&mail, args.custom_title.as_deref());
    doubt::shown(&context, preview, &mail).await
}

async fn run(context: ToolContext, args: Arguments) -> Result<ToolOutput, ToolError> {
    let mail = find::one(&context, "emailId", &args.email_id).await?;
    let title = args.custom_title.as_deref();
    task::made_of(&context, &mail, "customTitle", title).await
}
