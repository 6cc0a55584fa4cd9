//! Feedback about Alfred: one row each, in monthly partitions.

use alfred_planner::Wish;
use alfred_planner::patterns::RemarkKind;

use crate::months::{self, Newest, newest};
use crate::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remark {
    #[serde(rename = "type")]
    pub kind: RemarkKind,
    pub category: String,
    pub message: String,
    /// What later plans should follow.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wishes: Vec<Wish>,
    pub at: Timestamp,
    /// Whether other people's words may have shaped it.
    #[serde(default)]
    pub tainted: bool,
}

impl Remark {
    /// The wishes that later plans follow. Empty unless it is an untainted suggestion.
    pub fn followed(&self) -> &[Wish] {
        if self.kind == RemarkKind::Suggestion && !self.tainted {
            &self.wishes
        } else {
            &[]
        }
    }
}

pub fn write(context: &ToolContext, remark: &Remark) -> Result<Write> {
    let partition = keys::feedback(&context.team, context.user_id(), remark.at);
    months::write(partition, remark.at, &context.call.key, remark)
}

/// The remarks since then, newest first.
pub async fn since(context: &ToolContext, since: Timestamp, most: usize) -> Result<Newest<Remark>> {
    let partition = |at| keys::feedback(&context.team, context.user_id(), at);
    newest(context, partition, since, most).await
}
