//! `system_provideFeedback`.

use alfred_agent::tool::{self, Effect, SharedTool, ToolContext, ToolError, ToolOutput};
use alfred_planner::patterns::RemarkKind;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::remarks::{self, Remark};
use crate::fields::{invalid, refused, text_up_to};
use crate::flows;

/// Characters of a category, and of a message.
const CATEGORY: usize = 50;
const MESSAGE: usize = 2_000;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Whether it is praise, blame, an idea or a defect.
    #[serde(rename = "type")]
    kind: RemarkKind,
    /// What it is about, in a word: "schedule" for plans of days, "email", "tasks".
    category: String,
    /// What the person said, in their words.
    message: String,
}

/// The tool.
#[must_use]
pub fn tool() -> SharedTool {
    let def = flows::def(
        "system_provideFeedback",
        "Keeps what the person says of how Alfred works for them. A suggestion about the schedule, such as \"no meetings before 10\", is followed by later plans of days.",
    )
    .effect(Effect::ReversibleWrite);
    tool::full(def, keep)
}

async fn keep(context: ToolContext, args: Arguments) -> Result<ToolOutput, ToolError> {
    for (field, said) in [("category", &args.category), ("message", &args.message)] {
        if said.trim().is_empty() {
            return Err(refused(field, said, "is empty; say what it is."));
        }
    }
    let remark = Remark {
        kind: args.kind,
        category: text_up_to("category", &args.category, CATEGORY).map_err(invalid)?,
        message: text_up_to("message", &args.message, MESSAGE).map_err(invalid)?,
        at: context.now,
        tainted: context.tainted,
    };
    let data = json!({"kept": true, "type": remark.kind, "category": remark.category});
    let writes = vec![remarks::write(&context, &remark)?];
    Ok(ToolOutput::data(&data)?.with_effect("Kept your feedback".to_owned(), writes))
}

#[cfg(test)]
#[path = "provide_feedback_tests.rs"]
mod tests;
