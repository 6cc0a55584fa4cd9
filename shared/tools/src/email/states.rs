//! Changes the states of mails. The mailbox isn't part of the step's commit, so the states before the change
//! are stored first. A call that repeats after a crash then returns the same result.

use alfred_agent::tool::Receipt;
use alfred_core::id::MailId;
use alfred_core::keys;
use alfred_core::ports::{Commit, Key, MailStatus, MailSummary, StoreError, Write};

use super::find;
use super::setting::set_all;
use crate::fields::{counted, first_names};
use crate::prelude::*;

pub const NO_SUCH_MAIL: &str = "There is no such e-mail in your mailbox.";
pub const RESTORE: &str = "email_restoreBatch";

/// How long the previous states stay stored. Redeliveries come within days.
const KEPT: SignedDuration = SignedDuration::from_hours(30 * 24);
/// Mails that a receipt names.
const NAMED: usize = 3;
/// Characters that a receipt shows of a subject or a sender.
const NAME: usize = 80;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Stated {
    pub email_id: MailId,
    pub status: MailStatus,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    pub email_id: MailId,
    pub reason: String,
}

struct Changed {
    before: Stated,
    after: MailStatus,
    /// Subject and sender.
    name: String,
}

/// The result of a change of states.
#[derive(Default)]
pub struct Moved {
    changed: Vec<Changed>,
    /// Number of mails that were already in the wanted state.
    pub already: usize,
    pub problems: Vec<Problem>,
}

/// The mails of a call as they were before it. The words that named a mail may match nothing after the change.
#[derive(Serialize, Deserialize)]
struct Row {
    before: Vec<Stated>,
    /// Subject and sender of each mail of `before`.
    names: Vec<String>,
}

impl Moved {
    pub fn count(&self) -> usize {
        self.changed.len()
    }

    pub fn failed(&self) -> Vec<&MailId> {
        self.problems.iter().map(|one| &one.email_id).collect()
    }

    /// Counts the changed mails and names the first ones, for a receipt.
    pub fn named(&self) -> String {
        let names: Vec<String> = self.changed.iter().map(|one| one.name.clone()).collect();
        let names = first_names(&names, NAMED);
        format!("{}: {names}", counted(self.count(), "e-mail"))
    }

    /// Adds the problems to the data, and a receipt with its undo if anything changed.
    pub fn output(
        self,
        context: &ToolContext,
        mut data: Value,
        what: String,
    ) -> Result<ToolOutput, ToolError> {
        if !self.problems.is_empty() {
            data["problems"] = json!(self.problems);
        }
        let data = ToolOutput::data(&data)?;
        if self.changed.is_empty() {
            return Ok(data);
        }
        let output = data.with_receipt(Receipt {
            what,
            place: "your mailbox".to_owned(),
            at: Some(context.now),
            ..Receipt::default()
        });
        let before: Vec<&Stated> = self.changed.iter().map(|one| &one.before).collect();
        let left = self.changed.iter().map(|one| Stated {
            email_id: one.before.email_id.clone(),
            status: one.after,
        });
        let left: Vec<Stated> = left.collect();
        Ok(output
            .undone_by(RESTORE, [json!({"emails": before})])
            .leaving([json!(left)]))
    }
}

/// Returns the mails that an earlier attempt at this call started to change.
pub async fn begun(context: &ToolContext) -> Result<Option<Vec<MailId>>, ToolError> {
    let row = load(context, &key(context)).await?;
    let ids = |row: Row| row.before.into_iter().map(|mail| mail.email_id).collect();
    Ok(row.map(ids))
}

pub async fn set_to(
    context: &ToolContext,
    ids: &[MailId],
    status: MailStatus,
) -> Result<Moved, ToolError> {
    let wanted = ids.iter().cloned();
    let wanted = wanted.map(|email_id| Stated { email_id, status });
    put(context, wanted.collect()).await
}

/// Marks mails as backlog. Archived and processed mails keep their states.
pub async fn mark(context: &ToolContext, ids: &[MailId]) -> Result<Moved, ToolError> {
    let before = before(context, ids).await?.before;
    let is_over = |id: &MailId| {
        let mut known = before.iter().filter(|mail| mail.email_id == *id);
        known.any(|mail| matches!(mail.status, MailStatus::Archived | MailStatus::Processed))
    };
    let (over, open): (Vec<MailId>, Vec<MailId>) = ids.iter().cloned().partition(is_over);
    let mut result = set_to(context, &open, MailStatus::Backlog).await?;
    result
        .problems
        .extend(over.into_iter().map(|email_id| Problem {
            email_id,
            reason: "It was dealt with or archived already.".to_owned(),
        }));
    Ok(result)
}

/// Sets the states. Fails without an account; stops if the mailbox can't be reached at all.
pub async fn put(context: &ToolContext, wanted: Vec<Stated>) -> Result<Moved, ToolError> {
    let (wanted, problems) = as_left(context, wanted).await?;
    let ids: Vec<MailId> = wanted.iter().map(|mail| mail.email_id.clone()).collect();
    let Row { before, names } = before(context, &ids).await?;
    let mut result = Moved {
        problems,
        ..Moved::default()
    };
    let mut open = Vec::new();
    for mail in wanted {
        let known = before.iter().find(|known| known.email_id == mail.email_id);
        match known {
            Some(known) if known.status == mail.status => result.already += 1,
            Some(_) => open.push(mail),
            None => result.problems.push(Problem {
                email_id: mail.email_id,
                reason: NO_SUCH_MAIL.to_owned(),
            }),
        }
    }
    let (moved, problems) = set_all(context, &open).await?;
    result.problems.extend(problems);
    for (before, name) in before.into_iter().zip(names) {
        let wanted = open.iter().find(|mail| mail.email_id == before.email_id);
        if let Some(wanted) = wanted.filter(|_| moved.contains(&before.email_id)) {
            result.changed.push(Changed {
                after: wanted.status,
                before,
                name,
            });
        }
    }
    Ok(result)
}

/// For an undo: returns the mails that are still as the original call left them or already restored, and the
/// reasons why others keep their states.
async fn as_left(
    context: &ToolContext,
    to: Vec<Stated>,
) -> Result<(Vec<Stated>, Vec<Problem>), ToolError> {
    let left = context.call.left.clone().map(serde_json::from_value);
    let left: Result<Option<Vec<Stated>>, _> = left.transpose();
    let Some(left) = left.map_err(Failure::bug)? else {
        return Ok((to, Vec::new()));
    };
    let ids: Vec<MailId> = to.iter().map(|mail| mail.email_id.clone()).collect();
    let found = find::summaries(context, &ids).await?;
    let (mut open, mut problems) = (Vec::new(), Vec::new());
    for (mail, (_, now)) in to.into_iter().zip(found) {
        let was = left.iter().find(|left| left.email_id == mail.email_id);
        let changed = now.filter(|now| {
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

/// Subject and sender, each cut and on one line. Quotation marks inside can't end the subject's own.
fn name(mail: &MailSummary) -> String {
    let short = |text: &str| super::head(&super::line(text), NAME).replace('"', "'");
    let sender = match short(&mail.from.name) {
        unnamed if unnamed.is_empty() => short(&mail.from.address),
        name => name,
    };
    format!("\"{}\" from {sender}", short(&mail.subject))
}

/// Returns the states before this call, and stores them at the first attempt.
async fn before(context: &ToolContext, ids: &[MailId]) -> Result<Row, ToolError> {
    let key = key(context);
    if let Some(row) = load(context, &key).await? {
        return Ok(row);
    }
    let found = find::summaries(context, ids).await?;
    let stated = |(email_id, mail): (MailId, Option<MailSummary>)| {
        let mail = mail?;
        let status = mail.status;
        Some((Stated { email_id, status }, name(&mail)))
    };
    let (before, names) = found.into_iter().filter_map(stated).unzip();
    let row = Row { before, names };
    let body = serde_json::to_value(&row).map_err(Failure::bug)?;
    let until = context.now.saturating_add(KEPT).map_err(Failure::bug)?;
    let write = Write::create(key.clone(), body).expiring(until);
    let commit = Commit::new(&*context.ids, vec![write]);
    match context.store.commit(&commit).await {
        Ok(()) => Ok(row),
        // Another attempt at this call stored them first.
        Err(StoreError::Conflict { .. }) => match load(context, &key).await? {
            Some(row) => Ok(row),
            None => Err(Failure::retry("what mails were is being written").into()),
        },
        Err(other) => Err(other.into()),
    }
}

fn key(context: &ToolContext) -> Key {
    keys::mail_before(&context.team, context.user_id(), &context.call.key)
}

async fn load(context: &ToolContext, key: &Key) -> Result<Option<Row>, ToolError> {
    let Some(item) = context.store.get(key).await? else {
        return Ok(None);
    };
    Ok(Some(item.decode("list of mails' states")?))
}
