use alfred_core::ports::Posted;
use jiff::Timestamp;
use serde_json::Value;

use crate::model::{Receipt, Step, UNDONE};
use crate::slack::respond::{self, UNDO_BLOCK};
use crate::store::journal::LoadedRun;
use crate::store::ports::Ports;

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

/// Removes the buttons of undone effects from replies. Failures are ignored: a second click gets a message anyway.
pub(crate) async fn settle_buttons(ports: &Ports, loaded: &LoadedRun) {
    let results = loaded.steps.iter().filter_map(Step::result);
    let done = results.filter(|result| result.ok);
    for undone in done.filter_map(|result| result.output[UNDONE].as_str()) {
        let left = |block: &Value| left_of(block, undone);
        let run = undone.split(':').next().unwrap_or(undone).into();
        let Ok(Some(found)) = ports.journal().load(&loaded.run.team, &run).await else {
            continue;
        };
        for part in 1..=MOST_PARTS {
            let look = respond::look_for(&found.run, part);
            let Ok(Some(posted)) = ports.chat.find(&look).await else {
                break;
            };
            let thread = look.thread_ts.as_deref();
            without_buttons(ports, &posted, thread, UNDO_BLOCK, left).await;
        }
    }
}

/// Replaces or removes the blocks with this id. Failures are only logged: old buttons are checked again when clicked.
pub async fn without_buttons(
    ports: &Ports,
    posted: &Posted,
    thread_ts: Option<&str>,
    block_id: &str,
    instead: impl Fn(&Value) -> Option<Value>,
) {
    let changed = async {
        let Some(body) = ports.chat.message(posted, thread_ts).await? else {
            return Ok(());
        };
        let blocks = body.blocks.iter().filter_map(|block| {
            let other = (block["block_id"] != block_id).then(|| block.clone());
            other.or_else(|| instead(block))
        });
        let blocks: Vec<Value> = blocks.collect();
        if blocks == body.blocks {
            return Ok(());
        }
        ports.chat.update(posted, &body.text, &blocks).await
    };
    if let Err(error) = changed.await {
        tracing::info!(%error, "buttons of no use stay on their message");
    }
}

#[derive(Clone, Debug)]
pub struct Undoable<'a> {
    pub call_id: &'a str,
    pub at: Timestamp,
    pub receipt: &'a Receipt,
}

/// The effects that can be undone, latest first, since later ones may depend on earlier ones.
pub fn undoable(steps: &[Step]) -> Vec<Undoable<'_>> {
    let effects = steps.iter().rev().filter_map(|step| {
        let result = step.result().filter(|result| result.ok)?;
        let receipt = result.receipt.as_ref();
        Some(Undoable {
            call_id: &result.call_id,
            at: step.at,
            receipt: receipt.filter(|receipt| !receipt.undo.is_empty())?,
        })
    });
    effects.collect()
}
