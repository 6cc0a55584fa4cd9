use alfred_core::id::MailId;
use alfred_planner::mail::Phishing;
use alfred_planner::{MailCategory, categorize};

use super::{TRIAGE, facts, find};
use crate::prelude::*;
use crate::user::active;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Arguments {
    /// 1 to 500 ids.
    pub email_ids: Vec<String>,
}

#[derive(Default, Serialize)]
pub(crate) struct Categorized {
    pub categorized: Vec<Row>,
    /// Ids without an e-mail.
    failed: Vec<MailId>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Row {
    pub email_id: MailId,
    pub category: MailCategory,
    pub urgency_score: u8,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub phishing: Vec<Phishing>,
}

pub fn tool() -> SharedTool {
    let description = "Says of many e-mails what each asks for and how urgent it is (0-100).";
    let def = ToolDef::new(TRIAGE, "email_batchCategorize", description);
    tool::read(def, categorized)
}

pub(crate) async fn categorized(context: ToolContext, args: Arguments) -> Result<Categorized> {
    let ids = find::ids("emailIds", &args.email_ids)?;
    let people = active(&context).await?;
    let mut answer = Categorized::default();
    for (email_id, mail) in find::each(&context, &ids).await? {
        let Some(mail) = mail else {
            answer.failed.push(email_id);
            continue;
        };
        let triage = categorize(&facts(&context, &mail, &people));
        answer.categorized.push(Row {
            email_id,
            category: triage.category,
            urgency_score: triage.urgency_score,
            phishing: triage.phishing,
        });
    }
    Ok(answer)
}
