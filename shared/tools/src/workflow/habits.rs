//! What earlier days and answers say, as far as it is sure enough to be followed.

use alfred_planner::Pattern;

use crate::prelude::*;
use crate::system::observed::About;
use crate::system::show_patterns::{Timeframe, seen};

/// The habits of the last month about these that are sure enough, the surest first.
///
/// # Errors
/// When the store doesn't answer.
pub async fn about(context: &ToolContext, about: &[About]) -> Result<Vec<Pattern>, ToolError> {
    let mut found = seen(context, Timeframe::Month, about).await?.patterns;
    found.retain(Pattern::is_sure);
    Ok(found)
}
