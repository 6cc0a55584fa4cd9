use alfred_planner::{Triage, categorize};

use super::{TRIAGE, facts, find};
use crate::prelude::*;
use crate::user::active;

const NAME: &str = "email_categorizeEmail";

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Its id, or words of sender or subject that fit it alone.
    email_id: String,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(TRIAGE, NAME,
        "Says what one e-mail asks for, how sure that is, and what to do. Several: email_batchCategorize.",
    ).flow(Flow::UNKNOWN);
    tool::read(def, run)
}

async fn run(context: ToolContext, args: Arguments) -> Result<Triage, ToolError> {
    let mail = find::one(&context, "emailId", &args.email_id).await?;
    let people = active(&context).await?;
    Ok(categorize(&facts(&context, &mail, &people)))
}
