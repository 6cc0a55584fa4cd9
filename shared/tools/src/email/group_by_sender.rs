//! `email_groupBySender`.

use alfred_agent::tool::{self, SharedTool, ToolContext, ToolError};
use alfred_core::id::MailId;
use alfred_planner::group_by_sender;
use alfred_planner::mail::SenderGroup;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::find;
use crate::fields::{invalid, within};
use crate::flows;

const NAME: &str = "email_groupBySender";
/// Mails that make a group where nothing is said.
const DEFAULT_SIZE: i64 = 2;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// The ids of 1 to 500 e-mails.
    email_ids: Vec<String>,
    /// The fewest e-mails that make a group; 2 when left out.
    #[schemars(range(min = 1, max = 500))]
    min_group_size: Option<i64>,
}

#[derive(Serialize)]
struct Grouped {
    groups: Vec<SenderGroup>,
    /// Ids of which there is no e-mail.
    failed: Vec<MailId>,
}

/// The tool.
#[must_use]
pub fn tool() -> SharedTool {
    let def = flows::def(
        NAME,
        "Groups e-mails by their sender's address, the largest groups first, to deal with them together. Ids of no e-mail are in failed.",
    );
    tool::read(def, run)
}

async fn run(context: ToolContext, args: Arguments) -> Result<Grouped, ToolError> {
    let ids = find::ids("emailIds", &args.email_ids)?;
    let least = args.min_group_size.unwrap_or(DEFAULT_SIZE);
    let least = within("minGroupSize", least, &(1..=500)).map_err(invalid)?;
    let (mut mails, mut failed) = (Vec::new(), Vec::new());
    for (id, mail) in find::each(&context, NAME, &ids).await? {
        match mail {
            Some(mail) => mails.push((id, mail.summary.from.address)),
            None => failed.push(id),
        }
    }
    let pairs = mails.iter().map(|(id, from)| (id.as_str(), from.as_str()));
    Ok(Grouped {
        groups: group_by_sender(pairs, usize::try_from(least).unwrap_or(1)),
        failed,
    })
}

#[cfg(test)]
#[path = "group_by_sender_tests.rs"]
mod tests;
