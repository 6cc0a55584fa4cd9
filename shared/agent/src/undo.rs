//! What a run did that can be taken back.

use crate::step::{Step, StepKind};
use crate::tool::{Receipt, UndoCall};
use jiff::Timestamp;

/// An effect, and the calls that take it back.
#[derive(Clone, Debug)]
pub struct Undoable<'a> {
    /// The call that had it.
    pub call_id: &'a str,
    /// When.
    pub at: Timestamp,
    /// What was done.
    pub receipt: &'a Receipt,
}

impl Undoable<'_> {
    /// The calls that take it back, in their order.
    #[must_use]
    pub fn calls(&self) -> &[UndoCall] {
        &self.receipt.undo
    }
}

/// The effects of a journal that can be taken back, the last first: each may rest on those before it.
#[must_use]
pub fn undoable(steps: &[Step]) -> Vec<Undoable<'_>> {
    steps.iter().rev().filter_map(effect).collect()
}

fn effect(step: &Step) -> Option<Undoable<'_>> {
    match &step.did {
        StepKind::ToolResult {
            call_id,
            ok: true,
            receipt: Some(receipt),
            ..
        } if !receipt.undo.is_empty() => Some(Undoable {
            call_id,
            at: step.at,
            receipt,
        }),
        _ => None,
    }
}
