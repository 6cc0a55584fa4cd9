//! Shortcuts on messages (<https://docs.slack.dev/reference/interaction-payloads/shortcuts-interaction-payload>). Each
//! becomes a command that quotes the message: other people may have written it.

use alfred_core::envelope::{Command, SlackFile};
use alfred_core::{Payload, ReplyAddress};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::events::FileObject;
use crate::incoming::{Incoming, Refusal, session, slack_id};
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

#[derive(Deserialize)]
struct Shortcut {
    callback_id: String,
    channel: Channel,
    team: Option<Team>,
    message: Message,
}

#[derive(Deserialize)]
struct Channel {
    id: String,
}

#[derive(Deserialize)]
struct Team {
    domain: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    user: Option<String>,
    ts: String,
    #[serde(default)]
    text: String,
    #[serde(default)]
    files: Vec<FileObject>,
    #[serde(default)]
    attachments: Vec<Attachment>,
}

/// Apps often write only these.
#[derive(Deserialize)]
struct Attachment {
    fallback: Option<String>,
}

/// The message that a shortcut is about.
#[derive(Clone, Serialize, Deserialize)]
struct About {
    /// Who wrote it, where, and its address.
    origin: String,
    text: String,
    files: Vec<SlackFile>,
}

pub fn parse(actor: Actor, payload: &str) -> Result<Parsed, Refusal> {
    let chosen: Shortcut = serde_json::from_str(payload)
        .map_err(|_| Refusal::Malformed("no message of a shortcut"))?;
    let task = match &*chosen.callback_id {
        ASK => "",
        "make_task" => "Make a task of this message",
        "draft_answer" => "Draft an answer to this message",
        _ => return Err(Refusal::Unserved("shortcut not served")),
    };
    let about = About::of(chosen)?;
    Ok(match task {
        "" => Parsed::Form {
            trigger: actor.trigger,
            view: about.form(),
        },
        task => Parsed::Event(Box::new(about.command(actor, task))),
    })
}

/// The question of a submitted form.
pub fn question(actor: Actor, kept: &str, values: &Value) -> Result<Incoming, Refusal> {
    let about: About =
        serde_json::from_str(kept).map_err(|_| Refusal::Malformed("no message in the form"))?;
    let asked = values[QUESTION][QUESTION]["value"].as_str();
    let asked = asked.unwrap_or_default().trim();
    Ok(about.command(actor, &format!("{asked}\nThis is about the message")))
}

impl About {
    fn of(chosen: Shortcut) -> Result<Self, Refusal> {
        let said = chosen.message;
        let (channel, ts) = (chosen.channel.id, said.ts);
        let channel = slack_id(Some(channel), "odd channel")?;
        let ts = slack_id(Some(ts), "odd message ts")?;
        let mut origin = match said.user {
            Some(user) => format!("from <@{}>", slack_id(Some(user), "odd user")?),
            None => "from an app".to_owned(),
        };
        if channel.starts_with('C') {
            origin.push_str(&format!(" in <#{channel}>"));
        }
        // An organisation's payload has no team.
        if let Some(domain) = chosen.team.and_then(|team| team.domain) {
            let domain = slack_id(Some(domain), "odd team domain")?;
            let at = ts.replace('.', "");
            let link = format!(" (https://{domain}.slack.com/archives/{channel}/p{at})");
            origin.push_str(&link);
        }
        let fallbacks = said.attachments.into_iter().filter_map(|one| one.fallback);
        let text = match said.text.trim() {
            "" => fallbacks.collect::<Vec<_>>().join("\n"),
            text => text.to_owned(),
        };
        Ok(Self {
            origin,
            text: mentions::unnamed(&text),
            files: said.files.into_iter().map(SlackFile::from).collect(),
        })
    }

    /// Its answer goes to the direct message: Alfred may not be in the conversation of the message.
    fn command(self, actor: Actor, task: &str) -> Incoming {
        let quoted = self.text.lines().map(|line| format!("\n> {line}"));
        let text = format!("{task} {}:{}", self.origin, quoted.collect::<String>());
        let reply_to = ReplyAddress::direct(&actor.user);
        Incoming {
            identity: format!("trg:{}", actor.trigger),
            trigger: actor.trigger,
            session: session(&actor.team, &actor.user, &reply_to),
            team: actor.team,
            user: actor.user,
            payload: Payload::Command(Command {
                command: "shortcut".to_owned(),
                text,
                files: self.files,
                reply_to,
            }),
        }
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
            blocks.push(json!({"type": "section", "text": plain(&shown)}));
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
        let files = self.files.iter().take(MOST_FILES);
        Self {
            origin: self.origin.clone(),
            text: self.text.chars().take(most).collect(),
            files: files.cloned().collect(),
        }
    }
}
