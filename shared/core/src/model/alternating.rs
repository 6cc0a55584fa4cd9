//! Merges messages for model APIs that refuse empty turns and consecutive turns with the same role.

use serde_json::Value;

use crate::ports::Message;

/// Role of everything that isn't the model.
pub const USER: &str = "user";

/// A turn: its role and content blocks.
pub type Blocks = (&'static str, Vec<Value>);

/// The conversation in alternating, non-empty turns. Tool results have the role `user`; system
/// messages are left out.
pub fn alternating(messages: &[Message], blocks: impl Fn(&Message) -> Vec<Value>) -> Vec<Blocks> {
    let mut turns: Vec<Blocks> = Vec::new();
    for message in messages {
        let role = match message {
            Message::System { .. } => continue,
            Message::User { .. } | Message::Files { .. } | Message::Tool { .. } => USER,
            Message::Assistant { .. } => "assistant",
        };
        let blocks = blocks(message);
        match turns.last_mut().filter(|last| last.0 == role) {
            Some(last) => last.1.extend(blocks),
            None if blocks.is_empty() => {}
            None => turns.push((role, blocks)),
        }
    }
    turns
}
