//! A triage of mails that whoever calls names by their ids: who wrote them and what about is the mailbox's to say.

use alfred_agent::tool::{Resolution, ToolContext, ToolError};
use alfred_tools::fields::refused;
use serde_json::json;

use super::propose::Backlog;
use super::{Arguments, Confirmation, FillEmailBlock, Mail, Proposal};
use crate::composed::Workflow;
use crate::proposal::as_call;
use crate::toolset::Toolset;

/// Mails that are looked through, as many as the tool gives.
const LOOKED_AT: usize = 500;

/// To archive these mails. Which of the others are urgent is not the caller's to say.
pub(super) async fn triage(
    tools: &Toolset,
    context: &ToolContext,
    args: Arguments,
) -> Result<Resolution, ToolError> {
    let wanted = args.confirmation.clone().unwrap_or_default();
    if wanted.approved_archive_ids.is_empty() {
        return FillEmailBlock::left(context, args);
    }
    let ask = json!({"status": ["unread", "backlog"], "limit": LOOKED_AT});
    let backlog: Backlog = tools.read(context, "email_getBacklog", ask).await?;
    let mut to_archive: Vec<Mail> = Vec::new();
    for (at, id) in wanted.approved_archive_ids.iter().enumerate() {
        let found = backlog.emails.iter().find(|mail| mail.id == *id);
        let Some(mail) = found else {
            let field = format!("confirmation.approvedArchiveIds[{at}]");
            let problem = "is no e-mail that waits for the person. email_getBacklog gives the ids.";
            return Err(refused(&field, id, problem));
        };
        if !to_archive.iter().any(|known| known.id == *id) {
            to_archive.push(mail.named());
        }
    }
    as_call(&Arguments {
        confirmation: Some(Confirmation {
            proposal_id: None,
            approved: true,
            approved_archive_ids: to_archive.iter().map(|mail| mail.id.clone()).collect(),
            approved_urgent_ids: Vec::new(),
        }),
        proposal: Some(Proposal {
            to_archive,
            ..Proposal::default()
        }),
        ..args
    })
}
