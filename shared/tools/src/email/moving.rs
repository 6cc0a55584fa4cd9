//! Mails into the archive and out of it. The mailbox is no part of the step's
//! commit, so what each mail was is written down before the first one is
//! touched: a call that is repeated after a crash does and says the same.

use alfred_agent::tool::{Receipt, ToolContext, ToolError, ToolOutput};
use alfred_core::id::MailId;
use alfred_core::ports::{AccountError, Commit, Key, MailMessage, MailStatus, StoreError, Write};
use alfred_core::{Failure, keys, text};
use futures_util::{StreamExt, stream};
use jiff::SignedDuration;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::time::Duration;

use super::find::{self, AT_A_TIME};
use crate::account::not_read;

/// How long it is kept what mails were before a call; redeliveries come within days.
const KEPT: SignedDuration = SignedDuration::from_hours(30 * 24);

/// A mail with a state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Stated {
    pub email_id: MailId,
    pub status: MailStatus,
}

/// A mail that stayed as it was.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    pub email_id: MailId,
    /// Why, in a sentence.
    pub reason: String,
}

/// What became of mails that were to be archived.
#[derive(Debug, Default)]
pub struct Archived {
    /// Those that moved, with what they were.
    pub moved: Vec<Stated>,
    /// How many were archived before.
    pub already: usize,
    pub problems: Vec<Problem>,
}

#[derive(Serialize, Deserialize)]
struct Row {
    before: Vec<Stated>,
}

impl Archived {
    /// The output, with a receipt and its way back where anything moved.
    pub fn output(self, context: &ToolContext, data: ToolOutput) -> ToolOutput {
        if self.moved.is_empty() {
            return data;
        }
        let receipt = Receipt {
            what: text::archived_mails(self.moved.len()),
            place: text::in_mailbox().to_owned(),
            at: Some(context.now),
            ..Receipt::default()
        };
        let back = json!({"emails": self.moved});
        let archived = |mail: Stated| Stated {
            status: MailStatus::Archived,
            ..mail
        };
        let left: Vec<Stated> = self.moved.into_iter().map(archived).collect();
        data.with_receipt(receipt)
            .undone_by("email_restoreBatch", [back])
            .leaving([json!(left)])
    }
}

/// The mails that an earlier attempt at this call set out to archive: words
/// that named one may fit nothing any more.
///
/// # Errors
/// What the store says.
pub async fn begun(context: &ToolContext) -> Result<Option<Vec<MailId>>, ToolError> {
    let row = load(context, &key(context)).await?;
    let ids = |row: Row| row.before.into_iter().map(|mail| mail.email_id).collect();
    Ok(row.map(ids))
}

/// Archives these mails.
///
/// # Errors
/// `Failed` without an account, `Stop` when the mailbox can't be reached at all.
pub async fn archive(context: &ToolContext, ids: &[MailId]) -> Result<Archived, ToolError> {
    let before = before(context, ids).await?;
    let unknown = ids
        .iter()
        .filter(|id| before.iter().all(|mail| mail.email_id != **id));
    let problem = |id: &MailId| Problem {
        email_id: id.clone(),
        reason: text::no_such_mail().to_owned(),
    };
    let mut archived = Archived {
        problems: unknown.map(problem).collect(),
        ..Archived::default()
    };
    let (done, open): (Vec<Stated>, Vec<Stated>) = before
        .into_iter()
        .partition(|mail| mail.status == MailStatus::Archived);
    archived.already = done.len();
    let to = |mail: &Stated| Stated {
        status: MailStatus::Archived,
        ..mail.clone()
    };
    let (moved, problems) = put(context, open.iter().map(to).collect()).await?;
    archived.moved = open;
    archived.moved.retain(|mail| moved.contains(&mail.email_id));
    archived.problems.extend(problems);
    Ok(archived)
}

/// Puts mails into states; the ids of those that are in them now, and why others aren't.
///
/// # Errors
/// As `archive`.
pub async fn put(
    context: &ToolContext,
    mails: Vec<Stated>,
) -> Result<(Vec<MailId>, Vec<Problem>), ToolError> {
    let works = mails.into_iter().map(|mail| async move {
        let set = set(context, &mail).await;
        (mail.email_id, set)
    });
    let works: Vec<_> = works.map(Box::pin).collect();
    let results: Vec<_> = stream::iter(works).buffered(AT_A_TIME).collect().await;
    let (mut moved, mut problems, mut away) = (Vec::new(), Vec::new(), None);
    for (email_id, result) in results {
        let reason = match result {
            Ok(Some(_)) => {
                moved.push(email_id);
                continue;
            }
            Ok(None) => text::no_such_mail().to_owned(),
            Err(AccountError::Refused { reason }) => reason,
            Err(error @ AccountError::NotConnected(_)) => return Err(not_read(error)),
            Err(error) => {
                away = Some(error);
                text::mailbox_not_reached().to_owned()
            }
        };
        problems.push(Problem { email_id, reason });
    }
    match away {
        // Nothing is done yet, or nobody knows: the whole is tried again later.
        Some(error) if moved.is_empty() => Err(not_read(error)),
        _ => Ok((moved, problems)),
    }
}

/// Of mails that a call takes back to states: those that are as its effect left them, or there already; and why
/// others stay as they are.
///
/// # Errors
/// As `find::each`.
pub async fn as_left(
    context: &ToolContext,
    to: Vec<Stated>,
) -> Result<(Vec<Stated>, Vec<Problem>), ToolError> {
    let left = context
        .left
        .clone()
        .map(serde_json::from_value::<Vec<Stated>>);
    let Some(left) = left.transpose().map_err(Failure::bug)? else {
        return Ok((to, Vec::new()));
    };
    let ids: Vec<MailId> = to.iter().map(|mail| mail.email_id.clone()).collect();
    let found = find::each(context, &ids).await?;
    let (mut open, mut problems) = (Vec::new(), Vec::new());
    for (mail, (_, now)) in to.into_iter().zip(found) {
        let was = left.iter().find(|left| left.email_id == mail.email_id);
        let changed = now.map(|now| now.summary).filter(|now| {
            now.status != mail.status && was.is_some_and(|was| was.status != now.status)
        });
        match changed {
            Some(now) => problems.push(Problem {
                email_id: mail.email_id,
                reason: text::changed_since_then(&super::line(&now.subject)),
            }),
            None => open.push(mail),
        }
    }
    Ok((open, problems))
}

/// A state may be set again at once where it isn't known whether it was.
async fn set(context: &ToolContext, mail: &Stated) -> Result<Option<MailStatus>, AccountError> {
    let (account, port) = (context.account(), &context.accounts.mail);
    match port.set_status(&account, &mail.email_id, mail.status).await {
        Err(AccountError::Unknown { .. }) => {
            context.clock.sleep(Duration::from_secs(1)).await;
            port.set_status(&account, &mail.email_id, mail.status).await
        }
        known => known,
    }
}

/// What those of these mails that are the person's were before this call.
async fn before(context: &ToolContext, ids: &[MailId]) -> Result<Vec<Stated>, ToolError> {
    let key = key(context);
    if let Some(row) = load(context, &key).await? {
        return Ok(row.before);
    }
    let found = find::each(context, ids).await?;
    let stated = |(email_id, mail): (MailId, Option<_>)| {
        let mail: MailMessage = mail?;
        Some(Stated {
            email_id,
            status: mail.summary.status,
        })
    };
    let row = Row {
        before: found.into_iter().filter_map(stated).collect(),
    };
    let body = serde_json::to_value(&row).map_err(Failure::bug)?;
    let until = context.now.saturating_add(KEPT).map_err(Failure::bug)?;
    let commit = Commit {
        id: context.ids.uuid(),
        writes: vec![Write::create(key.clone(), body).expiring(until)],
    };
    match context.store.commit(&commit).await {
        Ok(()) => Ok(row.before),
        // Another attempt at this call was first.
        Err(StoreError::Conflict { .. }) => match load(context, &key).await? {
            Some(row) => Ok(row.before),
            None => Err(Failure::retry("what mails were is being written").into()),
        },
        Err(other) => Err(other.into()),
    }
}

fn key(context: &ToolContext) -> Key {
    keys::mail_before(&context.team, context.user_id(), &context.idempotency_key)
}

async fn load(context: &ToolContext, key: &Key) -> Result<Option<Row>, ToolError> {
    let Some(item) = context.store.get(key).await? else {
        return Ok(None);
    };
    let row = serde_json::from_value(item.body).map_err(|error| StoreError::Corrupt {
        detail: format!("{key:?} holds no states of mails: {error}"),
    })?;
    Ok(Some(row))
}
