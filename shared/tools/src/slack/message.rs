//! Builds the blocks and the notification of a Slack message.

use alfred_agent::slack::respond::{head, linked, mrkdwn, pieces, unescaped};
use alfred_core::invisible::shown_on_one_line;

use crate::prelude::*;

/// In characters of the Markdown.
pub const MAX_TEXT: usize = 12_000;
/// In characters; Slack allows 3,000.
const SECTION_CHARS: usize = 2_900;
/// In characters of the JSON; Slack allows 13,200.
const BLOCKS_CHARS: usize = 13_000;
/// In characters.
const NOTIFICATION_CHARS: usize = 1_000;

pub struct Message {
    pub notification: String,
    /// The whole text, and a footer with the sender.
    pub blocks: Vec<Value>,
    pub shown: String,
}

impl Message {
    /// Converts Markdown. Slack's special syntax is escaped, and nothing is cut. Refuses a text that is empty
    /// or too long for one message.
    pub fn from_markdown(context: &ToolContext, markdown: &str) -> Result<Self> {
        let read = mrkdwn::from_markdown(markdown);
        let said = linked(&read);
        let sections = pieces(&said, SECTION_CHARS);
        let Some(first) = sections.first() else {
            return Err(refused("text", markdown, "says nothing."));
        };
        let notification = head(first, NOTIFICATION_CHARS);
        let mut blocks: Vec<Value> = sections.iter().map(|text| section(text)).collect();
        let name = mrkdwn::escape(&shown_on_one_line(&context.user.name));
        let id = context.user_id().as_str();
        blocks.push(footer(&format!("Sent by Alfred for {name} (<@{id}>)")));
        if Value::from(blocks.clone()).to_string().chars().count() > BLOCKS_CHARS {
            let problem = "is too long for one Slack message as it is formatted. Shorten it.";
            return Err(refused("text", markdown, problem));
        }
        Ok(Self {
            notification,
            blocks,
            shown: unescaped(&read),
        })
    }
}

/// `verbatim` keeps Slack from reading "@channel" in the text as a mention.
fn section(text: &str) -> Value {
    json!({"type": "section", "text": {"type": "mrkdwn", "text": text, "verbatim": true}, "expand": true})
}

fn footer(text: &str) -> Value {
    json!({"type": "context", "elements": [{"type": "mrkdwn", "text": text, "verbatim": true}]})
}
