//! Habits from earlier days and decisions that are sure enough to follow.

use alfred_planner::Pattern;

use crate::prelude::*;
use crate::system::observed::About;
use crate::system::show_patterns::{Timeframe, seen};

/// The sure habits of the last month on these topics, surest first.
pub async fn about(context: &ToolContext, about: &[About]) -> Result<Vec<Pattern>, ToolError> {
    let mut found = seen(context, Timeframe::Month, about).await?.patterns;
    found.retain(Pattern::is_sure);
    Ok(found)
}
