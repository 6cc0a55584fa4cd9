//! What earlier days and answers say, as far as it is sure enough to be followed.

use alfred_agent::tool::{ToolContext, ToolError};
use alfred_planner::patterns::What;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::toolset::Toolset;

/// The tool they come from.
pub const TOOL: &str = "system_showPatterns";
/// How far back they are looked for.
const TIMEFRAME: &str = "month";

/// A habit that is followed.
#[derive(Clone, Debug)]
pub struct Habit {
    pub what: What,
    /// How often it was so.
    pub agree: usize,
    /// Of how many times.
    pub of: usize,
}

/// What `system_showPatterns` gives.
#[derive(Deserialize)]
struct Shown {
    patterns: Vec<Pattern>,
}

#[derive(Deserialize)]
struct Pattern {
    agree: usize,
    of: usize,
    followed: bool,
    kind: Value,
    #[serde(default)]
    value: Value,
}

impl Pattern {
    fn habit(self) -> Option<Habit> {
        let what = match self.value {
            Value::Null => json!({"kind": self.kind}),
            value => json!({"kind": self.kind, "value": value}),
        };
        // One of a later release is none that this one could follow.
        let what = serde_json::from_value(what).ok()?;
        self.followed.then_some(Habit {
            what,
            agree: self.agree,
            of: self.of,
        })
    }
}

/// The habits about these that are sure enough, the surest first.
///
/// # Errors
/// When the store doesn't answer.
pub async fn about(
    tools: &Toolset,
    context: &ToolContext,
    about: &[&str],
) -> Result<Vec<Habit>, ToolError> {
    let ask = json!({"timeframe": TIMEFRAME, "about": about});
    let shown: Shown = tools.read(context, TOOL, ask).await?;
    Ok(shown
        .patterns
        .into_iter()
        .filter_map(Pattern::habit)
        .collect())
}
