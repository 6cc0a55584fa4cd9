//! `email_batchCategorize`.

use alfred_agent::tool::{self, SharedTool, ToolContext, ToolError};
use alfred_core::id::MailId;
use alfred_planner::{MailCategory, categorize};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{facts, find};
use crate::flows;
use crate::user::active;

const NAME: &str = "email_batchCategorize";

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// The ids of 1 to 500 e-mails.
    email_ids: Vec<String>,
}

#[derive(Serialize)]
struct Categorized {
    categorized: Vec<Row>,
    /// Ids of which there is no e-mail.
    failed: Vec<MailId>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    email_id: MailId,
    category: MailCategory,
    urgency_score: u8,
}

/// The tool.
#[must_use]
pub fn tool() -> SharedTool {
    let def = flows::def(
        NAME,
        "Says of many e-mails what each asks for and how soon it wants to be read (urgencyScore 0-100). Ids of no e-mail are in failed.",
    );
    tool::read(def, run)
}

async fn run(context: ToolContext, args: Arguments) -> Result<Categorized, ToolError> {
    let ids = find::ids("emailIds", &args.email_ids)?;
    let people = active(&context).await?;
    let mut answer = Categorized {
        categorized: Vec::new(),
        failed: Vec::new(),
    };
    for (email_id, mail) in find::each(&context, NAME, &ids).await? {
        let Some(mail) = mail else {
            answer.failed.push(email_id);
            continue;
        };
        let triage = categorize(&facts(&mail, &people));
        answer.categorized.push(Row {
            email_id,
            category: triage.category,
            urgency_score: triage.urgency_score,
        });
    }
    Ok(answer)
}
