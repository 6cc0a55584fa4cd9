//! What waits for its owner's decision, and what became of it. Deciding is
//! for people: there is no tool for it.

pub mod list;
pub mod state;

use alfred_agent::approval::{Approval, Question, Status, park};
use alfred_agent::tool::Toolset;
use alfred_core::ApprovalId;

use crate::fields::id;
use crate::prelude::*;

/// These tools.
pub const TOOLSET: Toolset = Toolset::new(
    "approval",
    "what waits for a yes or no",
    "is looking at what waits for you…",
    "That",
    "show what waits for you",
);

/// An approval as tools show it to its owner.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalView {
    /// Its id.
    pub approval_id: ApprovalId,
    /// What would be done.
    pub title: String,
    /// By which tool.
    pub tool: String,
    /// What is asked: whether it may run, or what to do since nobody can tell whether it happened.
    pub question: Question,
    /// Where it stands.
    pub status: Status,
    /// When it was asked.
    pub created_at: Timestamp,
    /// Until when it can be decided.
    pub expires_at: Timestamp,
    /// When it was decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolved_at: Option<Timestamp>,
    /// What the owner said about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl ApprovalView {
    /// As it is now: what nobody decided in time has expired, swept or not.
    pub fn at(approval: &Approval, now: Timestamp) -> Self {
        let late = approval.status == Status::Pending && approval.expires_at <= now;
        Self {
            approval_id: approval.id.clone(),
            title: approval.preview.title.clone(),
            tool: approval.action_type.clone(),
            question: approval.question,
            status: if late {
                Status::Expired
            } else {
                approval.status
            },
            created_at: approval.created_at,
            expires_at: approval.expires_at,
            resolved_at: approval.resolved_at,
            note: approval.note.clone(),
        }
    }
}

/// One of the asking person's own by its id, which stands in `field`; `what` is what it should be.
///
/// # Errors
/// `Failed` when it is none of theirs: somebody else's is told from none at all by nobody.
pub(crate) async fn own(
    context: &ToolContext,
    (field, text): (&str, &str),
    what: &str,
) -> Result<Approval, ToolError> {
    let id = ApprovalId(id(field, text, "apr_").map_err(invalid)?);
    let stored = park::load(context.store.as_ref(), &context.team, &id).await?;
    let own = stored.filter(|(approval, _)| approval.owner == *context.user_id());
    own.map(|(approval, _)| approval).ok_or_else(|| {
        let error = refused(field, text, format!("isn't among the {what}s."));
        error.hint("approval_list gives the ids of those that wait.")
    })
}

/// Whether what it would do was shaped by other people's words.
pub(crate) fn is_tainted(approval: &Approval) -> bool {
    !approval.taint.untrusted.is_empty()
}

#[cfg(test)]
mod tests;
