//! `email_checkAnswered`: checks whether a mail that the person sent was answered.

use alfred_core::id::MailId;
use alfred_core::ports::{MailMessage, MailQuery, MailSummary};
use alfred_planner::mail::subject_without_prefixes;

use super::{ANY_STATUS, TOOLSET, find, line, shown};
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

pub fn tool() -> SharedTool {
    let description = "Tells whether a recipient has answered an e-mail that the person sent: answered, notAnswered or gone.";
    let def = ToolDef::new(TOOLSET, "email_checkAnswered", description);
    tool::read(def, check)
}

/// The data has a `state`, on which schedules branch.
async fn check(context: ToolContext, args: Arguments) -> Result<Value> {
    let given = find::ids("emailId", &[args.email_id])?;
    let id = &given[0];
    let Some(mail) = find::read(&context, id).await? else {
        // Answers to a sent mail that no longer exists can't be checked.
        return Ok(json!({"state": "gone"}));
    };
    if mail.summary.from.address != find::own_address(&context).await? {
        return Err(find::wrong("emailId", id, "isn't one that you sent."));
    }
    let mut answers: Vec<MailSummary> = Vec::new();
    for recipient in mail.summary.to.iter().take(RECIPIENTS) {
        answers.extend(answer(&context, &mail, &recipient.address).await?);
    }
    let first = answers.into_iter().min_by_key(|one| one.received_at);
    Ok(match first {
        Some(first) => json!({
            "state": "answered",
            "by": shown(&first.from),
            "at": first.received_at,
            "emailId": first.id,
        }),
        None => json!({
            "state": "notAnswered",
            "to": mail.summary.to.iter().map(shown).collect::<Vec<_>>(),
            "subject": line(&mail.summary.subject),
            "sentAt": mail.summary.received_at,
        }),
    })
}

/// Finds the first answer from this recipient. Automatic replies ("I'm on holiday") don't count.
async fn answer(
    context: &ToolContext,
    mail: &MailMessage,
    address: &str,
) -> Result<Option<MailSummary>> {
    let query = MailQuery {
        status: ANY_STATUS.to_vec(),
        from: Some(address.to_owned()),
        since: Some(mail.summary.received_at),
        limit: LOOKED_AT,
        ..MailQuery::default()
    };
    let theirs = find::list(context, &query).await?.mails.into_iter();
    let theirs = theirs.filter(|one| one.from.address == address && !one.automated);
    let ids: Vec<MailId> = theirs.map(|one| one.id).collect();
    let mut found = None;
    for (_, one) in find::each(context, &ids).await? {
        // The list is newest first, so the last match is the first answer.
        let answer = one.filter(|one| answers(one, mail));
        found = answer.map(|one| one.summary).or(found);
    }
    Ok(found)
}

/// Matches by `References`, or by subject if the mail has no references.
fn answers(one: &MailMessage, mail: &MailMessage) -> bool {
    let mut referred: Vec<_> = one.references.iter().map(Some).collect();
    referred.retain(|id| *id != one.message_id.as_ref());
    if !referred.is_empty() {
        return referred.contains(&mail.message_id.as_ref());
    }
    let plain = |mail: &MailMessage| {
        let subject = line(&mail.summary.subject);
        subject_without_prefixes(&subject).to_lowercase()
    };
    plain(one) == plain(mail) && one.summary.subject != mail.summary.subject
}
