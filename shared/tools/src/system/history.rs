//! Workflows that were carried out: an item each, in months.

use alfred_core::keys;
use alfred_core::ports::Write;
use alfred_planner::Wish;

use crate::months::{self, Newest, newest};
use crate::prelude::*;

/// A workflow that was carried out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Executed {
    /// The call that did it.
    pub id: String,
    /// Which workflow.
    #[serde(rename = "type")]
    pub kind: String,
    /// When it was done.
    pub executed_at: Timestamp,
    /// `completed`, or `partial` when something of it didn't work.
    pub status: String,
    /// What it changed, as a sentence.
    pub outcome: String,
    /// What it gave.
    #[serde(default)]
    pub changes: Value,
    /// The calls that would do what of it didn't work.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub again: Vec<Again>,
    /// What of the proposal the person took, and what not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub offers: Vec<Offer>,
    /// What the person wanted of a plan.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wishes: Vec<Wish>,
    /// Whether words its owner didn't write may have shaped that.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tainted: bool,
}

/// A call that is offered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Again {
    /// The tool.
    pub tool: String,
    /// Its arguments.
    pub arguments: Value,
    /// The day it is for, where there is one: once that is over it can't be done any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub day: Option<String>,
}

/// A part of a proposal, and whether its owner left it in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "of", rename_all = "snake_case")]
pub enum Offer {
    /// A task for a work block.
    Task {
        /// Its id.
        id: String,
        /// Its title.
        title: String,
        /// Whether it was left in.
        taken: bool,
    },
    /// To archive a mail.
    Archiving {
        /// From this address.
        sender: String,
        /// Whether it was left in.
        taken: bool,
    },
}

impl Again {
    /// The day it is for, where there is one.
    pub fn date(&self) -> Option<&str> {
        self.day.as_deref().or(self.arguments["date"].as_str())
    }

    /// The tasks it would propose.
    fn tasks(&self) -> impl Iterator<Item = &Value> {
        let ids = self.arguments["changes"]["first"].as_array();
        ids.into_iter().flatten()
    }
}

impl Executed {
    /// Whether an earlier workflow's offer of this call is answered by this one: it did for the same
    /// block what the call would do, and offers anew what of that failed again.
    pub fn answers(&self, again: &Again) -> bool {
        let block = &again.arguments["blockId"];
        let same =
            self.kind == again.tool && block.is_string() && self.changes["blockId"] == *block;
        let done = self.changes["assigned"].as_array();
        let planned = |task: &Value| {
            let offers =
                |anew: &Again| anew.tool == again.tool && anew.tasks().any(|one| one == task);
            done.is_some_and(|done| done.contains(task)) || self.again.iter().any(offers)
        };
        same && again.tasks().next().is_some() && again.tasks().all(planned)
    }

    /// What it changed, in numbers alone: none of the words of what it worked on.
    pub fn in_numbers(&self) -> Vec<String> {
        let count = |field: &str| match &self.changes[field] {
            Value::Array(list) => list.len(),
            Value::Number(number) => number
                .as_u64()
                .map_or(0, |n| usize::try_from(n).unwrap_or(0)),
            _ => 0,
        };
        let fields = [
            "blocks",
            "moved",
            "removed",
            "planned",
            "assigned",
            "archived",
            "processed",
            "conflicts",
            "failed",
        ];
        let counted = fields.into_iter().map(|field| (field, count(field)));
        counted
            .filter(|(_, count)| *count > 0)
            .map(|(field, count)| workflow_changed(field, count))
            .collect()
    }
}

fn workflow_changed(what: &str, count: usize) -> String {
    let (one, several) = match what {
        "blocks" => ("block created", "blocks created"),
        "moved" => ("block moved", "blocks moved"),
        "removed" => ("block removed", "blocks removed"),
        "planned" | "assigned" => ("task planned", "tasks planned"),
        "archived" => ("mail archived", "mails archived"),
        "processed" => ("mail marked", "mails marked"),
        "conflicts" => ("block not created", "blocks not created"),
        _ => ("part not done", "parts not done"),
    };
    format!("{count} {}", if count == 1 { one } else { several })
}

/// The write that keeps one.
///
/// # Errors
/// `Bug` when it can't be written as JSON.
pub fn write(context: &ToolContext, executed: &Executed) -> Result<Write, ToolError> {
    let partition = keys::workflows(&context.team, context.user_id(), executed.executed_at);
    months::write(partition, executed.executed_at, &executed.id, executed)
}

/// The workflows carried out since then, newest first.
///
/// # Errors
/// As `newest`.
pub async fn since(
    context: &ToolContext,
    since: Timestamp,
    most: usize,
) -> Result<Newest<Executed>, ToolError> {
    let partition = |at| keys::workflows(&context.team, context.user_id(), at);
    newest(context, partition, since, most).await
}
