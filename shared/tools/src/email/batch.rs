//! Tools that change the states of many mails: `email_archiveBatch`, `email_markBatch`, and `email_restoreBatch`,
//! which undoes both.

use alfred_agent::policy::UNASKED_CHANGES;
use alfred_core::id::MailId;
use alfred_core::ports::MailStatus;

use super::batch_categorize::Arguments as Mark;
use super::states::{self, RESTORE, Stated};
use super::{TRIAGE, find};
use crate::fields::counted;
use crate::prelude::*;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Archive {
    /// 1 to 500 ids.
    email_ids: Vec<String>,
    /// Why, for the record.
    reason: Option<Text<MAX_DESCRIPTION>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Restore {
    /// 1 to 500 e-mails, each with the state it is to have again.
    emails: Vec<Stated>,
}

fn def(name: &'static str, description: &'static str) -> ToolDef {
    ToolDef::new(TRIAGE, name, description).effect(Effect::ReversibleWrite)
}

pub fn archive() -> SharedTool {
    let description =
        "Archives several e-mails by id; they are kept. One, by id or words: email_processEmail.";
    let def = def("email_archiveBatch", description).rules(&[
        "Never archive e-mails on your own that are important or urgent: offer to archive those of category can_archive, and archive what the person names.",
    ]);
    let is_one = |args: &Archive| args.email_ids.len() == 1;
    heavy(def, is_one, |def| {
        tool::shown(def, archive_card, run_archive)
    })
}

pub fn mark() -> SharedTool {
    let description = "Marks e-mails to be processed later: they stay in the inbox, as backlog.";
    let def = def("email_markBatch", description);
    // They stay in the inbox.
    let are_few = |args: &Mark| args.email_ids.len() <= UNASKED_CHANGES;
    heavy(def, are_few, |def| tool::shown(def, mark_card, run_mark))
}

pub fn restore() -> SharedTool {
    let description = "Restores e-mails from the archive, or to their earlier state.";
    let def = def(RESTORE, description);
    let is_one = |args: &Restore| args.emails.len() == 1;
    heavy(def, is_one, |def| {
        tool::shown(def, restore_card, run_restore)
    })
}

async fn archive_card(context: ToolContext, args: Archive) -> Result<Preview> {
    let ids = find::ids("emailIds", &args.email_ids)?;
    let card = Preview::new(format!("Archive {}", counted(ids.len(), "e-mail")));
    let reason = args.reason.map_or(String::new(), |text| text.value);
    let card = card.any("Reason", reason);
    Ok(card.body(find::listed(&context, &ids).await?.join("\n")))
}

async fn run_archive(context: ToolContext, args: Archive) -> Result<ToolOutput> {
    let ids = find::ids("emailIds", &args.email_ids)?;
    let moved = states::put(&context, &ids, MailStatus::Archived).await?;
    let mut data = json!({"archived": moved.count(), "failed": moved.failed()});
    if moved.already > 0 {
        data["alreadyArchived"] = moved.already.into();
    }
    let what = format!("Archived {}", moved.named());
    moved.output(data, what)
}

async fn mark_card(context: ToolContext, args: Mark) -> Result<Preview> {
    let ids = find::ids("emailIds", &args.email_ids)?;
    let mails = counted(ids.len(), "e-mail");
    let card = Preview::new(format!("Mark {mails} for processing"));
    Ok(card.body(find::listed(&context, &ids).await?.join("\n")))
}

async fn run_mark(context: ToolContext, args: Mark) -> Result<ToolOutput> {
    let ids = find::ids("emailIds", &args.email_ids)?;
    let moved = states::put(&context, &ids, MailStatus::Backlog).await?;
    let data = json!({"marked": moved.count() + moved.already, "failed": moved.failed()});
    let what = format!("Marked {} for processing", counted(moved.count(), "e-mail"));
    moved.output(data, what)
}

impl Restore {
    /// Fails on a repeated id. Only an undo archives or deletes: a model's call would do so without the rules of
    /// the tools for that.
    fn ids(&self, context: &ToolContext) -> Result<Vec<MailId>> {
        let removes =
            |mail: &Stated| matches!(mail.status, MailStatus::Archived | MailStatus::Deleted);
        if context.call.left.is_none() && self.emails.iter().any(removes) {
            let error = refused("emails", "archived", "isn't outside the archive.");
            let error = error.say("I can only put mail back with this, not archive or delete it.");
            return Err(error.hint("email_archiveBatch archives."));
        }
        let named = self.emails.iter().map(|mail| mail.email_id.0.clone());
        let ids = find::ids("emails", &named.collect::<Vec<_>>())?;
        if ids.len() == self.emails.len() {
            Ok(ids)
        } else {
            Err(refused("emails", "", "names an e-mail twice."))
        }
    }
}

async fn restore_card(context: ToolContext, args: Restore) -> Result<Preview> {
    let listed = find::listed(&context, &args.ids(&context)?).await?;
    let line = |(mail, restored): (&String, &Stated)| {
        let state = json!(restored.status);
        format!("{mail} → {}", state.as_str().unwrap_or_default())
    };
    let lines: Vec<String> = listed.iter().zip(&args.emails).map(line).collect();
    let card = Preview::new(format!("Put {} back", counted(lines.len(), "e-mail")));
    Ok(card.body(lines.join("\n")))
}

async fn run_restore(context: ToolContext, args: Restore) -> Result<ToolOutput> {
    let mails_with_states = args.ids(&context)?.into_iter().zip(&args.emails);
    let wanted = mails_with_states.map(|(email_id, restored)| Stated {
        email_id,
        status: restored.status,
    });
    let moved = states::restore(&context, wanted.collect()).await?;
    let data = json!({"restored": moved.count(), "failed": moved.failed()});
    let what = format!("Put {} back", counted(moved.count(), "e-mail"));
    moved.output(data, what)
}
