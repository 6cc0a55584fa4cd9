use alfred_core::ports::Attachment;

use super::find::{self, OneMail};
use super::{EmailView, TOOLSET, doubt, head, line, people};
use crate::prelude::*;

/// Characters of the text that are returned.
const TEXT: usize = 12_000;
/// Attachments that are listed.
const FILES: usize = 50;

pub fn tool() -> SharedTool {
    let description = "Reads one e-mail: people, text, names of attachments. It stays unread.";
    let def = ToolDef::new(TOOLSET, "email_readEmail", description);
    tool::read(def, read)
}

async fn read(context: ToolContext, args: OneMail) -> Result<Value> {
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
    let warning = doubt::of(&context, &mail).await?;
    add(&mut email, "warning", json!(warning));
    Ok(json!({ "email": email }))
}
