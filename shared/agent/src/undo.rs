//! What a run did that can be taken back.

use alfred_core::RunId;
use serde_json::Value;

use crate::journal::LoadedRun;
use crate::ports::Ports;
use crate::respond::{self, UNDO_BLOCK};
use crate::step::{Step, StepKind};
use crate::tool::{Receipt, UndoCall};
use jiff::Timestamp;

/// The field of a result that names what was taken back: `RUN`, or `RUN:CALL`.
pub const UNDONE: &str = "undone";

/// Messages of a reply that are looked through for buttons.
const MOST_PARTS: usize = 20;

/// What is left of the buttons that undo once this was taken back: a block without those of no use.
pub fn left_of(block: &Value, undone: &str) -> Option<Value> {
    let mut left = block.clone();
    let buttons = left["elements"].as_array_mut()?;
    buttons.retain(|button| button["value"] != undone);
    let of_one_call = |button: &Value| button["value"].as_str().is_some_and(|of| of.contains(':'));
    let any = undone.contains(':') && buttons.iter().any(of_one_call);
    any.then_some(left)
}

/// Takes the buttons of what a run has taken back off the replies they stand under. A courtesy: a second press is
/// told so anyway.
pub(crate) async fn settle_buttons(ports: &Ports, loaded: &LoadedRun) {
    let undone = loaded.steps.iter().filter_map(|step| match &step.did {
        StepKind::ToolResult {
            ok: true, output, ..
        } => output[UNDONE].as_str(),
        _ => None,
    });
    for undone in undone {
        let run = undone.split_once(':').map_or(undone, |(run, _)| run);
        let (journal, run) = (ports.journal(), RunId::from(run));
        let Ok(Some(found)) = journal.load(&loaded.run.team, &run).await else {
            continue;
        };
        // Of several messages the last has the buttons.
        for part in 1..=MOST_PARTS {
            let look = respond::look_for(&found.run, part);
            let Ok(Some(posted)) = ports.chat.find(&look).await else {
                break;
            };
            let place = (&posted, look.thread_ts.as_deref());
            let left = |block: &Value| left_of(block, undone);
            respond::without_buttons(ports, place, UNDO_BLOCK, left).await;
        }
    }
}

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
    pub fn calls(&self) -> &[UndoCall] {
        &self.receipt.undo
    }
}

/// The effects of a journal that can be taken back, the last first: each may rest on those before it.
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
