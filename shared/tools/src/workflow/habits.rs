//! Habits from earlier days and decisions that are sure enough to follow.

use alfred_planner::{Pattern, patterns};

use crate::prelude::*;
use crate::system::observed::{About, Timeframe, observe};

/// The sure habits of the last month on these topics, surest first.
pub async fn about(context: &ToolContext, about: &[About]) -> Result<Vec<Pattern>, ToolError> {
    let observed = observe(context, Timeframe::Month, about).await?;
    let mut found = patterns(&observed.observations, &context.zone());
    found.retain(Pattern::is_sure);
    Ok(found)
}
