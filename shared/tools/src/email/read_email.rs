use alfred_core::ports::Attachment;

use super::doubt::mail_may_pretend;
use super::{EmailView, TOOLSET, doubt, find, head, line, people};
use crate::prelude::*;

/// Characters of the text that are returned.
const TEXT: usize = 12_000;
/// Attachments that are listed.
const FILES: usize = 50;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Its id, or words of sender or subject that fit it alone.
    email_id: String,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(
        TOOLSET,
        "email_readEmail",
        "Reads one e-mail: people, text, names of attachments. It stays unread.",
    );
    tool::read(def.flow(Flow::UNKNOWN), read)
}

async fn read(context: ToolContext, args: Arguments) -> Result<Value, ToolError> {
    let mail = find::one(&context, "emailId", &args.email_id).await?;
    let text = head(&mail.text, TEXT);
    let file = |file: &Attachment| Attachment {
        name: line(&file.name),
        content_type: line(&file.content_type),
        bytes: file.bytes,
    };
    let files: Vec<Attachment> = mail.attachments.iter().take(FILES).map(file).collect();
    let mut email = json!(EmailView::new(&mail.summary));
    email["to"] = people(&mail.summary.to).into();
    email["cc"] = people(&mail.cc).into();
    email["replyTo"] = people(&mail.reply_to).into();
    email["attachments"] = json!(files);
    email["truncated"] = (mail.truncated || text != mail.text).into();
    email["text"] = text.into();
    if let Some(why) = doubt::of(&context, &mail).await? {
        email["warning"] = mail_may_pretend(&why).into();
    }
    Ok(json!({ "email": email }))
}
