//! Tools that show approvals. No tool decides one: only people do.

pub mod list;
pub mod state;

use alfred_agent::approval::pending;
use alfred_agent::model::{Approval, Question, Status};
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

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalView {
    pub approval_id: ApprovalId,
    pub title: String,
    pub tool: String,
    pub question: Question,
    pub status: Status,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolved_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl ApprovalView {
    /// A pending approval past its expiry counts as expired, even before the sweep marks it.
    pub fn at(approval: &Approval, now: Timestamp) -> Self {
        let status = approval.status;
        let late = status == Status::Pending && approval.expires_at <= now;
        Self {
            approval_id: approval.id.clone(),
            title: approval.preview.title.clone(),
            tool: approval.action_type.clone(),
            question: approval.question,
            status: if late { Status::Expired } else { status },
            created_at: approval.created_at,
            expires_at: approval.expires_at,
            resolved_at: approval.resolved_at,
            note: approval.note.clone(),
        }
    }
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
