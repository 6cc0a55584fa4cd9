//! `email_checkAnswered`: checks whether a mail that the person sent was answered.

use alfred_core::id::MailId;
use alfred_core::ports::{MailMessage, MailQuery, MailSummary};
use alfred_planner::mail::subject_without_prefixes;

use super::{ANY_STATUS, TOOLSET, find, line, shown};
use crate::account::not_read;
use crate::prelude::*;

/// Mails checked per recipient, newest first.
const LOOKED_AT: usize = 20;
/// Recipients checked.
const RECIPIENTS: usize = 10;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Id of the e-mail the person sent.
    email_id: String,
}

/// The result; schedules branch on the `state` tag.
#[derive(Serialize)]
#[serde(
    rename_all = "camelCase",
    tag = "state",
    rename_all_fields = "camelCase"
)]
enum Outcome {
    /// By the first recipient who answered.
    Answered {
        email_id: MailId,
        by: String,
        at: Timestamp,
    },
    NotAnswered {
        to: Vec<String>,
        subject: String,
        sent_at: Timestamp,
    },
    /// The sent mail no longer exists, so answers can't be checked.
    Gone,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(
        TOOLSET,
        "email_checkAnswered",
        "Whether one of those to whom the person sent an e-mail has answered it: answered, notAnswered, or gone.",
    )
    .flow(Flow::UNKNOWN);
    tool::read(def, check)
}

async fn check(context: ToolContext, args: Arguments) -> Result<Outcome, ToolError> {
    let given = find::ids("emailId", &[args.email_id])?;
    let Some(id) = given.first() else {
        return Ok(Outcome::Gone);
    };
    let Some(mail) = find::read(&context, id).await? else {
        return Ok(Outcome::Gone);
    };
    let own = context.accounts.mail.address(&context.account()).await;
    if mail.summary.from.address != own.map_err(not_read)?.address {
        return Err(refused("emailId", id.as_str(), "is no e-mail you sent."));
    }
    let mut first: Option<MailSummary> = None;
    for recipient in mail.summary.to.iter().take(RECIPIENTS) {
        let found = answer(&context, &mail, &recipient.address).await?;
        let is_earlier = |found: &MailSummary| {
            let known = first.as_ref();
            known.is_none_or(|known| found.received_at < known.received_at)
        };
        if found.as_ref().is_some_and(is_earlier) {
            first = found;
        }
    }
    Ok(match first {
        Some(answer) => Outcome::Answered {
            by: shown(&answer.from),
            at: answer.received_at,
            email_id: answer.id,
        },
        None => Outcome::NotAnswered {
            to: mail.summary.to.iter().map(shown).collect(),
            subject: line(&mail.summary.subject),
            sent_at: mail.summary.received_at,
        },
    })
}

/// Finds the first answer from this recipient. Automatic replies ("I'm on holiday") don't count.
async fn answer(
    context: &ToolContext,
    mail: &MailMessage,
    address: &str,
) -> Result<Option<MailSummary>, ToolError> {
    let query = MailQuery {
        status: ANY_STATUS.to_vec(),
        from: Some(address.to_owned()),
        since: Some(mail.summary.received_at),
        limit: LOOKED_AT,
        ..MailQuery::default()
    };
    let port = &context.accounts.mail;
    let page = port.list(&context.account(), &query).await;
    let theirs = page.map_err(not_read)?.mails.into_iter();
    let theirs = theirs.filter(|one| one.from.address == address && !one.automated);
    let ids: Vec<MailId> = theirs.map(|one| one.id).collect();
    let mut found = None;
    for (_, one) in find::each(context, &ids).await? {
        // The list is newest first, so the last match is the first answer.
        found = one
            .filter(|one| answers(one, mail))
            .map(|one| one.summary)
            .or(found);
    }
    Ok(found)
}

/// Matches by `References`, or by subject if the mail has no references.
fn answers(one: &MailMessage, mail: &MailMessage) -> bool {
    let own = one.message_id.as_ref();
    let mut referred = one
        .references
        .iter()
        .filter(|id| Some(*id) != own)
        .peekable();
    if referred.peek().is_some() {
        return referred.any(|id| Some(id) == mail.message_id.as_ref());
    }
    let plain = |mail: &MailMessage| {
        let subject = line(&mail.summary.subject);
        subject_without_prefixes(&subject).to_lowercase()
    };
    plain(one) == plain(mail) && one.summary.subject != mail.summary.subject
}
