//! What people read about files.

/// The card of a file that is written.
pub fn write_file_title(new: bool) -> &'static str {
    match new {
        true => "Write a new file",
        false => "Change a file",
    }
}

/// The card of a file that goes.
pub fn delete_file_title() -> &'static str {
    "Delete a file"
}

/// On a card, where what is there can't be shown.
pub fn file_not_shown() -> &'static str {
    "It holds no text, or too much to show, and can't be brought back."
}

/// A change that can't be taken back, of which nobody was asked.
pub fn file_not_kept() -> String {
    "What is in this file couldn't be brought back, so it is only changed after asking.".into()
}

/// A file that was written.
pub fn wrote_file(path: &str, new: bool) -> String {
    match new {
        true => format!("Wrote the new file {path}"),
        false => format!("Changed the file {path}"),
    }
}

/// A file that was deleted.
pub fn deleted_file(path: &str) -> String {
    format!("Deleted the file {path}")
}

/// A file that is as it was.
pub fn restored_file(path: &str) -> String {
    format!("Put {path} back as it was")
}

/// A file that only an undo brings back.
pub fn only_undo_restores() -> String {
    "A file is only put back by undoing what changed it.".into()
}
