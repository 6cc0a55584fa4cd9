//! Finds the asking person's approvals, by id or as the only pending one.

use alfred_agent::model::{Approval, Status, Verdict};
use alfred_agent::tool::Choice;

use crate::approval::{own, waiting};
use crate::prelude::*;

const FIELD: &str = "proposalId";
/// Time in which an edit usually becomes the next revision.
const EDITING: SignedDuration = SignedDuration::from_secs(60);

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WhichProposal {
    /// The one that waits when left out.
    pub proposal_id: Option<String>,
}

/// A decision about an approval as it is now.
pub fn choice(approval: &Approval, verdict: Verdict, arguments: Option<Value>) -> Choice {
    Choice {
        approval: approval.id.clone(),
        revision: approval.revision,
        verdict,
        arguments,
        note: None,
    }
}

/// Only the person's own call rejects; a model's call cancels.
pub fn refusal(context: &ToolContext) -> Verdict {
    if context.call.by_hand {
        Verdict::Reject
    } else {
        Verdict::CallOff
    }
}

/// The asking person's proposal with this id; without an id, the only pending one.
pub async fn find(context: &ToolContext, text: Option<&str>) -> Result<Approval> {
    if let Some(text) = text {
        return own(context, FIELD, text).await;
    }
    let mut waiting = waiting(context).await?;
    waiting.retain(|one| is_open(one, context));
    // While the next revision of a proposal is being made, none waits, but its owner still means it.
    if waiting.is_empty() {
        for id in &context.given.waiting {
            let known = own(context, FIELD, id.as_str()).await?;
            waiting.extend(Some(known).filter(|one| is_being_edited(one, context)));
        }
    }
    match waiting.len() {
        0 => Err(ToolError::failed("proposalId: nothing waits.").say(text::NOTHING_WAITS)),
        1 => Ok(waiting.remove(0)),
        several => {
            let ids = Vec::from_iter(waiting.iter().map(|one| one.id.as_str())).join(", ");
            let error = format!("proposalId: {several} wait ({ids}). Say which one.");
            Err(ToolError::failed(error).say(text::WHICH_ONE.replace(':', ".")))
        }
    }
}

/// Like `find`, but refuses a proposal that is decided or expired. Fails with `Stop` while its next revision is
/// being made, so that the call is tried again.
pub async fn open(context: &ToolContext, text: Option<&str>) -> Result<Approval> {
    let approval = find(context, text).await?;
    if is_open(&approval, context) {
        return Ok(approval);
    }
    if is_being_edited(&approval, context) {
        return Err(Failure::retry("the next revision of a proposal is being made").into());
    }
    let problem = "doesn't wait any more: it was decided, replaced or has expired.";
    Err(refused(FIELD, approval.id.as_str(), problem))
}

fn is_being_edited(approval: &Approval, context: &ToolContext) -> bool {
    let (status, at) = (approval.status, approval.resolved_at);
    status == Status::Edited && at.is_some_and(|at| context.now.duration_since(at) < EDITING)
}

fn is_open(approval: &Approval, context: &ToolContext) -> bool {
    approval.status == Status::Pending && approval.expires_at > context.now
}
