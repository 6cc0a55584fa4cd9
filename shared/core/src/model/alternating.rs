//! Conversations for those who refuse two turns of one side behind one another, and empty ones.

use serde_json::Value;

use crate::ports::Message;

/// The side that isn't the model, as its turns name it.
pub const USER: &str = "user";

/// A turn: whose it is, and the blocks of which it consists.
pub type Blocks = (&'static str, Vec<Value>);

/// The conversation in alternating turns, none of them empty. Results of tools are the user's; the system's messages are
/// left out.
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
