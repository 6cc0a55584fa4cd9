//! `system_provideFeedback`.

use alfred_agent::tool::{self, Effect, SharedTool, ToolContext, ToolError, ToolOutput};
use alfred_agent::users;
use alfred_core::text;
use alfred_planner::patterns::RemarkKind;
use alfred_planner::{Habits, check_wishes, parse_feedback};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::remarks::{self, Remark};
use crate::fields::{invalid, refused, text_up_to, today};
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
        "Keeps what the person says of how Alfred works for them. A suggestion about the schedule, such as \"no meetings before 10\", is followed by later plans of days; a note says where it isn't.",
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
    let mut data = json!({"kept": true, "type": remark.kind, "category": remark.category});
    if let Some(note) = why_not_followed(&context, &remark).await? {
        data["note"] = note.into();
    }
    let writes = vec![remarks::write(&context, &remark)?];
    Ok(ToolOutput::data(&data)?.with_effect("Kept your feedback".to_owned(), writes))
}

/// Why plans won't follow a remark that reads as if they should.
async fn why_not_followed(
    context: &ToolContext,
    remark: &Remark,
) -> Result<Option<String>, ToolError> {
    let heard = parse_feedback(&remark.message);
    let asks = match remark.kind {
        RemarkKind::Suggestion => true,
        // A complaint about a plan names what was wrong with it.
        RemarkKind::Negative => !heard.wishes.is_empty(),
        RemarkKind::Positive | RemarkKind::Bug => false,
    };
    if !asks || !remark.is_about_days() {
        return Ok(None);
    }
    let note = if remark.kind != RemarkKind::Suggestion {
        text::remark_is_no_suggestion().to_owned()
    } else if remark.tainted {
        text::remark_of_others().to_owned()
    } else if let Some(part) = heard.not_understood.first() {
        text::remark_not_understood(part)
    } else if !heard.is_lasting() {
        text::remark_of_one_day().to_owned()
    } else {
        let stored = users::get(&*context.store, &context.team, context.user_id()).await?;
        let own = stored.map(|found| found.user.preferences.day);
        let habits = Habits::read(&own.unwrap_or_default()).map_err(invalid)?;
        match check_wishes(&habits, &heard.wishes, today(context), &context.zone()) {
            Ok(()) => return Ok(None),
            Err(error) => text::remark_unusable(&error.value, &error.problem),
        }
    };
    Ok(Some(note))
}

#[cfg(test)]
#[path = "provide_feedback_tests.rs"]
mod tests;
