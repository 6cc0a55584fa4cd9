//! Changes the states of mails. The mailbox isn't part of the step's commit, so the states before the change
//! are stored first. A call that repeats after a crash then returns the same result.

use alfred_core::id::MailId;
use alfred_core::ports::{Commit, Key, MailStatus, MailSummary, StoreError};

use super::find;
use super::setting::set_all;
use crate::fields::{counted, first_names};
use crate::prelude::*;

pub const NO_SUCH_MAIL: &str = "There is no such e-mail in your mailbox.";
const NOT_NEW: &str = "It was dealt with or archived already.";
pub const RESTORE: &str = "email_restoreBatch";

/// How long the previous states stay stored. Redeliveries come within days.
const KEPT: SignedDuration = SignedDuration::from_hours(30 * 24);
/// Mails that a receipt names.
const NAMED: usize = 3;
/// Characters that a receipt shows of a subject or a sender.
const NAME: usize = 80;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Stated {
    /// The e-mail's id.
    pub email_id: MailId,
    /// The state it had before. Archiving is for email_archiveBatch.
    #[schemars(with = "String")]
    #[schemars(extend("enum" = ["unread", "read", "archived", "backlog", "processed", "deleted"]))]
    pub status: MailStatus,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    pub email_id: MailId,
    pub reason: String,
}

impl Problem {
    pub fn new(email_id: MailId, reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self { email_id, reason }
    }
}

#[derive(Default)]
pub struct Moved {
    /// The changed mails as they were, with their subjects and senders.
    before: Before,
    /// The changed mails as they are now.
    after: Vec<Stated>,
    /// Number of mails that were already in the wanted state.
    pub already: usize,
    pub problems: Vec<Problem>,
}

/// The mails of a call as they were before it. The words that named a mail may match nothing after the change.
#[derive(Default, Serialize, Deserialize)]
struct Before {
    mails: Vec<Stated>,
    /// Subject and sender of each mail.
    names: Vec<String>,
}

impl Moved {
    pub fn count(&self) -> usize {
        self.after.len()
    }

    pub fn failed(&self) -> Vec<&MailId> {
        self.problems.iter().map(|one| &one.email_id).collect()
    }

    /// Counts the changed mails and names the first ones, for a receipt.
    pub fn named(&self) -> String {
        let names = first_names(&self.before.names, NAMED);
        format!("{}: {names}", counted(self.count(), "e-mail"))
    }

    /// Adds the problems to the data, and a receipt with its undo if anything changed.
    pub fn output(self, mut data: Value, what: String) -> Result<ToolOutput> {
        add(&mut data, "problems", json!(self.problems));
        let data = ToolOutput::data(&data)?;
        if self.after.is_empty() {
            return Ok(data);
        }
        Ok(data
            .with_effect(what, Vec::new())
            .at_place("your mailbox")
            .undone_by(RESTORE, [json!({"emails": self.before.mails})])
            .leaving([json!(self.after)]))
    }
}

/// Returns the first mail that an earlier attempt at this call started to change.
pub async fn begun(context: &ToolContext) -> Result<Option<MailId>> {
    let row = load(context, &key(context)).await?;
    let first = row.and_then(|row| row.mails.into_iter().next());
    Ok(first.map(|mail| mail.email_id))
}

/// Puts mails into one state. Only mails that wait in the inbox become backlog.
pub async fn put(context: &ToolContext, ids: &[MailId], status: MailStatus) -> Result<Moved> {
    let ids = ids.iter().cloned();
    let wanted = ids.map(|email_id| Stated { email_id, status }).collect();
    let is_new = |now| matches!(now, MailStatus::Unread | MailStatus::Read);
    let may_change = |now| status != MailStatus::Backlog || is_new(now);
    change(context, wanted, may_change).await
}

/// Puts mails into their states. Fails without an account; stops if the mailbox can't be reached at all.
pub async fn restore(context: &ToolContext, wanted: Vec<Stated>) -> Result<Moved> {
    change(context, wanted, |_| true).await
}

/// Sets the states of mails whose present state `may_change`.
async fn change(
    context: &ToolContext,
    wanted: Vec<Stated>,
    may_change: impl Fn(MailStatus) -> bool,
) -> Result<Moved> {
    let (wanted, problems) = as_left(context, wanted).await?;
    let ids: Vec<MailId> = wanted.iter().map(|mail| mail.email_id.clone()).collect();
    let Before { mails, names } = before(context, &ids).await?;
    let mut result = Moved {
        problems,
        ..Moved::default()
    };
    let mut open = Vec::new();
    for mail in wanted {
        let known = mails.iter().find(|known| known.email_id == mail.email_id);
        match known {
            Some(known) if known.status == mail.status => result.already += 1,
            Some(known) if may_change(known.status) => open.push(mail),
            known => {
                let problem = known.map_or(NO_SUCH_MAIL, |_| NOT_NEW);
                result.problems.push(Problem::new(mail.email_id, problem));
            }
        }
    }
    let (moved, problems) = set_all(context, &open).await?;
    result.problems.extend(problems);
    for (before, name) in mails.into_iter().zip(names) {
        let after = moved.iter().find(|mail| mail.email_id == before.email_id);
        if let Some(after) = after {
            result.after.push(after.clone());
            result.before.mails.push(before);
            result.before.names.push(name);
        }
    }
    Ok(result)
}

/// For an undo: returns the mails that are still as the original call left them or already restored, and the
/// reasons why others keep their states.
async fn as_left(context: &ToolContext, to: Vec<Stated>) -> Result<(Vec<Stated>, Vec<Problem>)> {
    let Some(left) = context.call.left.clone() else {
        return Ok((to, Vec::new()));
    };
    let left: Vec<Stated> = serde_json::from_value(left).map_err(Failure::bug)?;
    let ids: Vec<MailId> = to.iter().map(|mail| mail.email_id.clone()).collect();
    let found = find::summaries(context, &ids).await?;
    let (mut open, mut problems) = (Vec::new(), Vec::new());
    for (mail, (_, now)) in to.into_iter().zip(found) {
        let was = left.iter().find(|left| left.email_id == mail.email_id);
        let changed = now.filter(|now| {
            now.status != mail.status && was.is_some_and(|was| was.status != now.status)
        });
        match changed {
            Some(now) => {
                let reason = text::changed_since_then(&super::line(&now.subject));
                problems.push(Problem::new(mail.email_id, reason));
            }
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
async fn before(context: &ToolContext, ids: &[MailId]) -> Result<Before> {
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
    let (mails, names) = found.into_iter().filter_map(stated).unzip();
    let row = Before { mails, names };
    let body = serde_json::to_value(&row).map_err(Failure::bug)?;
    let write = Write::create(key.clone(), body).kept(context.now, KEPT);
    let commit = Commit::new(&*context.ids, vec![write]);
    match context.store.commit(&commit).await {
        Ok(()) => Ok(row),
        // Another attempt at this call stored them first.
        Err(StoreError::Conflict { .. }) => {
            let row = load(context, &key).await?;
            row.ok_or_else(|| Failure::retry("what mails were is being written").into())
        }
        Err(other) => Err(other.into()),
    }
}

fn key(context: &ToolContext) -> Key {
    keys::mail_before(&context.team, context.user_id(), &context.call.key)
}

async fn load(context: &ToolContext, key: &Key) -> Result<Option<Before>> {
    let item = context.store.get(key).await?;
    let row = item.map(|item| item.decode("list of mails' states"));
    Ok(row.transpose()?)
}
