//! Files that go out with a mail: those that hang on mails of the person's own.

use alfred_core::digest::sha256_hex;
use alfred_core::ports::{Attachment, MailMessage, OutgoingFile};

use super::{find, line};
use crate::account::not_read;
use crate::prelude::*;

const FIELD: &str = "attach";

/// A file to attach, or all files of a mail.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Attach {
    // Without words: each is part of every turn with these tools.
    email_id: String,
    /// All when left out.
    file: Option<String>,
}

impl Attach {
    /// All files of this mail.
    pub fn all_of(mail: &MailMessage) -> Self {
        Self {
            email_id: mail.summary.id.to_string(),
            file: None,
        }
    }
}

/// The files with what is in them.
///
/// # Errors
/// `Failed` for what hangs on no mail, or is more than a mail takes.
pub async fn files(
    context: &ToolContext,
    given: &[&Attach],
) -> Result<Vec<OutgoingFile>, ToolError> {
    let mut files: Vec<OutgoingFile> = Vec::new();
    for attach in given {
        let mail = find::one(context, FIELD, &attach.email_id).await?;
        for at in attach.chosen(&mail)? {
            files.push(loaded(context, &mail, at).await?);
            OutgoingFile::check(&files).map_err(not_read)?;
        }
    }
    Ok(files)
}

impl Attach {
    /// Where they are among the mail's.
    fn chosen(&self, mail: &MailMessage) -> Result<Vec<usize>, ToolError> {
        let id = mail.summary.id.as_str();
        let is_named = |file: &Attachment| {
            let wanted = self.file.as_ref().map(|name| name.trim().to_lowercase());
            wanted.is_none_or(|wanted| line(&file.name).to_lowercase() == wanted)
        };
        let fitting = mail.attachments.iter().enumerate();
        let fitting = fitting.filter(|(_, file)| is_named(file));
        let found: Vec<usize> = fitting.map(|(at, _)| at).collect();
        match (&self.file, found.len()) {
            (Some(name), 0) => Err(refused(FIELD, name, "doesn't hang on that e-mail.")
                .hint("email_readEmail names its files.")),
            (None, 0) => Err(refused(FIELD, id, "has no files.")),
            (Some(name), 2..) => Err(refused(FIELD, name, "is the name of several of its files.")),
            _ => Ok(found),
        }
    }
}

async fn loaded(
    context: &ToolContext,
    mail: &MailMessage,
    at: usize,
) -> Result<OutgoingFile, ToolError> {
    let (port, id) = (&context.accounts.mail, &mail.summary.id);
    let content = port.attachment(&context.account(), id, at).await;
    let content = content.map_err(not_read)?;
    let file = mail.attachments.get(at).zip(content);
    let gone = || refused(FIELD, id.as_str(), "can't be read whole.");
    let (file, content) = file.ok_or_else(gone)?;
    Ok(OutgoingFile {
        name: line(&file.name),
        content_type: file.content_type.clone(),
        content,
    })
}

/// A card that shows them, and is bound to what is in them.
pub fn shown(preview: Preview, files: &[OutgoingFile]) -> Preview {
    let one = |file: &OutgoingFile| text::file_of_size(&file.name, file.content.len());
    let names: Vec<String> = files.iter().map(one).collect();
    let preview = preview.any(text::files_label(), names.join("\n"));
    preview.bound(files.iter().map(|file| sha256_hex(&file.content)))
}

#[cfg(test)]
#[path = "attach_tests.rs"]
mod tests;
