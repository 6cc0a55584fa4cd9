//! Converts results of the schedule tools for the card and the planner.

use alfred_planner::{TaskPart, TimeBlock};

use super::There;
use crate::schedule::{BlockTask, BlockView};

/// An existing block on the card.
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

/// An existing block for the planner.
pub(super) fn stored(block: &BlockView) -> TimeBlock {
    TimeBlock {
        id: block.id.clone(),
        kind: block.kind,
        title: block.title.clone(),
        start: block.start_time,
        end: block.end_time,
        description: String::new(),
        tasks: {
            let part = |task: &BlockTask| TaskPart {
                id: task.id.clone(),
                minutes: task.minutes,
            };
            block.tasks.iter().map(part).collect()
        },
        tainted: false,
    }
}
