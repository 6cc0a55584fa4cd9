//! Files for an outgoing mail, taken from the request or from the person's own mails and documents.

use alfred_core::digest::sha256_hex;
use alfred_core::ports::{Document, MailMessage, OutgoingFile};

use super::{find, line};
use crate::documents::file;
use crate::prelude::*;

const FIELD: &str = "attach";

/// A file to attach, or all files of a mail or of the request.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Attach {
    // Few words: each is part of every turn with these tools.
    /// Default: the request's files.
    email_id: Option<String>,
    /// All when left out.
    file: Option<String>,
    /// A document instead.
    document: Option<String>,
}

/// Loads names and contents. Fails for an unknown or expired file, or above the size limits of a mail.
pub async fn files(context: &ToolContext, given: &[Attach]) -> Result<Vec<OutgoingFile>> {
    let mut files: Vec<OutgoingFile> = Vec::new();
    for attach in given {
        let mail = filled(attach.email_id.as_deref());
        match (mail, filled(attach.document.as_deref())) {
            (Some(id), None) => attach.of_mail(context, id, &mut files).await?,
            (None, None) => attach.of_request(context, &mut files).await?,
            (None, Some(named)) => add(&mut files, document(context, named).await?)?,
            (Some(id), Some(_)) => {
                return Err(refused(FIELD, id, "is an e-mail. Name a document apart."));
            }
        }
    }
    Ok(files)
}

/// Adds a file if the mail still stays within its limits.
fn add(files: &mut Vec<OutgoingFile>, file: OutgoingFile) -> Result<()> {
    let name = line(&file.name);
    files.push(OutgoingFile { name, ..file });
    OutgoingFile::check(files).map_err(not_read)
}

fn outgoing(name: &str, content_type: &str, content: Vec<u8>) -> OutgoingFile {
    OutgoingFile {
        name: name.to_owned(),
        content_type: content_type.to_owned(),
        content,
        version: None,
    }
}

fn filled(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty())
}

/// A document with this id or title, as its provider makes a file of it.
async fn document(context: &ToolContext, named: &str) -> Result<OutgoingFile> {
    let found: Document = file::one(context, named).await?;
    let (account, documents) = (context.account(), &context.accounts.documents);
    let file = documents.export(&account, &found.summary.id, &found.revision);
    let file = file.await.map_err(not_read)?;
    file.ok_or_else(|| ToolError::failed(text::DOCUMENT_GONE))
}

impl Attach {
    pub fn all_of(mail: &MailMessage) -> Self {
        Self {
            email_id: Some(mail.summary.id.to_string()),
            file: None,
            document: None,
        }
    }

    async fn of_mail(
        &self,
        context: &ToolContext,
        id: &str,
        files: &mut Vec<OutgoingFile>,
    ) -> Result<()> {
        let mail = find::one(context, FIELD, id).await?;
        let (port, id) = (&context.accounts.mail, &mail.summary.id);
        let names = mail.attachments.iter().map(|file| &*file.name);
        let nothing = (id.as_str(), "has no files.");
        let chosen = self.chosen(names, nothing, "doesn't hang on that e-mail.");
        let chosen = chosen.map_err(|error| error.hint("email_readEmail names its files."));
        for at in chosen? {
            let content = port.attachment(&context.account(), id, at).await;
            let file = mail.attachments.get(at).zip(content.map_err(not_read)?);
            let gone = || find::wrong(FIELD, id, "has a file that can't be read whole.");
            let (file, content) = file.ok_or_else(gone)?;
            add(files, outgoing(&file.name, &file.content_type, content))?;
        }
        Ok(())
    }

    async fn of_request(&self, context: &ToolContext, files: &mut Vec<OutgoingFile>) -> Result<()> {
        let given = context.files().await?;
        let names = given.files.iter().map(|file| &*file.name);
        let nothing = ("", "has no emailId, and no file was shared here.");
        let chosen = self.chosen(names, nothing, "isn't the name of a file of the request.");
        for file in chosen?.into_iter().filter_map(|at| given.files.get(at)) {
            let content = context.content(&given.run, file).await?;
            let gone = || {
                let problem = match (&file.digest, &file.problem) {
                    (None, Some(problem)) => format!("can't go along: {problem}."),
                    _ => "isn't kept any more. Share it again, and I can send it.".to_owned(),
                };
                refused(FIELD, &line(&file.name), problem)
            };
            let content = content.ok_or_else(gone)?;
            add(files, outgoing(&file.name, &file.media_type, content))?;
        }
        Ok(())
    }

    /// Returns the positions of the selected files. `whole` starts an error about the mail or request without
    /// files; `unknown` describes a name that doesn't exist.
    fn chosen<'a>(
        &self,
        names: impl Iterator<Item = &'a str>,
        (whole, nothing): (&str, &str),
        unknown: &str,
    ) -> Result<Vec<usize>> {
        let wanted = self.file.as_ref().map(|name| name.trim().to_lowercase());
        let is_one = |name: &str| wanted.is_none() || wanted == Some(line(name).to_lowercase());
        let fitting = names.enumerate().filter(|(_, name)| is_one(name));
        let found: Vec<usize> = fitting.map(|(at, _)| at).collect();
        match (&self.file, found.len()) {
            (None, 0) => Err(refused(FIELD, whole, nothing)),
            (Some(name), 0) => Err(refused(FIELD, name, unknown)),
            (Some(name), 2..) => Err(refused(FIELD, name, "is the name of several of its files.")),
            _ => Ok(found),
        }
    }
}

/// Lists the files on the card. Their hashes bind the approval to their contents.
pub fn shown(preview: Preview, files: &[OutgoingFile]) -> Preview {
    let one = |file: &OutgoingFile| format!("{} ({})", file.name, text::size(file.content.len()));
    let names: Vec<String> = files.iter().map(one).collect();
    let preview = preview.any("Files", names.join("\n"));
    let version = |file: &OutgoingFile| {
        let version = file.version.clone();
        version.unwrap_or_else(|| sha256_hex(&file.content))
    };
    preview.bound(files.iter().map(version))
}
