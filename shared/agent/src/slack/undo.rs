use alfred_core::RunId;
use jiff::Timestamp;
use serde_json::Value;

use crate::model::effect::{Receipt, UndoCall};
use crate::model::step::Step;
use crate::slack::respond::{self, UNDO_BLOCK};
use crate::store::journal::LoadedRun;
use crate::store::ports::Ports;

/// Field of a result that names what was undone: `RUN` or `RUN:CALL`.
pub const UNDONE: &str = "undone";

/// Maximum messages of a reply searched for buttons.
const MOST_PARTS: usize = 20;

/// The undo buttons that remain after an undo; `None` if none do.
pub fn left_of(block: &Value, undone: &str) -> Option<Value> {
    let mut left = block.clone();
    let buttons = left["elements"].as_array_mut()?;
    buttons.retain(|button| button["value"] != undone);
    let of_one_call = |button: &Value| button["value"].as_str().is_some_and(|of| of.contains(':'));
    let any = undone.contains(':') && buttons.iter().any(of_one_call);
    any.then_some(left)
}

/// Removes the buttons of undone effects from replies. Failures are ignored, since a second click
/// gets a message anyway.
pub(crate) async fn settle_buttons(ports: &Ports, loaded: &LoadedRun) {
    let results = loaded.steps.iter().filter_map(Step::result);
    let done = results.filter(|result| result.ok);
    for undone in done.filter_map(|result| result.output[UNDONE].as_str()) {
        let run = undone.split_once(':').map_or(undone, |(run, _)| run);
        let (journal, run) = (ports.journal(), RunId::from(run));
        let Ok(Some(found)) = journal.load(&loaded.run.team, &run).await else {
            continue;
        };
        // Only the last message has the buttons.
        for part in 1..=MOST_PARTS {
            let look = respond::look_for(&found.run, part);
            let Ok(Some(posted)) = ports.chat.find(&look).await else {
                break;
            };
            let left = |block: &Value| left_of(block, undone);
            respond::without_buttons(ports, &posted, look.thread_ts.as_deref(), UNDO_BLOCK, left)
                .await;
        }
    }
}

#[derive(Clone, Debug)]
pub struct Undoable<'a> {
    pub call_id: &'a str,
    pub at: Timestamp,
    pub receipt: &'a Receipt,
}

impl Undoable<'_> {
    /// The undo calls, in order.
    pub fn calls(&self) -> &[UndoCall] {
        &self.receipt.undo
    }
}

/// The effects that can be undone, latest first, since later ones may depend on earlier ones.
pub fn undoable(steps: &[Step]) -> Vec<Undoable<'_>> {
    steps.iter().rev().filter_map(effect).collect()
}

fn effect(step: &Step) -> Option<Undoable<'_>> {
    let result = step.result().filter(|result| result.ok)?;
    let receipt = result.receipt.as_ref()?;
    (!receipt.undo.is_empty()).then_some(Undoable {
        call_id: &result.call_id,
        at: step.at,
        receipt,
    })
}
