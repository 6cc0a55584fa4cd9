//! A change of a file, prepared the same way for its card and its run.

use alfred_agent::model::Preview;
use alfred_agent::tool::{Flow, Settled, ToolContext, ToolError, ToolOutput};
use alfred_core::diff;
use alfred_core::digest::sha256_hex;
use alfred_core::files::{EarlierFile, RESTORE, Sandbox, if_there, left};
use alfred_core::ports::{FileBody, FileInfo, Files, FilesError, VirtualPath};
use alfred_core::text;
use jiff::Timestamp;
use serde_json::json;

use super::tool::failed;

const FILE_NOT_KEPT: &str =
    "What is in this file couldn't be brought back, so it is only changed after asking.";

/// The current content.
enum Now {
    Nothing,
    Text(FileBody, String),
    /// Not text or too long, so it can neither be shown nor restored.
    Other(FileInfo, String),
}

pub struct Change {
    view: Sandbox,
    folder: Option<String>,
    path: VirtualPath,
    /// The new text. `None` to delete the file.
    after: Option<String>,
    now: Now,
}

impl Change {
    pub async fn of(
        view: Sandbox,
        folder: Option<String>,
        path: VirtualPath,
        after: Option<String>,
    ) -> Result<Self, FilesError> {
        view.check_writable(&path)?;
        let now = match if_there(&view, &path).await {
            Ok(None) => Now::Nothing,
            Ok(Some(body)) => match std::str::from_utf8(&body.bytes).map(str::to_owned) {
                Ok(text) => Now::Text(body, text),
                Err(_) => Now::Other(body.info, sha256_hex(&body.bytes)),
            },
            Err(FilesError::TooLarge { .. }) => {
                let info = view.info(&path).await?;
                let when = info.modified.map(|at| at.to_string());
                let about = format!("{} bytes of {}", info.bytes, when.unwrap_or_default());
                Now::Other(info, about)
            }
            Err(error) => return Err(error),
        };
        Ok(Self {
            view,
            folder,
            path,
            after,
            now,
        })
    }

    fn is_new(&self) -> bool {
        matches!(self.now, Now::Nothing)
    }

    /// The whole change. It is bound to the current content, so a later change of the file invalidates the
    /// approval. `NotFound` if a file to delete doesn't exist.
    pub fn preview(&self) -> Result<Preview, FilesError> {
        let title = match &self.after {
            Some(_) if self.is_new() => "Write a new file",
            Some(_) => "Change a file",
            None => "Delete a file",
        };
        let preview = Preview::new(title).field("File", self.path.as_str());
        let after = self.after.as_deref().unwrap_or_default();
        Ok(match &self.now {
            Now::Nothing if self.after.is_none() => return Err(FilesError::not_found(&self.path)),
            Now::Nothing => preview.body(after),
            Now::Text(body, before) => {
                let (before, after) = if before == after {
                    (before.as_str(), after)
                } else {
                    diff::changed(before, after, 0)
                };
                let changed = preview.change(text::LINES_LABEL, before, after);
                changed.bound([sha256_hex(&body.bytes)])
            }
            Now::Other(_, about) => {
                let why = "It holds no text, or too much to show, and can't be brought back.";
                let preview = preview.field(text::CAREFUL, why).body(after);
                preview.bound([about.clone()])
            }
        })
    }

    pub async fn make(self, context: &ToolContext) -> Result<ToolOutput, ToolError> {
        let preview = self.preview().map_err(failed);
        context.ensure_unchanged_since_approval(preview, Preview::clone)?;
        if matches!(self.now, Now::Other(..)) && context.call.shown.is_none() {
            return Err(ToolError::failed(FILE_NOT_KEPT).bringing(Flow::PRIVATE));
        }
        let changed = match &self.after {
            Some(text) => {
                let bytes = text.as_bytes();
                self.view.write(&self.path, bytes, context.tainted).await
            }
            None => self.view.delete(&self.path).await,
        };
        let writes = changed.map_err(|error| match error {
            // The folder may have the file all the same.
            FilesError::Unavailable { detail } if self.folder.is_some() => {
                ToolError::Unknown(detail)
            }
            error => failed(error),
        })?;
        let mut output = self.done()?;
        output.writes = writes;
        let Some(earlier) = self.earlier().map_err(failed)? else {
            return Ok(output);
        };
        let left = left(self.after.as_ref().map(String::as_bytes));
        Ok(output.undone_by(RESTORE, [json!(earlier)]).leaving([left]))
    }

    fn done(&self) -> Result<ToolOutput, ToolError> {
        let path = self.path.as_str();
        let action = match &self.after {
            Some(_) if self.is_new() => format!("Wrote the new file {path}"),
            Some(_) => format!("Changed the file {path}"),
            None => format!("Deleted the file {path}"),
        };
        let output = ToolOutput::data(&json!({"path": path}))?;
        let output = output.with_effect(action, Vec::new());
        Ok(output.bringing(Flow::PRIVATE))
    }

    /// The data to undo the change. `None` if the old content can't be restored.
    fn earlier(&self) -> Result<Option<EarlierFile>, FilesError> {
        let (text, tainted) = match &self.now {
            Now::Nothing => (None, false),
            Now::Text(body, text) => (Some(text.clone()), body.info.tainted),
            Now::Other(..) => return Ok(None),
        };
        Ok(Some(EarlierFile {
            folder: self.folder.clone(),
            path: self.view.whole(&self.path)?,
            text,
            tainted,
        }))
    }

    /// Whether the change was made in a folder. `Unknown` if the file has changed since the call began.
    pub fn settled(&self, since: Timestamp) -> Result<Settled, ToolError> {
        let info = match (&self.now, &self.after) {
            (Now::Text(_, now), Some(after)) if now == after => return self.found_done(),
            (Now::Nothing, None) => return self.found_done(),
            // At worst it was written and removed again since. Repeating it is harmless.
            (Now::Nothing, Some(_)) => return Ok(Settled::NotDone),
            (Now::Text(FileBody { info, .. }, _) | Now::Other(info, _), _) => info,
        };
        match info.modified {
            Some(at) if at < since => Ok(Settled::NotDone),
            _ => Ok(Settled::Unknown),
        }
    }

    fn found_done(&self) -> Result<Settled, ToolError> {
        Ok(Settled::Done(Box::new(self.done()?)))
    }
}
