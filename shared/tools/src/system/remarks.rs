//! What the person said of Alfred: an item each, in months.

use alfred_agent::tool::{ToolContext, ToolError};
use alfred_core::ports::{Key, Write};
use alfred_core::{Failure, keys};
use alfred_planner::patterns::RemarkKind;
use alfred_planner::{Wish, parse_feedback};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::months::{Newest, newest};

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
    /// When.
    pub at: Timestamp,
    /// Whether words its owner didn't write may have shaped it.
    #[serde(default)]
    pub tainted: bool,
}

/// Categories of remarks about plans of days hold one of these.
const ABOUT_DAYS: [&str; 5] = ["schedul", "plan", "day", "calendar", "meeting"];

impl Remark {
    /// Whether it is about plans of days.
    #[must_use]
    pub fn is_about_days(&self) -> bool {
        let category = self.category.to_lowercase();
        ABOUT_DAYS.iter().any(|word| category.contains(word))
    }

    /// What later plans of days are to follow of it, in its order: nothing unless it is a suggestion for them
    /// that was understood as a whole, of more than one day, and that nobody else's words may have shaped.
    #[must_use]
    pub fn wishes(&self) -> Vec<Wish> {
        let asks = self.kind == RemarkKind::Suggestion && !self.tainted;
        if !asks || !self.is_about_days() {
            return Vec::new();
        }
        let feedback = parse_feedback(&self.message);
        match feedback.is_lasting() {
            true => feedback.wishes,
            false => Vec::new(),
        }
    }
}

/// The write that keeps one; the call's key makes it one however often it is repeated.
///
/// # Errors
/// `Bug` when it can't be written as JSON.
pub fn write(context: &ToolContext, remark: &Remark) -> Result<Write, ToolError> {
    let partition = keys::feedback(&context.team, context.user_id(), remark.at);
    let range = format!("{}#{}", remark.at, context.idempotency_key);
    let body = serde_json::to_value(remark).map_err(Failure::bug)?;
    Ok(Write::put(Key::state(partition, range), None, body))
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
