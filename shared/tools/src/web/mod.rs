//! Tools for the web. Results are other people's words, and queries leave the workspace.

pub mod read_page;
pub mod search;

use alfred_core::Source;
use alfred_core::invisible::shown_on_one_line;

use crate::prelude::*;

pub const TOOLSET: Toolset = Toolset::new(
    "web",
    "the web: search, read pages",
    "is looking at the web…",
    "That",
    "search the web",
);

const RULES: &[&str] = &[
    "After each statement from the web, copy the cite of its page, such as [s1a2b3c], unchanged; never write a list of sources: it is added for you.",
];

fn cited(source: &Source) -> Value {
    let title = shown_on_one_line(&source.title);
    json!({"cite": source.mark(), "url": source.url, "title": title})
}

/// An error without text from the web, so it doesn't taint the run.
fn failed(words: impl Into<String>, kind: &'static str) -> ToolError {
    ToolError::failed(words).kind(kind).bringing(Flow::NEUTRAL)
}
