use super::{TOOLSET, find, task};
use crate::prelude::*;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Its id, or words of sender or subject that fit it alone.
    email_id: String,
    /// Another title.
    custom_title: Option<String>,
}

pub fn tool() -> SharedTool {
    let description = "Makes a task of an e-mail, with title and estimate read out of it.";
    let def = ToolDef::new(TOOLSET, "email_createTaskFromEmail", description)
        .effect(Effect::ReversibleWrite)
        .with(|def| def.adds = true);
    tool::shown(def, preview, run)
}

async fn preview(context: ToolContext, args: Arguments) -> Result<Preview> {
    let mail = find::one(&context, "emailId", &args.email_id).await?;
    task::preview(&context, &mail, args.custom_title.as_deref()).await
}

async fn run(context: ToolContext, args: Arguments) -> Result<ToolOutput> {
    let mail = find::one(&context, "emailId", &args.email_id).await?;
    let title = args.custom_title.as_deref();
    task::made_of(&context, &mail, "customTitle", title).await
}
