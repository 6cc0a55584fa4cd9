use alfred_core::ports::{Attachment, MailMessage};

use super::doubt::mail_may_pretend;
use super::{EmailView, TOOLSET, doubt, find, head, line, people};
use crate::prelude::*;

const NAME: &str = "email_readEmail";
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

#[derive(Serialize)]
struct Read {
    email: Whole,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Whole {
    #[serde(flatten)]
    email: EmailView,
    to: Vec<String>,
    cc: Vec<String>,
    /// `Reply-To` addresses other than the sender.
    reply_to: Vec<String>,
    attachments: Vec<Attachment>,
    text: String,
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<String>,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(
        TOOLSET,
        NAME,
        "Reads one e-mail: people, text, names of attachments. It stays unread.",
    )
    .flow(Flow::UNKNOWN);
    tool::read(def, read)
}

async fn read(context: ToolContext, args: Arguments) -> Result<Read, ToolError> {
    let mail = find::one(&context, "emailId", &args.email_id).await?;
    let doubt = doubt::of(&context, &mail).await?;
    let mut email = Whole::new(&mail);
    email.warning = doubt.map(|why| mail_may_pretend(&why));
    Ok(Read { email })
}

impl Whole {
    fn new(mail: &MailMessage) -> Self {
        let text = head(&mail.text, TEXT);
        let file = |file: &Attachment| Attachment {
            name: line(&file.name),
            content_type: line(&file.content_type),
            bytes: file.bytes,
        };
        Self {
            email: EmailView::new(&mail.summary),
            to: people(&mail.summary.to),
            cc: people(&mail.cc),
            reply_to: people(&mail.reply_to),
            attachments: mail.attachments.iter().take(FILES).map(file).collect(),
            truncated: mail.truncated || text != mail.text,
            text,
            warning: None,
        }
    }
}
