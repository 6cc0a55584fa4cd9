use alfred_core::ports::{ChatError, Posted};
use serde_json::Value;

use crate::store::ports::Ports;

/// Replaces or removes the blocks with this id in a message. Failures are only logged: old buttons
/// are checked again when clicked.
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
        let blocks = body.blocks.iter().cloned();
        let blocks = blocks.filter_map(|block| match block["block_id"] == block_id {
            true => instead(&block),
            false => Some(block),
        });
        let blocks: Vec<Value> = blocks.collect();
        if blocks == body.blocks {
            return Ok(());
        }
        ports.chat.update(posted, &body.text, &blocks).await
    };
    let changed: Result<(), ChatError> = changed.await;
    if let Err(error) = changed {
        tracing::info!(%error, "buttons of no use stay on their message");
    }
}
