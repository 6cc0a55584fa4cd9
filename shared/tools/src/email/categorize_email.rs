use alfred_planner::{Triage, categorize};

use super::find::{self, OneMail};
use super::{TRIAGE, facts};
use crate::prelude::*;
use crate::user::active;

pub fn tool() -> SharedTool {
    let description = "Says what one e-mail asks for, how sure that is, and what to do. Several: email_batchCategorize.";
    let def = ToolDef::new(TRIAGE, "email_categorizeEmail", description);
    tool::read(def, run)
}

async fn run(context: ToolContext, args: OneMail) -> Result<Triage> {
    let mail = find::one(&context, "emailId", &args.email_id).await?;
    let people = active(&context).await?;
    Ok(categorize(&facts(&context, &mail, &people)))
}
