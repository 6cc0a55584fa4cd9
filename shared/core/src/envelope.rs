//! The message format of all queues.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::failure::Failure;
use crate::id::{ChannelId, FileId, RunId, SessionId, TeamId, TraceId, UserId};
use crate::ports::Usage;

/// Version of the envelopes that this release writes. It also reads older ones.
pub const ENVELOPE_VERSION: u8 = 1;
/// Maximum queues that a request may cross. More means a loop rather than a long job.
pub const MAX_HOPS: u16 = 200;

/// A queue message between functions: first the Slack event, later the id of the run to continue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Envelope {
    pub v: u8,
    /// What identifies the event: `msg:CHANNEL:TS`, `evt:EVENT_ID`, `trg:TRIGGER_ID`.
    pub identity: String,
    /// Id of the delivery. The same trigger continues after its claim; a different one is a duplicate.
    pub trigger: String,
    /// Id of the request across all functions.
    pub trace_id: TraceId,
    /// How many queues this request has crossed.
    #[serde(default)]
    pub hops: u16,
    pub team: TeamId,
    pub user: UserId,
    /// The conversation it belongs to.
    pub session: SessionId,
    pub received_at: Timestamp,
    pub payload: Payload,
}

impl Envelope {
    /// Parses a queue message. Fails with `Retry` for a newer version, which a newer release must read. `Bug`
    /// if it can't be parsed; the error gives the position but none of the text.
    pub fn read(body: &str) -> Result<Self, Failure> {
        let envelope: Self = serde_json::from_str(body).map_err(|error| unreadable(&error))?;
        if envelope.v > ENVELOPE_VERSION {
            return Err(Failure::retry(format!(
                "envelope version {} is newer than {ENVELOPE_VERSION}: deploy this function too",
                envelope.v
            )));
        }
        Ok(envelope)
    }

    /// A message that continues a run, traced by the run's own id.
    pub fn of_run(
        team: &TeamId,
        user: &UserId,
        session: &SessionId,
        run: RunId,
        received_at: Timestamp,
    ) -> Self {
        let trigger = format!("run:{run}");
        Self {
            v: ENVELOPE_VERSION,
            trace_id: TraceId::derive(team, &trigger),
            identity: trigger.clone(),
            trigger,
            hops: 0,
            team: team.clone(),
            user: user.clone(),
            session: session.clone(),
            received_at,
            payload: Payload::Run {
                run,
                classified: None,
            },
        }
    }

    /// Whether the request crossed too many queues.
    pub fn loops(&self) -> bool {
        self.hops > MAX_HOPS
    }
}

/// The failure for a message that can't be parsed. Serde's own error is left out, since it may quote the message.
pub fn unreadable(error: &serde_json::Error) -> Failure {
    let what = match error.classify() {
        serde_json::error::Category::Data => "JSON of another shape",
        serde_json::error::Category::Syntax => "no JSON",
        serde_json::error::Category::Eof => "cut JSON",
        serde_json::error::Category::Io => "unreadable",
    };
    let (line, column) = (error.line(), error.column());
    Failure::bug(format!("{what}, at line {line} column {column}"))
}

/// A Slack event, or a run to continue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Payload {
    Message(SlackMessage),
    /// A click on a button or menu in one of Alfred's messages.
    Click(Click),
    Command(Command),
    View(ViewSubmission),
    /// The stop button of Slack's agent surface.
    Stop {
        reply_to: ReplyAddress,
    },
    /// A Home tab to publish: its owner opened it, or something that it shows changed.
    Home {
        #[serde(default)]
        opened: bool,
    },
    /// A run to start, continue or aggregate.
    Run {
        /// The run's id. Everything else is in its row.
        run: RunId,
        /// The classifier's result, until the run's first step stores it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        classified: Option<Classified>,
    },
    /// Serves due timers and sends runs that were left idle.
    Sweep {},
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Classified {
    /// Whether the request needs teams.
    pub complex: bool,
    /// Toolsets to show at first; empty for small talk. `None` means all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub toolsets: Option<Vec<String>>,
    /// Why the fallback was used, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback_reason: Option<String>,
    #[serde(default)]
    pub usage: Usage,
    /// Duration in milliseconds.
    #[serde(default)]
    pub ms: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlackMessage {
    /// The text as Slack sent it (mrkdwn with escapes), without Alfred's own mentions; at most 40,000 characters.
    pub text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<SlackFile>,
    /// Whether part of the text is a quote, and so other people's words.
    #[serde(default, skip_serializing_if = "is_false")]
    pub quotes: bool,
    /// The message's timestamp, its id within the channel.
    pub ts: String,
    pub mentioned: bool,
    pub reply_to: ReplyAddress,
}

pub(crate) fn is_false(value: &bool) -> bool {
    !value
}

/// Whether a message contains a quote: a line starting with `>`, or a quote element in its blocks.
/// Quotes count as other people's words, typed or pasted. Slack marks quoted lists and code by
/// `border`. See <https://docs.slack.dev/reference/block-kit/blocks/rich-text-block/>.
pub fn quotes(text: &str, blocks: &Value) -> bool {
    let mut lines = text.lines().map(str::trim_start);
    if lines.any(|line| line.starts_with('>') || line.starts_with("&gt;")) {
        return true;
    }
    let blocks = blocks.as_array().into_iter().flatten();
    let mut elements = blocks.flat_map(|block| block["elements"].as_array().into_iter().flatten());
    elements.any(|element| element["type"] == "rich_text_quote" || element["border"] == 1)
}

/// The metadata of an attached file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlackFile {
    /// Slack's file id. `None` if Slack gives none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<FileId>,
    /// SHA-256 of the content, if the file is already stored with the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<String>,
    /// The file name, chosen by other people and so untrusted.
    pub name: String,
    /// The media type, such as `application/pdf`; empty if Slack gives none.
    #[serde(default)]
    pub media_type: String,
    /// Size in bytes. `None` if Slack gives none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
}

/// What Slack delivers, over HTTP or in an envelope of Socket Mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    Event,
    Interaction,
    Command,
}

/// A click on a button or a choice in a menu.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Click {
    /// The element's `action_id`.
    pub action_id: String,
    /// The element's `value`, or the chosen option's.
    pub value: String,
    /// Timestamp of the message with the button, if it is in one.
    pub message_ts: Option<String>,
    /// Id of the modal with the button, or of the placeholder modal that the receiver opened.
    pub view_id: Option<String>,
    pub reply_to: ReplyAddress,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Command {
    /// The command with its slash, `/alfred`; "shortcut" for a shortcut on a message.
    pub command: String,
    /// The text after the command. That of a shortcut quotes the message that it was chosen on.
    pub text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<SlackFile>,
    /// Where to reply. Slash commands don't work in threads.
    pub reply_to: ReplyAddress,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ViewSubmission {
    pub callback_id: String,
    pub view_id: String,
    pub private_metadata: String,
    /// `view.state.values`, as Slack sent it.
    pub values: Value,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplyAddress {
    pub channel: ChannelId,
    /// The thread. For a channel message outside a thread, it is the message's own `ts`.
    pub thread_ts: Option<String>,
    pub response_type: ResponseType,
}

impl ReplyAddress {
    /// The direct message with a person, addressed by their user id.
    pub fn direct(user: &UserId) -> Self {
        Self {
            channel: ChannelId::from(user.as_str()),
            thread_ts: None,
            response_type: ResponseType::Dm,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResponseType {
    /// In the thread of the request.
    Thread,
    /// In the channel, in a thread under the request.
    Channel,
    /// In the direct message with the person. Also used for unknown types.
    #[default]
    #[serde(other)]
    Dm,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_response_type_falls_back_to_a_dm() {
        let parsed: ResponseType = serde_json::from_str("\"carrier_pigeon\"").unwrap();
        assert_eq!(parsed, ResponseType::Dm);
        assert_eq!(serde_json::to_string(&ResponseType::Dm).unwrap(), "\"dm\"");
    }

    #[test]
    fn a_quotation_is_told_by_its_mark() {
        let rich = |element: Value| serde_json::json!([{"type": "rich_text", "elements": [{"type": "rich_text_section"}, element]}]);
        for quoted in [
            serde_json::json!({"type": "rich_text_quote", "elements": []}),
            serde_json::json!({"type": "rich_text_list", "border": 1}),
        ] {
            assert!(quotes("", &rich(quoted)));
        }
        for own in [
            serde_json::json!([]),
            Value::Null,
            rich(serde_json::json!({"type": "rich_text_preformatted", "border": 0})),
        ] {
            assert!(!quotes("a > b", &own), "{own}");
        }
        for quoted in ["> a", "see:\n &gt;&gt;&gt; a", "x\n>a"] {
            assert!(quotes(quoted, &Value::Null), "{quoted}");
        }
    }
}
