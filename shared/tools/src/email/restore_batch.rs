//! `email_restoreBatch`: what takes archiving back.

use alfred_agent::tool::{self, Effect, Receipt, SharedTool, ToolContext, ToolError, ToolOutput};
use alfred_core::text;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::moving::{self, Stated};
use super::{Status, find};
use crate::fields::refused;
use crate::flows;

const NAME: &str = "email_restoreBatch";

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// 1 to 500 e-mails, each with the state it is to have again.
    emails: Vec<Restored>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Restored {
    /// The e-mail's id.
    email_id: String,
    /// Its state before it was archived; "archived" is none of them.
    status: Status,
}

/// The tool.
#[must_use]
pub fn tool() -> SharedTool {
    let def = flows::def(
        NAME,
        "Takes e-mails out of the archive, back into the state they were in: unread, read, backlog or processed.",
    )
    .effect(Effect::ReversibleWrite);
    tool::full(def, run)
}

async fn run(context: ToolContext, args: Arguments) -> Result<ToolOutput, ToolError> {
    let named: Vec<String> = args
        .emails
        .iter()
        .map(|mail| mail.email_id.clone())
        .collect();
    let ids = find::ids("emails", &named)?;
    if args
        .emails
        .iter()
        .any(|mail| mail.status == Status::Archived)
    {
        let problem = "isn't outside the archive. email_archiveBatch archives.";
        return Err(refused("emails", "archived", problem));
    }
    let states = args.emails.iter().map(|mail| mail.status);
    let mails: Vec<Stated> = match ids.len() == args.emails.len() {
        true => ids.into_iter().zip(states).map(stated).collect(),
        false => return Err(refused("emails", "", "names an e-mail twice.")),
    };
    let (restored, problems) = moving::put(&context, NAME, mails).await?;
    let failed: Vec<_> = problems.iter().map(|one| &one.email_id).collect();
    let mut data = json!({"restored": restored.len(), "failed": failed});
    if !problems.is_empty() {
        data["problems"] = json!(problems);
    }
    let output = ToolOutput::data(&data)?;
    if restored.is_empty() {
        return Ok(output);
    }
    let receipt = Receipt {
        what: text::restored_mails(restored.len()),
        place: text::in_mailbox().to_owned(),
        at: Some(context.now),
        ..Receipt::default()
    };
    let back = json!({"emailIds": restored});
    Ok(output
        .with_receipt(receipt)
        .undone_by("email_archiveBatch", back))
}

fn stated((email_id, status): (alfred_core::id::MailId, Status)) -> Stated {
    Stated {
        email_id,
        status: status.into(),
    }
}
