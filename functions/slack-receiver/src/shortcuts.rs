//! Shortcuts on messages (<https://docs.slack.dev/reference/interaction-payloads/shortcuts-interaction-payload>). Each
//! becomes a command that quotes the message: other people may have written it.

use alfred_core::envelope::{Command, SlackFile};
use alfred_core::{Payload, ReplyAddress};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::events::FileObject;
use crate::incoming::{Incoming, Refusal, slack_id};
use crate::interactivity::{Actor, Parsed};
use crate::mentions;

/// `callback_id` of the shortcut that asks for a question, and of its form.
pub const ASK: &str = "ask_about";
const QUESTION: &str = "question";
/// Maximum characters of `private_metadata`, in which a form keeps its message.
const KEPT_CHARS: usize = 3_000;
const MOST_FILES: usize = 3;
/// Maximum characters of a text in a block.
const SHOWN_CHARS: usize = 2_900;

/// The message that a shortcut is about.
#[derive(Clone, Serialize, Deserialize)]
struct About {
    /// Its address, who wrote it, and where.
    origin: String,
    text: String,
    files: Vec<SlackFile>,
}

pub fn parse(actor: Actor, payload: &Value) -> Result<Parsed, Refusal> {
    let task = match payload["callback_id"].as_str() {
        Some(ASK) => None,
        Some("make_task") => Some("Make a task of"),
        Some("draft_answer") => Some("Draft an answer to"),
        _ => return Err(Refusal::Unserved("shortcut not served")),
    };
    let about = About::of(payload)?;
    Ok(match task {
        Some(task) => Parsed::Event(Box::new(about.command(actor, task))),
        None => Parsed::Form {
            trigger: actor.trigger,
            view: about.form(),
        },
    })
}

/// The question of a submitted form.
pub fn question(actor: Actor, kept: &str, values: &Value) -> Result<Incoming, Refusal> {
    let about: About =
        serde_json::from_str(kept).map_err(|_| Refusal::Malformed("no message in the form"))?;
    let asked = values[QUESTION][QUESTION]["value"].as_str();
    let asked = asked.unwrap_or_default().trim();
    Ok(about.command(actor, &format!("{asked}\nThis is about")))
}

impl About {
    fn of(payload: &Value) -> Result<Self, Refusal> {
        let id = |at: &str, missing| {
            let id = payload.pointer(at).and_then(Value::as_str);
            slack_id(id.map(str::to_owned), missing)
        };
        let channel = id("/channel/id", "no channel")?;
        let ts = id("/message/ts", "no message ts")?;
        let said = &payload["message"];
        let mut origin = "the message".to_owned();
        // An organisation's payload has no team.
        if payload["team"]["domain"].is_string() {
            let domain = id("/team/domain", "odd team domain")?;
            let at = ts.replace('.', "");
            origin += &format!(" https://{domain}.slack.com/archives/{channel}/p{at}");
        }
        match &said["user"] {
            Value::Null => origin += " from an app",
            _ => origin += &format!(" from <@{}>", id("/message/user", "odd user")?),
        }
        if channel.starts_with('C') {
            origin += &format!(" in <#{channel}>");
        }
        let mut text = said["text"].as_str().unwrap_or_default().trim().to_owned();
        if text.is_empty() {
            // Apps often write only attachments.
            let attached = said["attachments"].as_array().into_iter().flatten();
            let fallbacks = attached.filter_map(|one| one["fallback"].as_str());
            text = fallbacks.collect::<Vec<_>>().join("\n");
        }
        let files = Option::<Vec<FileObject>>::deserialize(&said["files"])
            .map_err(|_| Refusal::Malformed("odd files"))?;
        let files = files.into_iter().flatten().map(SlackFile::from);
        Ok(Self {
            origin,
            text: mentions::unnamed(&text),
            files: files.collect(),
        })
    }

    /// Its answer goes to the direct message: Alfred may not be in the conversation of the message.
    fn command(self, actor: Actor, task: &str) -> Incoming {
        let quoted = self.text.lines().map(|line| format!("\n> {line}"));
        let text = format!("{task} {}:{}", self.origin, quoted.collect::<String>());
        let reply_to = ReplyAddress::direct(&actor.user);
        let command = Command {
            command: "shortcut".to_owned(),
            text,
            files: self.files,
            reply_to: reply_to.clone(),
        };
        actor.sends(&reply_to, Payload::Command(command))
    }

    fn form(&self) -> Value {
        let kept = [KEPT_CHARS, 2_000, 1_000, 0].map(|most| self.cut(most));
        let plain = |text: &str| json!({"type": "plain_text", "text": text});
        let fits = |about: &&Self| json!(about).to_string().chars().count() <= KEPT_CHARS;
        let kept = kept.iter().find(fits).unwrap_or(self);
        let mut blocks = vec![json!({
            "type": "input", "block_id": QUESTION, "label": plain("What would you like to know?"),
            "element": {"type": "plain_text_input", "action_id": QUESTION, "multiline": true, "max_length": 3_000},
        })];
        if !kept.text.is_empty() {
            let shown = self.cut(SHOWN_CHARS).text;
            let shown = json!({"type": "mrkdwn", "text": shown, "verbatim": true});
            blocks.push(json!({"type": "section", "text": shown}));
        }
        if kept.text != self.text {
            let note = "I get only the beginning of this long message.";
            blocks.push(json!({"type": "context", "elements": [plain(note)]}));
        }
        json!({
            "type": "modal", "callback_id": ASK, "private_metadata": json!(kept).to_string(),
            "title": plain("Ask about a message"), "submit": plain("Ask"), "blocks": blocks,
        })
    }

    /// With the beginning of the text and the first files.
    fn cut(&self, most: usize) -> Self {
        let mut cut = self.clone();
        cut.text = self.text.chars().take(most).collect();
        cut.files.truncate(MOST_FILES);
        cut
    }
}
