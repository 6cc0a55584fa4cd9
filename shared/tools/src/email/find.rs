//! Finds mails by id or by words.

use alfred_core::id::MailId;
use alfred_core::ports::{MailMessage, MailPage, MailQuery, MailSummary};
use futures_util::{StreamExt, TryStreamExt, stream};

use crate::fields::{LISTED, MAX_WORDS, local, refused_found, unclear, words_up_to};
use crate::fold::every_word;
use crate::prelude::*;

const MOST_IDS: usize = 500;
/// Mails that words are compared with, newest first.
const COMPARED: usize = 50;
/// Concurrent fetches; more would exceed providers' rate limits.
const AT_A_TIME: usize = 8;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OneMail {
    /// Its id, or words of sender or subject that fit it alone.
    pub email_id: String,
}

/// Finds the mail with this id, or the only unarchived mail that fits these words best. Fails if none or several
/// do; the error contains no text of the mails.
pub async fn one(context: &ToolContext, field: &str, named: &str) -> Result<MailMessage> {
    let empty = "is empty. Give the e-mail's id, or words of its sender or subject.";
    let named = words_up_to(field, named, MAX_WORDS, empty)?;
    if let Some(mail) = read(context, &MailId(named.clone())).await? {
        return Ok(mail);
    }
    let query = MailQuery {
        words: named.split_whitespace().map(str::to_owned).collect(),
        limit: COMPARED,
        ..MailQuery::default()
    };
    let mut mails = list(context, &query).await?.mails;
    keep_best(&mut mails, &fold(&named));
    match mails.as_slice() {
        [] => Err(nothing(field, &named)),
        [one] => {
            let found = read(context, &one.id).await?;
            found.ok_or_else(|| nothing(field, &named))
        }
        several => {
            let received = |mail: &MailSummary| short_moment(mail.received_at, &context.zone());
            let thing = |mail: &MailSummary| (received(mail), mail.id.to_string());
            let button = |mail: &MailSummary| {
                let at = local(mail.received_at, &context.zone(), "%a %H:%M");
                format!("{}, {at}", super::named(mail))
            };
            let (listed, count) = (several.iter().take(LISTED), several.len());
            let things: Vec<_> = listed.clone().map(thing).collect();
            let words = format!("{count} e-mails fit “{named}”. Which one do you mean?");
            let error = unclear(field, &named, &things, count).say(words);
            Err(error.offering(listed.map(button)))
        }
    }
}

/// Keeps the mails whose sender the words fit; if there is none, those whose sender and subject they fit, else those
/// whose text they fit. A word fits where another one begins with it. Of a long text only the beginning is known here.
fn keep_best(mails: &mut Vec<MailSummary>, words: &str) {
    let begins = |part: &str, word: &str| part.starts_with(word);
    let fits = |text: &str| every_word(words, text, begins);
    let rank = |mail: &MailSummary| {
        let from = format!("{} {}", mail.from.name, mail.from.address);
        let head = format!("{from} {}", mail.subject);
        let seen = fold(&format!("{head} {}", mail.snippet));
        let inside = |word| seen.contains(word) && !every_word(word, &seen, begins);
        match () {
            () if fits(&from) => Some(0),
            () if fits(&head) => Some(1),
            () => (!words.split(' ').any(inside)).then_some(2),
        }
    };
    let best = mails.iter().filter_map(rank).min();
    mails.retain(|mail| best.is_some() && rank(mail) == best);
}

pub async fn list(context: &ToolContext, query: &MailQuery) -> Result<MailPage> {
    let mail = &context.accounts.mail;
    mail.list(&context.account(), query).await.map_err(not_read)
}

pub async fn own_address(context: &ToolContext) -> Result<String> {
    let own = context.accounts.mail.address(&context.account()).await;
    Ok(own.map_err(not_read)?.address)
}

pub async fn read(context: &ToolContext, id: &MailId) -> Result<Option<MailMessage>> {
    let mail = &context.accounts.mail;
    mail.read(&context.account(), id).await.map_err(not_read)
}

/// Mails in the order of their ids; `None` for an unknown id.
type Found<T> = Vec<(MailId, Option<T>)>;

pub async fn each(context: &ToolContext, ids: &[MailId]) -> Result<Found<MailMessage>> {
    let reads = ids.iter().map(|id| async move {
        let found = read(context, id).await?;
        Ok::<_, ToolError>((id.clone(), found))
    });
    // Boxed, because the compiler can't infer lifetimes through a stream of borrowing futures.
    let reads: Vec<_> = reads.map(Box::pin).collect();
    stream::iter(reads).buffered(AT_A_TIME).try_collect().await
}

/// Only the envelopes.
pub async fn summaries(context: &ToolContext, ids: &[MailId]) -> Result<Found<MailSummary>> {
    let mail = &context.accounts.mail;
    let found = mail.summaries(&context.account(), ids).await;
    let found = found.map_err(not_read)?;
    Ok(ids.iter().cloned().zip(found).collect())
}

/// Describes each mail in one line for a card: sender and subject, or the id of an unknown mail.
pub async fn listed(context: &ToolContext, ids: &[MailId]) -> Result<Vec<String>> {
    let found = summaries(context, ids).await?;
    let line = |(_, mail): (MailId, Option<MailSummary>)| match mail {
        Some(mail) => super::named(&mail),
        None => "an e-mail that isn't there any more".to_owned(),
    };
    Ok(found.into_iter().map(line).collect())
}

pub fn ids(field: &str, given: &[String]) -> Result<Vec<MailId>> {
    check_count(field, given.len(), "ids", 1..=MOST_IDS)?;
    let mut ids: Vec<MailId> = Vec::with_capacity(given.len());
    for id in given {
        let id = words_up_to(field, id, MAX_WORDS, "is empty.");
        let id = MailId(id.map_err(|error| error.hint("email_viewEmails gives ids."))?);
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    Ok(ids)
}

pub fn wrong(field: &str, id: &MailId, problem: &str) -> ToolError {
    refused_found(field, ("e-mail", id.as_str()), problem)
}

fn nothing(field: &str, named: &str) -> ToolError {
    let error = refused(field, named, "isn't among the e-mails outside the archive.");
    error.hint("email_viewEmails gives ids.")
}
