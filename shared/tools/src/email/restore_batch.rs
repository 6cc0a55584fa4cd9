//! `email_restoreBatch`: the undo of archiving and marking.

use alfred_core::id::MailId;
use alfred_core::ports::MailStatus;

use super::moving::{self, Stated};
use super::{TRIAGE, find, status_schema};
use crate::prelude::*;

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
    /// Its state before it was archived or marked; "archived" is none of them.
    #[schemars(schema_with = "status_schema")]
    status: MailStatus,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(
        TRIAGE,
        NAME,
        "Takes e-mails out of the archive, or back into the state they had.",
    )
    .flow(Flow::UNKNOWN)
    .effect(Effect::ReversibleWrite);
    heavy(
        def,
        |args: &Arguments| args.emails.len() == 1,
        |def| tool::shown(def, preview, run),
    )
}

async fn preview(context: ToolContext, args: Arguments) -> Result<Preview, ToolError> {
    let ids = args.ids()?;
    let preview = Preview::new(format!("Put {} back", super::mails(ids.len())));
    let mails = find::listed(&context, &ids).await?;
    let states = args.emails.iter().map(|mail| mail.status);
    let lines = mails.into_iter().zip(states);
    let state = |state: MailStatus| json!(state).as_str().unwrap_or_default().to_owned();
    let lines: Vec<String> = lines
        .map(|(mail, becomes)| format!("{mail} → {}", state(becomes)))
        .collect();
    Ok(preview.body(lines.join("\n")))
}

impl Arguments {
    /// Fails on a repeated id.
    fn ids(&self) -> Result<Vec<MailId>, ToolError> {
        let named = self.emails.iter().map(|mail| mail.email_id.clone());
        let ids = find::ids("emails", &named.collect::<Vec<_>>())?;
        match ids.len() == self.emails.len() {
            true => Ok(ids),
            false => Err(refused("emails", "", "names an e-mail twice.")),
        }
    }
}

async fn run(context: ToolContext, args: Arguments) -> Result<ToolOutput, ToolError> {
    let ids = args.ids()?;
    let mut states = args.emails.iter().map(|mail| mail.status);
    if states.any(|status| status == MailStatus::Archived) {
        let error = refused("emails", "archived", "isn't outside the archive.");
        return Err(error.hint("email_archiveBatch archives."));
    }
    let states = args.emails.iter().map(|mail| mail.status);
    let mails = ids.into_iter().zip(states);
    let mails = mails.map(|(email_id, status)| Stated { email_id, status });
    let moved = moving::put(&context, mails.collect()).await?;
    let count = moved.moved.len();
    let data = json!({"restored": count, "failed": moved.failed()});
    moved.output(&context, data, format!("Restored {}", super::mails(count)))
}
