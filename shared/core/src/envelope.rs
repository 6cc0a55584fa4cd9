//! The one message that travels on queues: Envelope v1.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::failure::Failure;
use crate::id::{ChannelId, FileId, RunId, SessionId, TeamId, TraceId, UserId};
use crate::ports::Usage;

/// The version this release writes. Readers accept it and older ones.
pub const ENVELOPE_VERSION: u8 = 1;
/// Continuations of one request after which it fails: a loop, not a long job.
pub const MAX_HOPS: u16 = 200;

/// A message between functions. From ingress it carries what Slack said, later
/// the id of the run to continue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Envelope {
    /// The envelope's version.
    pub v: u8,
    /// What identifies the event: `msg:CHANNEL:TS`, `evt:EVENT_ID`, `trg:TRIGGER_ID`.
    pub identity: String,
    /// What delivered it. The same trigger continues behind its claim, another one is a duplicate.
    pub trigger: String,
    /// Follows the request through every function.
    pub trace_id: TraceId,
    /// How many queues this request has crossed.
    #[serde(default)]
    pub hops: u16,
    /// The Slack workspace.
    pub team: TeamId,
    /// Who asks.
    pub user: UserId,
    /// The conversation it belongs to.
    pub session: SessionId,
    /// When the receiver saw it.
    pub received_at: Timestamp,
    /// What happened.
    pub payload: Payload,
}

impl Envelope {
    /// Reads a queue's message.
    ///
    /// # Errors
    /// `Retry` for one of a newer release, which is left to that release. `Bug` for what is none: where
    /// it breaks, without any of its text.
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

    /// The message that continues a run of this conversation.
    pub fn of_run(
        team: &TeamId,
        user: &UserId,
        session: &SessionId,
        trace_id: TraceId,
        run: RunId,
        received_at: Timestamp,
    ) -> Self {
        let trigger = format!("run:{run}");
        Self {
            v: ENVELOPE_VERSION,
            identity: trigger.clone(),
            trigger,
            trace_id,
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

    /// Whether this request has crossed more queues than any job needs.
    pub fn loops(&self) -> bool {
        self.hops > MAX_HOPS
    }
}

/// Of a message that can't be read; serde's own words may quote it.
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

/// What happened in Slack, or which run is to go on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Payload {
    /// A person wrote to Alfred.
    Message(SlackMessage),
    /// A button or menu of one of Alfred's messages.
    Click(Click),
    /// A slash command.
    Command(Command),
    /// A modal was submitted.
    View(ViewSubmission),
    /// The stop button of Slack's agent surface.
    Stop {
        /// Where the request runs.
        reply_to: ReplyAddress,
    },
    /// A run to start, continue or aggregate.
    Run {
        /// Its id; everything else is in its row.
        run: RunId,
        /// How the classifier found it, until the worker's first step records it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        classified: Option<Classified>,
    },
    /// Look for due timers and for runs that were left ready.
    Sweep {},
}

/// What the predicate evaluator found about a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Classified {
    /// Whether the request needs teams.
    pub complex: bool,
    /// The toolsets it needs to begin with, none of them for small talk; `None` where nobody said: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub toolsets: Option<Vec<String>>,
    /// Why the fallback was taken, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback_reason: Option<String>,
    /// What asking cost.
    #[serde(default)]
    pub usage: Usage,
    /// How long it took, in milliseconds.
    #[serde(default)]
    pub ms: u64,
}

/// A message to Alfred.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SlackMessage {
    /// The text as Slack sent it (mrkdwn with escapes), without Alfred's own mentions; at most 40,000 characters.
    pub text: String,
    /// The files that came with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<SlackFile>,
    /// Whether some of the text is a quotation, and so other people's words.
    #[serde(default, skip_serializing_if = "is_false")]
    pub quotes: bool,
    /// The message's timestamp, its id within the channel.
    pub ts: String,
    /// Whether Alfred is mentioned in it.
    pub mentioned: bool,
    /// Where the answer goes.
    pub reply_to: ReplyAddress,
}

pub(crate) fn is_false(value: &bool) -> bool {
    !value
}

/// Whether a message holds a quotation: text that its author marks as somebody else's, whether they
/// typed it or pasted it: a line of its text behind `>`, or an element of its blocks. Slack marks quoted
/// lists and code by their border.
/// <https://docs.slack.dev/reference/block-kit/blocks/rich-text-block/>
pub fn quotes(text: &str, blocks: &Value) -> bool {
    let mut lines = text.lines().map(str::trim_start);
    if lines.any(|line| line.starts_with('>') || line.starts_with("&gt;")) {
        return true;
    }
    let blocks = blocks.as_array().into_iter().flatten();
    let mut elements = blocks.flat_map(|block| block["elements"].as_array().into_iter().flatten());
    elements.any(|element| element["type"] == "rich_text_quote" || element["border"] == 1)
}

/// A file of a message, as far as it is told without being opened.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SlackFile {
    /// Slack's id of it; `None` where Slack doesn't say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<FileId>,
    /// SHA-256 of its content, of a file that is kept beside the run already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<String>,
    /// What whoever made it called it. Their words: untrusted.
    pub name: String,
    /// Its media type, such as `application/pdf`; empty when Slack doesn't say.
    #[serde(default)]
    pub media_type: String,
    /// In bytes; `None` when Slack doesn't say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
}

/// A click on a button or a choice in a menu.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Click {
    /// The element's `action_id`.
    pub action_id: String,
    /// The element's `value`, or the chosen option's.
    pub value: String,
    /// The message it sits on, if it does.
    pub message_ts: Option<String>,
    /// The view it sits on, or the skeleton that the receiver opened for it.
    pub view_id: Option<String>,
    /// Where answers to the click go.
    pub reply_to: ReplyAddress,
}

/// A slash command.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Command {
    /// The command with its slash, `/alfred`.
    pub command: String,
    /// What stands behind it.
    pub text: String,
    /// Where the answer goes; slash commands don't work in threads.
    pub reply_to: ReplyAddress,
}

/// A submitted modal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ViewSubmission {
    /// The view's `callback_id`.
    pub callback_id: String,
    /// The view's id.
    pub view_id: String,
    /// The view's `private_metadata`.
    pub private_metadata: String,
    /// `view.state.values`, as Slack sent it.
    pub values: Value,
}

/// Where an answer goes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReplyAddress {
    /// The conversation.
    pub channel: ChannelId,
    /// The thread. A missing `thread_ts` of an event in a channel is the message's own `ts`.
    pub thread_ts: Option<String>,
    /// How the answer is placed.
    pub response_type: ResponseType,
}

impl ReplyAddress {
    /// The direct message with this person, which their id opens.
    pub fn direct(user: &UserId) -> Self {
        Self {
            channel: ChannelId::from(user.as_str()),
            thread_ts: None,
            response_type: ResponseType::Dm,
        }
    }
}

/// How an answer is placed (annex 1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResponseType {
    /// In the thread where it was asked.
    Thread,
    /// In the channel, as a thread under the message that asked.
    Channel,
    /// In the direct message with the person. Unknown types fall back to it.
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
