//! What the tools say of a day.

use alfred_agent::tool::{ToolContext, ToolError};
use alfred_core::id::{BlockId, TaskId};
use alfred_planner::{BlockType, ClockTime, Priority, TimeBlock};
use jiff::Timestamp;
use jiff::civil::Date;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Free, There};
use crate::toolset::Toolset;

/// What `schedule_viewSchedule` gives.
#[derive(Deserialize)]
pub(super) struct Day {
    pub blocks: Vec<Block>,
    #[serde(default)]
    pub note: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Block {
    pub id: BlockId,
    #[serde(rename = "type")]
    pub kind: BlockType,
    pub title: String,
    pub start_time: ClockTime,
    pub end_time: ClockTime,
    #[serde(default)]
    pub tasks: Vec<InBlock>,
    #[serde(default)]
    pub event_id: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct InBlock {
    pub id: TaskId,
}

/// What `schedule_findGaps` gives.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Gaps {
    pub gaps: Vec<Value>,
    pub total_available_minutes: u32,
}

/// What `schedule_analyzeUtilization` gives.
#[derive(Deserialize)]
pub(super) struct Use {
    pub utilization: u32,
}

/// What `task_getBacklogWithScores` gives.
#[derive(Deserialize)]
pub(super) struct Backlog {
    pub tasks: Vec<Waiting>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Waiting {
    pub id: TaskId,
    pub title: String,
    pub priority: Priority,
    pub estimated_minutes: u32,
    pub due_date: Option<Date>,
    pub created_at: Timestamp,
}

/// The gaps of a day that are long enough to be named.
pub(super) async fn gaps(
    tools: &Toolset,
    context: &ToolContext,
    date: Date,
) -> Result<Gaps, ToolError> {
    let ask = json!({"date": date, "minDuration": 30});
    tools.read(context, "schedule_findGaps", ask).await
}

impl Gaps {
    /// As the card counts them.
    pub fn free(&self) -> Free {
        Free {
            gaps: self.gaps.len(),
            minutes: self.total_available_minutes,
        }
    }
}

impl Block {
    /// As the card names it where nothing moves it.
    pub fn there(&self, why: String) -> There {
        There {
            id: self.id.to_string(),
            start_time: self.start_time.to_string(),
            end_time: self.end_time.to_string(),
            title: self.title.clone(),
            why,
        }
    }

    /// When it is, as the card says it.
    pub fn time(&self) -> String {
        format!("{}–{}", self.start_time, self.end_time)
    }

    /// As the planner takes it. What the calendar has is a meeting like any other.
    pub fn stored(&self) -> TimeBlock {
        let kind = match &self.event_id {
            Some(_) if self.kind != BlockType::Blocked => BlockType::Meeting,
            _ => self.kind,
        };
        TimeBlock {
            id: self.id.clone(),
            kind,
            title: self.title.clone(),
            start: self.start_time,
            end: self.end_time,
            description: String::new(),
            task_ids: self.tasks.iter().map(|task| task.id.clone()).collect(),
            tainted: false,
        }
    }
}
