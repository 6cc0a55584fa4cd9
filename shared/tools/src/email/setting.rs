//! Setting the states of many mails: all of a state at once, and again what nobody heard of.

use alfred_core::id::MailId;
use alfred_core::ports::{AccountError, MailStatus};
use std::time::Duration;

use super::moving::{NO_SUCH_MAIL, Problem, Stated};
use crate::account::not_read;
use crate::prelude::*;

/// Mails are put into one state after the other, all of a state at once.
const STATES: [MailStatus; 5] = [
    MailStatus::Unread,
    MailStatus::Read,
    MailStatus::Archived,
    MailStatus::Backlog,
    MailStatus::Processed,
];

/// The ids of those that are as they are to be now, and why others aren't.
///
/// # Errors
/// `Failed` without an account, `Stop` when the mailbox can't be reached at all.
pub async fn set_all(
    context: &ToolContext,
    mails: Vec<Stated>,
) -> Result<(Vec<MailId>, Vec<Problem>), ToolError> {
    let mut results = Vec::with_capacity(mails.len());
    for status in STATES {
        let of_it = mails.iter().filter(|mail| mail.status == status);
        let ids: Vec<MailId> = of_it.map(|mail| mail.email_id.clone()).collect();
        if !ids.is_empty() {
            let set = set(context, &ids, status).await;
            results.extend(ids.into_iter().zip(set));
        }
    }
    let (mut moved, mut problems, mut away) = (Vec::new(), Vec::new(), None);
    for (email_id, result) in results {
        let reason = match result {
            Ok(Some(_)) => {
                moved.push(email_id);
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
        problems.push(Problem { email_id, reason });
    }
    match away {
        // Nothing is done yet, or nobody knows: the whole is tried again later.
        Some(error) if moved.is_empty() => Err(not_read(error)),
        _ => Ok((moved, problems)),
    }
}

type Set = Result<Option<MailStatus>, AccountError>;

/// A state may be set again at once where it isn't known whether it was.
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
    let (account, port) = (context.account(), &context.accounts.mail);
    match port.set_statuses(&account, ids, status).await {
        Ok(each) => each,
        Err(all) => ids.iter().map(|_| Err(all.clone())).collect(),
    }
}
