//! The text frames of Socket Mode (<https://docs.slack.dev/apis/events-api/using-socket-mode>).

use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Debug, Deserialize, PartialEq)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Frame {
    Hello {
        /// Open connections of the app, this one included.
        num_connections: usize,
    },
    Disconnect {
        reason: Reason,
    },
    /// What the Events API sends.
    EventsApi(Envelope),
    /// A click or a submitted form.
    Interactive(Envelope),
    SlashCommands(Envelope),
}

/// Repetitions have more fields, and are treated alike: they are often the only delivery after a gap.
#[derive(Debug, Deserialize, PartialEq)]
pub(super) struct Envelope {
    #[serde(rename = "envelope_id")]
    pub id: String,
    pub payload: Value,
    /// Whether an acknowledgement may carry an answer.
    #[serde(default, rename = "accepts_response_payload")]
    pub accepts_answer: bool,
}

/// Why Slack ends a connection.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(super) enum Reason {
    /// Socket Mode was switched off.
    LinkDisabled,
    TooManyWebsockets,
    /// Slack closes it at once, or in about ten seconds (`warning`). Also for reasons that Slack may add.
    #[serde(other)]
    RefreshRequested,
}

/// The error is the id of an envelope that isn't understood, which must be acknowledged or Slack sends it again.
pub(super) fn parse(text: &str) -> Result<Frame, Option<String>> {
    let frame: Value = serde_json::from_str(text).map_err(|_| None)?;
    let id = frame["envelope_id"].as_str().map(str::to_owned);
    serde_json::from_value(frame).map_err(|_| id)
}

/// The frame that acknowledges an envelope.
pub(super) fn acknowledgement(id: &str, answer: Option<Value>) -> String {
    let mut frame = json!({"envelope_id": id});
    if let Some(answer) = answer {
        frame["payload"] = answer;
    }
    frame.to_string()
}
