//! A call that its owner is to be asked about.

use alfred_core::ports::Write;

use crate::model::Approval;
use crate::tool::SharedTool;

/// Approvals of one run that may wait at once. The commit that ends the run withdraws them all.
pub const MOST_WAITING: usize = 20;

pub struct Ask {
    pub approval: Approval,
    /// The version of the row to replace, for a new revision of an earlier approval.
    pub version: Option<u64>,
    pub tool: Option<SharedTool>,
    /// Whether the tool reads data only the owner may see, so the preview may reveal it.
    pub private: bool,
    /// SHA-256 of the preview, to notice when the preview changes later.
    pub shown: Option<String>,
    /// Writes of the tool itself, committed with the approval.
    pub beside: Vec<Write>,
}
