//! `email_categorizeEmail`.

use alfred_agent::tool::{self, SharedTool, ToolContext, ToolError};
use alfred_planner::mail::{Reason, SuggestedAction};
use alfred_planner::{MailCategory, categorize};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{facts, find};
use crate::flows;
use crate::user::active;

const NAME: &str = "email_categorizeEmail";

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// The e-mail's id, or words of its sender or subject that fit one e-mail alone.
    email_id: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Categorized {
    category: MailCategory,
    confidence: u8,
    suggested_action: SuggestedAction,
    reasons: Vec<Reason>,
}

/// The tool.
#[must_use]
pub fn tool() -> SharedTool {
    let def = flows::def(
        NAME,
        "Says what one e-mail asks for: needs_reply, important_info, potential_task or can_archive, how sure that is (0-100), and what to do.",
    );
    tool::read(def, run)
}

async fn run(context: ToolContext, args: Arguments) -> Result<Categorized, ToolError> {
    let mail = find::one(&context, NAME, "emailId", &args.email_id).await?;
    let people = active(&context).await?;
    let triage = categorize(&facts(&mail, &people));
    Ok(Categorized {
        category: triage.category,
        confidence: triage.confidence,
        suggested_action: triage.suggested_action,
        reasons: triage.reasons,
    })
}

#[cfg(test)]
#[path = "categorize_tests.rs"]
mod tests;
