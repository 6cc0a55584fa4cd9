//! Mails by id, or by words where one is named.

use alfred_core::id::MailId;
use alfred_core::ports::{MailMessage, MailQuery, MailSummary};
use futures_util::{StreamExt, TryStreamExt, stream};

use crate::account::not_read;
use crate::fields::unclear;
use crate::prelude::*;

/// Ids a call may name.
pub const MOST_IDS: usize = 500;
/// Characters of an id, or of the words that name a mail.
const MAX_ID: usize = 500;
/// Mails an error lists.
const LISTED: usize = 5;
/// Mails that are fetched at a time: enough to be quick, few enough for providers' limits.
const AT_A_TIME: usize = 8;

/// The one mail of this id, or the one outside the archive that these words fit.
///
/// # Errors
/// `Failed` when none or several fit; it names none of a mail's words.
pub async fn one(
    context: &ToolContext,
    field: &str,
    named: &str,
) -> Result<MailMessage, ToolError> {
    let named = text_up_to(field, named, MAX_ID).map_err(invalid)?;
    if named.is_empty() {
        let problem = "is empty. Give the e-mail's id, or words of its sender or subject.";
        return Err(refused(field, &named, problem));
    }
    if let Some(mail) = read(context, &MailId(named.clone())).await? {
        return Ok(mail);
    }
    let query = MailQuery {
        words: named.split_whitespace().map(str::to_owned).collect(),
        limit: LISTED,
        ..MailQuery::default()
    };
    let mail = &context.accounts.mail;
    let page = mail.list(&context.account(), &query).await;
    let page = page.map_err(not_read)?;
    match page.mails.as_slice() {
        [] => Err(nothing(field, &named)),
        [one] if page.total.number() == 1 => {
            let found = read(context, &one.id).await?;
            found.ok_or_else(|| nothing(field, &named))
        }
        several => {
            let zone = context.zone();
            let shown = |mail: &MailSummary| {
                let received = mail.received_at.to_zoned(zone.clone());
                let label = format!("one of {}", received.strftime("%Y-%m-%d %H:%M"));
                (label, mail.id.to_string())
            };
            let things: Vec<_> = several.iter().map(shown).collect();
            let on_button = |mail: &MailSummary| {
                let received = mail.received_at.to_zoned(zone.clone());
                format!("{}, {}", super::named(mail), received.strftime("%a %H:%M"))
            };
            let error = unclear(field, &named, (&things, page.total.number()));
            Err(error.offering(several.iter().map(on_button)))
        }
    }
}

/// The mail of exactly this id; `None` when the person has none.
pub async fn read(context: &ToolContext, id: &MailId) -> Result<Option<MailMessage>, ToolError> {
    let mail = &context.accounts.mail;
    let found = mail.read(&context.account(), id).await;
    found.map_err(not_read)
}

/// Those of these ids that are the person's, in order; `None` for each other one.
///
/// # Errors
/// What the mailbox says.
pub async fn each(
    context: &ToolContext,
    ids: &[MailId],
) -> Result<Vec<(MailId, Option<MailMessage>)>, ToolError> {
    let reads = ids.iter().map(|id| async move {
        let found = read(context, id).await?;
        Ok::<_, ToolError>((id.clone(), found))
    });
    // Boxed: the compiler can't see through a stream of borrowing futures.
    let reads: Vec<_> = reads.map(Box::pin).collect();
    stream::iter(reads).buffered(AT_A_TIME).try_collect().await
}

/// The envelopes of these, in order; `None` for each that isn't the person's.
///
/// # Errors
/// What the mailbox says.
pub async fn summaries(
    context: &ToolContext,
    ids: &[MailId],
) -> Result<Vec<(MailId, Option<MailSummary>)>, ToolError> {
    let mail = &context.accounts.mail;
    let found = mail.summaries(&context.account(), ids).await;
    let found = found.map_err(not_read)?;
    Ok(ids.iter().cloned().zip(found).collect())
}

/// Each of these mails on a line, for a card: sender and subject, or the id of what isn't there.
///
/// # Errors
/// What the mailbox says.
pub async fn listed(context: &ToolContext, ids: &[MailId]) -> Result<Vec<String>, ToolError> {
    let found = summaries(context, ids).await?;
    let line = |(id, mail): (MailId, Option<MailSummary>)| match mail {
        Some(mail) => super::named(&mail),
        None => format!("{} (no such e-mail)", id.as_str()),
    };
    Ok(found.into_iter().map(line).collect())
}

/// Ids as an argument gives them, each once.
///
/// # Errors
/// None, too many, or one that can't be an id.
pub fn ids(field: &str, given: &[String]) -> Result<Vec<MailId>, ToolError> {
    if given.is_empty() || given.len() > MOST_IDS {
        let count = format!("{} ids", given.len());
        let problem = format!("is out of range: 1 to {MOST_IDS} ids a call.");
        return Err(refused(field, &count, problem));
    }
    let mut ids: Vec<MailId> = Vec::with_capacity(given.len());
    for id in given {
        let id = text_up_to(field, id, MAX_ID).map_err(invalid)?;
        if id.is_empty() {
            return Err(refused(field, &id, "is empty.").hint("email_viewEmails gives ids."));
        }
        let id = MailId(id);
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    Ok(ids)
}

fn nothing(field: &str, named: &str) -> ToolError {
    let error = refused(field, named, "isn't among the e-mails outside the archive.");
    error.hint("email_viewEmails gives ids.")
}
