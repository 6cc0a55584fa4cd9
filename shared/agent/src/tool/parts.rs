//! Calls made of other calls. Each part is its own journal step, so that a crash repeats no finished part.

use serde_json::Value;

use crate::tool::{SharedTool, ToolOutput};

/// The next step of a call made of parts.
pub enum Part {
    /// Runs this call under the approval of the whole. Never an outward call; these need their own approval.
    Call {
        tool: SharedTool,
        arguments: Value,
        /// For an undo part: the state that the effect left.
        left: Option<Value>,
    },
    /// All parts were tried; this is the overall output.
    Finished(Box<ToolOutput>),
}

#[derive(Clone, Copy, Debug)]
pub struct PartDone<'a> {
    pub tool: &'a str,
    pub ok: bool,
    /// Its output: `{success, error?, …}`.
    pub output: &'a Value,
}

/// The id of a part; numbers start at 1.
pub(crate) fn part_id(call: &str, number: usize) -> String {
    format!("{call}{SEPARATOR}{number}")
}

/// The id of the whole call, or the id itself if it is no part.
pub(crate) fn whole_of(id: &str) -> &str {
    id.split_once(SEPARATOR).map_or(id, |(whole, _)| whole)
}

pub(crate) fn is_part(id: &str) -> bool {
    id.contains(SEPARATOR)
}

/// Separates call id and part number. Model-made call ids that contain it are replaced.
const SEPARATOR: char = '~';
