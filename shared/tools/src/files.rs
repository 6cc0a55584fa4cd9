//! The tool that undoes changes of files. It is in no catalogue: only an undo calls it.

use alfred_core::files::{EarlierFile, if_there, left};
use alfred_core::ports::FilesError;

use crate::prelude::*;

pub use alfred_core::files::RESTORE;

const TOOLSET: Toolset = Toolset::new(
    "files",
    "put files back",
    "is putting a file back…",
    "Changing files",
    "read files",
);

pub fn restore() -> SharedTool {
    let def = ToolDef::new(TOOLSET, RESTORE, "Puts a file back as it was.")
        .flow(Flow::PRIVATE)
        .effect(Effect::ReversibleWrite)
        .with(|def| def.blind_undo = true);
    tool::full(def, put_back)
}

/// Idempotent: a run that restarts after a crash may call it again.
async fn put_back(context: ToolContext, earlier: EarlierFile) -> Result<ToolOutput> {
    if context.call.left.is_none() {
        let problem = "A file is only put back by undoing what changed it.";
        return Err(ToolError::failed(problem));
    }
    let files = context.files_of(earlier.folder.as_deref());
    let files = files.map_err(failed)?;
    let path = &earlier.path;
    let now = if_there(&*files, path).await.map_err(failed)?;
    let now = now.as_ref().map(|body| &*body.bytes);
    let wanted = earlier.text.as_ref().map(String::as_bytes);
    let mut writes = Vec::new();
    if now != wanted {
        context.ensure_as_left(path.as_str(), earlier.tainted, &left(now))?;
        let changed = match wanted {
            Some(bytes) => files.write(path, bytes, earlier.tainted).await,
            None => files.delete(path).await,
        };
        writes = changed.map_err(failed)?;
    }
    let action = match wanted {
        Some(_) => format!("Put {path} back as it was"),
        None => format!("Deleted {path} again"),
    };
    Ok(ToolOutput::data(&json!({"path": path}))?.with_effect(action, writes))
}

fn failed(error: FilesError) -> ToolError {
    match error {
        FilesError::Unavailable { .. } => ToolError::Stop(Failure::retry(error)),
        error => ToolError::failed(error.to_string()),
    }
}
