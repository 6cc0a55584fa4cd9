//! What earlier days and answers say, as far as it is sure enough to be followed.

use alfred_agent::tool::{ToolContext, ToolError};
use alfred_planner::patterns::What;

use crate::system::observed::About;
use crate::system::show_patterns::{Timeframe, View, seen};

/// A habit that is followed.
#[derive(Clone, Debug)]
pub struct Habit {
    pub what: What,
    /// How often it was so.
    pub agree: usize,
    /// Of how many times.
    pub of: usize,
}

/// The habits of the last month about these that are sure enough, the surest first.
///
/// # Errors
/// When the store doesn't answer.
pub async fn about(context: &ToolContext, about: &[About]) -> Result<Vec<Habit>, ToolError> {
    let shown = seen(context, Timeframe::Month, about).await?;
    let followed = shown.patterns.into_iter().filter(|view| view.followed);
    Ok(followed
        .map(
            |View {
                 what, agree, of, ..
             }| Habit { what, agree, of },
        )
        .collect())
}
