//! Sets the states of many mails, grouped by state. Repeats changes with an unknown result.

use alfred_core::id::MailId;
use alfred_core::ports::{AccountError, MailStatus};
use std::time::Duration;

use super::ANY_STATUS;
use super::states::{NO_SUCH_MAIL, Problem, Stated};
use crate::prelude::*;

/// Returns the mails that now have the wanted state, and the problems of the others. Fails without an account;
/// stops if the mailbox can't be reached at all.
pub async fn set_all(
    context: &ToolContext,
    mails: &[Stated],
) -> Result<(Vec<Stated>, Vec<Problem>)> {
    let (mut moved, mut problems, mut away) = (Vec::new(), Vec::new(), None);
    for status in ANY_STATUS.into_iter().chain([MailStatus::Deleted]) {
        let of_it = mails.iter().filter(|mail| mail.status == status);
        let ids: Vec<MailId> = of_it.map(|mail| mail.email_id.clone()).collect();
        let results = set(context, &ids, status).await;
        for (email_id, result) in ids.into_iter().zip(results) {
            let reason = match result {
                Ok(Some(_)) => {
                    moved.push(Stated { email_id, status });
                    continue;
                }
                Ok(None) => NO_SUCH_MAIL.to_owned(),
                Err(AccountError::Refused { reason }) => reason,
                Err(
                    error @ (AccountError::NotConnected(_)
                    | AccountError::Expired(_)
                    | AccountError::NotGranted(_)),
                ) => return Err(not_read(error)),
                Err(error) => {
                    away = Some(error);
                    "Your mailbox didn't answer; please check and try again.".to_owned()
                }
            };
            problems.push(Problem::new(email_id, reason));
        }
    }
    match away {
        // Nothing is known to have changed, so the whole call is retried later.
        Some(error) if moved.is_empty() => Err(not_read(error)),
        _ => Ok((moved, problems)),
    }
}

type Set = Result<Option<MailStatus>, AccountError>;

/// Repeats changes with an unknown result once, because setting a state is idempotent.
async fn set(context: &ToolContext, ids: &[MailId], status: MailStatus) -> Vec<Set> {
    let mut each = set_once(context, ids, status).await;
    let is_lost = |set: &Set| matches!(set, Err(AccountError::Unknown { .. }));
    let lost: Vec<usize> = (0..each.len()).filter(|at| is_lost(&each[*at])).collect();
    if !lost.is_empty() {
        context.clock.sleep(Duration::from_secs(1)).await;
        let ids: Vec<MailId> = lost.iter().map(|at| ids[*at].clone()).collect();
        let again = set_once(context, &ids, status).await;
        for (at, set) in lost.into_iter().zip(again) {
            each[at] = set;
        }
    }
    each
}

async fn set_once(context: &ToolContext, ids: &[MailId], status: MailStatus) -> Vec<Set> {
    if ids.is_empty() {
        return Vec::new();
    }
    let (account, port) = (context.account(), &context.accounts.mail);
    match port.set_statuses(&account, ids, status).await {
        Ok(each) => each,
        Err(all) => ids.iter().map(|_| Err(all.clone())).collect(),
    }
}
