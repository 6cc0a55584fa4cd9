//! Tools that show approvals. No tool decides one: only people do.

pub mod list;
pub mod state;

use alfred_agent::approval::pending;
use alfred_agent::model::{Approval, Status};
use alfred_core::ApprovalId;

use crate::fields::id;
use crate::prelude::*;

pub const TOOLSET: Toolset = Toolset::new(
    "approval",
    "what waits for a yes or no",
    "is looking at what waits for you…",
    "That",
    "show what waits for you",
);

/// A pending approval past its expiry counts as expired, even before the sweep marks it.
pub(crate) fn status_at(approval: &Approval, now: Timestamp) -> Status {
    match approval.status {
        Status::Pending if approval.expires_at <= now => Status::Expired,
        status => status,
    }
}

pub(crate) fn view(approval: &Approval, now: Timestamp) -> Value {
    tool::without_nulls(json!({
        "approvalId": approval.id,
        "title": approval.preview.title,
        "tool": approval.action_type,
        "question": approval.question,
        "status": status_at(approval, now),
        "createdAt": approval.created_at,
        "expiresAt": approval.expires_at,
        "resolvedAt": approval.resolved_at,
        "note": approval.note,
    }))
}

/// The asking person's pending approvals.
pub(crate) async fn waiting(context: &ToolContext) -> Result<Vec<Approval>> {
    Ok(pending::pending(&*context.store, &context.team, context.user_id()).await?)
}

/// The asking person's approval with this id. An id of another person gives the same error as an unknown one.
/// `field` is the argument: `approvalId` or `proposalId`.
pub(crate) async fn own(context: &ToolContext, field: &str, text: &str) -> Result<Approval> {
    let id = id(field, text, "apr_");
    let id = id.map_err(|error| invalid(error).say("There is nothing like that."))?;
    let stored = pending::load(context.store.as_ref(), &context.team, &ApprovalId(id)).await?;
    let own = stored.filter(|(approval, _)| approval.owner == *context.user_id());
    own.map(|(approval, _)| approval).ok_or_else(|| {
        let what = field.trim_end_matches("Id");
        let error = refused(field, text, format!("isn't among the {what}s."));
        error.hint("approval_list gives the ids of those that wait.")
    })
}

/// Whether other people's words shaped the approved call.
pub(crate) fn is_tainted(approval: &Approval) -> bool {
    !approval.taint.untrusted.is_empty()
}
