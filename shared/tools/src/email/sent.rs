//! Mails that the person wrote themselves, as far as their own words go.

use alfred_core::id::MailId;
use alfred_core::invisible::removed;
use alfred_core::ports::{MailMessage, MailQuery};
use alfred_planner::mail::own_words;

use super::find;
use crate::account::not_read;
use crate::prelude::*;

/// Mails that are looked at.
pub const MOST: usize = 25;
/// Of a shorter one nothing can be told.
const SHORTEST: usize = 50;
/// Characters of each that are kept.
const LONGEST: usize = 2_000;
/// Sent mails among which those with enough text are looked for.
const LISTED: usize = 50;

/// A mail's own words.
pub struct Sample {
    pub id: MailId,
    pub at: Timestamp,
    /// Without quotes and signature.
    pub text: String,
}

/// The newest ones with enough text.
///
/// # Errors
/// What the mailbox says.
pub async fn newest(context: &ToolContext, count: usize) -> Result<Vec<Sample>, ToolError> {
    let query = MailQuery {
        sent: true,
        limit: LISTED,
        ..MailQuery::default()
    };
    let port = &context.accounts.mail;
    let page = port.list(&context.account(), &query).await;
    let listed = page.map_err(not_read)?.mails;
    let by_hand = listed.into_iter().filter(|mail| !mail.automated);
    let ids: Vec<MailId> = by_hand.map(|mail| mail.id).collect();
    let mut samples = Vec::new();
    for some in ids.chunks(count.max(1)) {
        for (_, mail) in find::each(context, some).await? {
            samples.extend(mail.as_ref().and_then(sample));
        }
        if samples.len() >= count {
            break;
        }
    }
    samples.truncate(count);
    Ok(samples)
}

/// Those of these ids that have enough text.
///
/// # Errors
/// `Failed` for one that isn't there, or that somebody else wrote; what the mailbox says.
pub async fn named(
    context: &ToolContext,
    field: &str,
    ids: &[String],
) -> Result<Vec<Sample>, ToolError> {
    let ids = find::ids(field, ids)?;
    if ids.len() > MOST {
        let count = format!("{} ids", ids.len());
        return Err(refused(field, &count, "are too many: at most 25."));
    }
    let own = context.accounts.mail.address(&context.account()).await;
    let own = own.map_err(not_read)?.address;
    let mut samples = Vec::new();
    for (id, mail) in find::each(context, &ids).await? {
        let mail = mail.filter(|mail| mail.summary.from.address == own);
        let mail = mail.ok_or_else(|| refused(field, id.as_str(), "is no e-mail you sent."))?;
        samples.extend(sample(&mail));
    }
    Ok(samples)
}

fn sample(mail: &MailMessage) -> Option<Sample> {
    let own = own_words(&removed(&mail.text));
    let text: String = own.chars().take(LONGEST).collect();
    (text.chars().count() > SHORTEST).then(|| Sample {
        id: mail.summary.id.clone(),
        at: mail.summary.received_at,
        text,
    })
}
