//! A call that its owner is to be asked about.

use alfred_core::ApprovalId;
use alfred_core::ports::Write;
use serde_json::Value;

use crate::model::approval::{Question, Reason, Recipient};
use crate::model::preview::Preview;

/// Approvals of one run that may wait at once. The commit that ends the run withdraws them all.
pub const MOST_WAITING: usize = 20;

#[derive(Clone, Debug)]
pub struct Ask {
    pub call_id: String,
    pub tool: String,
    /// Whether the tool reads data only the owner may see, so the preview may reveal it.
    pub private: bool,
    pub question: Question,
    pub arguments: Value,
    pub digest: String,
    /// SHA-256 of the preview, to notice when the preview changes later.
    pub shown: Option<String>,
    pub preview: Preview,
    pub reasons: Vec<Reason>,
    pub recipients: Vec<Recipient>,
    /// Writes of the tool itself, committed with the approval.
    pub beside: Vec<Write>,
    /// Set if this is a new revision of an earlier approval.
    pub revised: Option<Revised>,
}

#[derive(Clone, Debug)]
pub struct Revised {
    pub approval: ApprovalId,
    pub revision: u32,
    pub trouble: Option<String>,
}
