//! A call made of other calls: each is a journal step of its own, so that a
//! crash half-way costs nothing that was done, and goes on with what wasn't.

use serde_json::Value;

use super::{SharedTool, ToolOutput};

/// What follows in a call made of parts.
pub enum Part {
    /// This call, on the approval of the whole. Never an outward one: these need their own.
    Call {
        /// The tool.
        tool: SharedTool,
        /// Its arguments.
        arguments: Value,
        /// Of a part that takes an effect back: what the effect left.
        left: Option<Value>,
    },
    /// All of it was tried; this is what it came to.
    Finished(Box<ToolOutput>),
}

/// A part that was tried.
#[derive(Clone, Copy, Debug)]
pub struct PartDone<'a> {
    /// Its tool.
    pub tool: &'a str,
    /// Whether it succeeded.
    pub ok: bool,
    /// What it gave, the envelope `{success, error?, …}`.
    pub output: &'a Value,
}

/// The id of a part of a call, from 1.
pub(crate) fn part_id(call: &str, number: usize) -> String {
    format!("{call}{SEPARATOR}{number}")
}

/// The call that this one is a part of, or itself.
pub(crate) fn whole_of(id: &str) -> &str {
    id.split_once(SEPARATOR).map_or(id, |(whole, _)| whole)
}

/// Whether it is a part of another call.
pub(crate) fn is_part(id: &str) -> bool {
    id.contains(SEPARATOR)
}

/// Between the id of a call and the number of its part. An id that a model gives with it in it is replaced.
const SEPARATOR: char = '~';
