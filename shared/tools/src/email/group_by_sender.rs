use alfred_core::id::MailId;
use alfred_planner::group_by_sender;
use alfred_planner::mail::SenderGroup;

use super::{TRIAGE, find};
use crate::prelude::*;

const DEFAULT_SIZE: i64 = 2;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Arguments {
    /// 1 to 500 ids.
    pub email_ids: Vec<String>,
    /// Least size of a group; 2 when left out.
    pub min_group_size: Option<i64>,
}

#[derive(Serialize)]
pub(crate) struct Grouped {
    pub groups: Vec<SenderGroup>,
    /// Ids without an e-mail.
    failed: Vec<MailId>,
}

pub fn tool() -> SharedTool {
    let description = "Groups e-mails by sender, the largest groups first.";
    let def = ToolDef::new(TRIAGE, "email_groupBySender", description);
    tool::read(def, grouped)
}

pub(crate) async fn grouped(context: ToolContext, args: Arguments) -> Result<Grouped> {
    let ids = find::ids("emailIds", &args.email_ids)?;
    let least = args.min_group_size.unwrap_or(DEFAULT_SIZE);
    let least = within("minGroupSize", least, &(1..=500)).map_err(invalid)?;
    let (mut mails, mut failed) = (Vec::new(), Vec::new());
    for (id, mail) in find::summaries(&context, &ids).await? {
        match mail {
            Some(mail) => mails.push((id, mail.from.address)),
            None => failed.push(id),
        }
    }
    let pairs = mails.iter().map(|(id, from)| (id.as_str(), from.as_str()));
    Ok(Grouped {
        groups: group_by_sender(pairs, usize::try_from(least).unwrap_or(1)),
        failed,
    })
}
