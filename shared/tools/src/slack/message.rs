//! A message to others as Slack takes it.

use alfred_agent::respond::{head, mrkdwn, pieces, unescaped};
use alfred_core::invisible::shown_on_one_line;

use super::links::linked;
use crate::prelude::*;

/// Characters of a text, as written.
pub const MAX_TEXT: usize = 12_000;
/// Characters of one section; Slack takes 3,000.
const SECTION_CHARS: usize = 2_900;
/// Characters of all blocks as JSON; Slack takes 13,200.
const BLOCKS_CHARS: usize = 13_000;
/// Characters of the notification beside the blocks.
const NOTIFICATION_CHARS: usize = 1_000;

/// The notification and the blocks of a message.
pub struct Message {
    /// What a notification shows.
    pub notification: String,
    /// The whole of it, and for whom it was written.
    pub blocks: Vec<Value>,
    /// Its text as it is sent, for the card: what Markdown drops or numbers anew, this does too.
    pub shown: String,
}

impl Message {
    /// Of Markdown. What Slack would act on is text; nothing is cut.
    ///
    /// # Errors
    /// `Failed` for a text that is empty, or doesn't fit one message.
    pub fn from_markdown(context: &ToolContext, markdown: &str) -> Result<Self, ToolError> {
        let markdown = text_up_to("text", markdown, MAX_TEXT).map_err(invalid)?;
        let read = mrkdwn::from_markdown(&markdown);
        let said = linked(&read);
        let sections = pieces(&said, SECTION_CHARS);
        let Some(first) = sections.first() else {
            return Err(refused("text", &markdown, "says nothing."));
        };
        let notification = head(first, NOTIFICATION_CHARS);
        let mut blocks: Vec<Value> = sections.iter().map(|text| section(text)).collect();
        let name = mrkdwn::escape(&shown_on_one_line(&context.user.name));
        blocks.push(footer(&format!(
            "Sent by Alfred for {name} (<@{}>)",
            context.user_id().as_str()
        )));
        if Value::from(blocks.clone()).to_string().chars().count() > BLOCKS_CHARS {
            let problem = "is too long for one Slack message as it is formatted. Shorten it.";
            return Err(refused("text", &markdown, problem));
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
