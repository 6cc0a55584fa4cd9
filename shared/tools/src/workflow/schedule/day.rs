//! What the tools say of a day, as a card and the planner take it.

use alfred_planner::TimeBlock;

use super::{Free, There};
use crate::prelude::*;
use crate::schedule::BlockView;
use crate::schedule::find_gaps::{self, find};

/// Minutes of a gap that is named.
const LEAST_GAP: i64 = 30;

/// The gaps of a day that are long enough to be named.
pub(super) async fn free(context: &ToolContext, date: Date) -> Result<Free, ToolError> {
    let ask = find_gaps::Arguments {
        date: date.to_string(),
        min_duration: LEAST_GAP,
        between: None,
    };
    let found = find(context.clone(), ask).await?.gaps;
    Ok(Free {
        gaps: found.gaps.len(),
        minutes: found.total_available_minutes,
    })
}

/// A block as the card names it where nothing moves it.
pub(super) fn there(block: &BlockView, why: String) -> There {
    There {
        id: block.id.to_string(),
        start_time: block.start_time.to_string(),
        end_time: block.end_time.to_string(),
        title: block.title.clone(),
        whole_day: stored(block).takes_the_day(),
        why,
    }
}

/// A block as the planner takes it.
pub(super) fn stored(block: &BlockView) -> TimeBlock {
    TimeBlock {
        id: block.id.clone(),
        kind: block.kind,
        title: block.title.clone(),
        start: block.start_time,
        end: block.end_time,
        description: String::new(),
        task_ids: block.tasks.iter().map(|task| task.id.clone()).collect(),
        tainted: false,
    }
}
