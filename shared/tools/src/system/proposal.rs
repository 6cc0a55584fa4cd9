//! Finds the asking person's approvals, by id or as the only pending one.

use alfred_agent::approval::pending;
use alfred_agent::model::{Approval, Status};

use crate::approval::own;
use crate::prelude::*;

const FIELD: &str = "proposalId";
/// Time in which an edit usually becomes the next revision.
const EDITING: SignedDuration = SignedDuration::from_secs(60);

/// The asking person's proposal with this id; without an id, the only pending one.
pub async fn find(context: &ToolContext, text: Option<&str>) -> Result<Approval, ToolError> {
    match text {
        Some(text) => own(context, FIELD, text, "proposal").await,
        None => only(context).await,
    }
}

async fn only(context: &ToolContext) -> Result<Approval, ToolError> {
    let waiting = pending::pending(&*context.store, &context.team, context.user_id()).await?;
    let mut waiting: Vec<Approval> = waiting
        .into_iter()
        .filter(|one| is_open(one, context))
        .collect();
    match waiting.len() {
        0 => Err(ToolError::failed("proposalId: nothing waits.").say(text::NOTHING_WAITS)),
        1 => Ok(waiting.remove(0)),
        several => {
            let ids: Vec<&str> = waiting.iter().map(|one| one.id.as_str()).collect();
            let ids = ids.join(", ");
            let error = format!("proposalId: {several} wait ({ids}). Say which one.");
            Err(ToolError::failed(error).say(text::WHICH_ONE))
        }
    }
}

/// Like `find`, but refuses a proposal that is decided or expired. Fails with `Stop` while its next revision is
/// being made, so that the call is tried again.
pub async fn open(context: &ToolContext, text: Option<&str>) -> Result<Approval, ToolError> {
    let approval = find(context, text).await?;
    if is_open(&approval, context) {
        return Ok(approval);
    }
    let edited = approval
        .resolved_at
        .filter(|_| approval.status == Status::Edited);
    if edited.is_some_and(|at| context.now.duration_since(at) < EDITING) {
        let reason = "the next revision of a proposal is being made";
        return Err(Failure::retry(reason).into());
    }
    let problem = "doesn't wait any more: it was decided, replaced or has expired.";
    Err(refused(FIELD, approval.id.as_str(), problem))
}

fn is_open(approval: &Approval, context: &ToolContext) -> bool {
    approval.status == Status::Pending && approval.expires_at > context.now
}
