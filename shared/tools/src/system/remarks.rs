//! What the person said of Alfred: an item each, in months.

use alfred_core::keys;
use alfred_core::ports::Write;
use alfred_planner::Wish;
use alfred_planner::patterns::RemarkKind;

use crate::months::{self, Newest, newest};
use crate::prelude::*;

/// A remark.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remark {
    /// What kind of feedback it is.
    #[serde(rename = "type")]
    pub kind: RemarkKind,
    /// What it is about.
    pub category: String,
    /// What was said.
    pub message: String,
    /// What later plans of days are to follow of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wishes: Vec<Wish>,
    /// When.
    pub at: Timestamp,
    /// Whether words its owner didn't write may have shaped it.
    #[serde(default)]
    pub tainted: bool,
}

impl Remark {
    /// What later plans of days follow of it, in its order: nothing unless it is a suggestion that nobody else's
    /// words may have shaped.
    pub fn followed(&self) -> &[Wish] {
        match self.kind == RemarkKind::Suggestion && !self.tainted {
            true => &self.wishes,
            false => &[],
        }
    }
}

/// The write that keeps one.
///
/// # Errors
/// `Bug` when it can't be written as JSON.
pub fn write(context: &ToolContext, remark: &Remark) -> Result<Write, ToolError> {
    let partition = keys::feedback(&context.team, context.user_id(), remark.at);
    months::write(partition, remark.at, &context.idempotency_key, remark)
}

/// The newest remarks since then, newest first.
///
/// # Errors
/// As `newest`.
pub async fn since(
    context: &ToolContext,
    since: Timestamp,
    most: usize,
) -> Result<Newest<Remark>, ToolError> {
    let partition = |at| keys::feedback(&context.team, context.user_id(), at);
    newest(context, partition, since, most).await
}
