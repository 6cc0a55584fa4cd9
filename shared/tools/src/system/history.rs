//! History of executed workflows: one row each, in monthly partitions.

use alfred_planner::Wish;

use crate::fields::counted;
use crate::months::{self, Newest, newest};
use crate::prelude::*;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Executed {
    pub id: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub executed_at: Timestamp,
    /// `completed` or `partial`.
    pub status: String,
    /// A sentence on what changed.
    pub outcome: String,
    #[serde(default)]
    pub changes: Value,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub again: Vec<Again>,
    /// The parts of the proposal, and whether the person took them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub offers: Vec<Offer>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wishes: Vec<Wish>,
    /// Whether other people's words may have shaped the wishes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tainted: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Again {
    pub tool: String,
    pub arguments: Value,
    /// A date. After it, the call can't be done any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub day: Option<String>,
}

/// A part of a proposal, and whether its owner took it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "of", rename_all = "snake_case")]
pub enum Offer {
    Task {
        id: String,
        title: String,
        taken: bool,
    },
    Archiving {
        /// Address of the mail.
        sender: String,
        taken: bool,
    },
}

impl Again {
    pub fn date(&self) -> Option<&str> {
        self.day.as_deref().or(self.arguments["date"].as_str())
    }

    fn tasks(&self) -> impl Iterator<Item = &Value> {
        let ids = self.arguments["changes"]["first"].as_array();
        ids.into_iter().flatten()
    }
}

impl Executed {
    /// Whether this later workflow settles an earlier offer. It must concern the same block, and have planned
    /// each offered task or offered it again.
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

    /// What changed, as counts without any titles or names.
    pub fn in_numbers(&self) -> Vec<String> {
        let counts = COUNTED.iter().filter_map(|(field, noun, done)| {
            let count = match &self.changes[field] {
                Value::Array(list) => list.len(),
                other => usize::try_from(other.as_u64()?).ok()?,
            };
            (count > 0).then(|| format!("{} {done}", counted(count, noun)))
        });
        counts.collect()
    }
}

/// Fields of the result, what they count, and what happened to it.
const COUNTED: [(&str, &str, &str); 9] = [
    ("blocks", "block", "created"),
    ("moved", "block", "moved"),
    ("removed", "block", "removed"),
    ("planned", "task", "planned"),
    ("assigned", "task", "planned"),
    ("archived", "mail", "archived"),
    ("processed", "mail", "marked"),
    ("conflicts", "block", "not created"),
    ("failed", "part", "not done"),
];

pub fn write(context: &ToolContext, executed: &Executed) -> Result<Write> {
    let partition = keys::workflows(&context.team, context.user_id(), executed.executed_at);
    months::write(partition, executed.executed_at, &executed.id, executed)
}

/// The workflows executed since `at`, newest first.
pub async fn since(context: &ToolContext, at: Timestamp, most: usize) -> Result<Newest<Executed>> {
    let partition = |at| keys::workflows(&context.team, context.user_id(), at);
    newest(context, partition, at, most).await
}
