//! Why a file that came with a request couldn't be opened, as the model is told.

/// Only the first so many are.
pub fn file_beyond(most: usize) -> String {
    format!("only the first {most} files of a request are opened")
}

/// They are too large together.
pub fn attached_too_large(bytes: u64) -> String {
    format!(
        "the files of a request may have {} MB together",
        bytes / 1_000_000
    )
}

/// It is no text, picture or PDF: no model is shown it.
pub fn file_of_unknown_kind() -> String {
    "it is neither text nor a picture nor a PDF; a mail can still take it along".into()
}

/// Its name ends as its worker doesn't want it.
pub fn file_of_denied_kind() -> String {
    "this worker takes no files of that ending".into()
}

/// It is a link to somewhere else.
pub fn file_elsewhere() -> String {
    "it isn't kept in Slack".into()
}

/// Slack doesn't give it to Alfred.
pub fn file_not_given() -> String {
    "Slack doesn't give it to me; I may miss the permission to read files".into()
}
