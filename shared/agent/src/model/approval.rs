//! Approvals: what exactly would run, why the owner is asked, the deadline, and the decision.

use alfred_core::digest::{canonical_json, sha256_hex};
use alfred_core::{
    ApprovalId, ChannelId, Failure, ResponseType, RunId, SessionId, SlackContext, Taint, TeamId,
    UserId,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::model::preview::Preview;

/// The stored record of a tool call that needs the decision of the run's owner. It stays after the decision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Approval {
    pub v: u8,
    pub id: ApprovalId,
    /// Starts at 1 and grows with each edit. Only the latest revision can be decided.
    pub revision: u32,
    pub team: TeamId,
    /// The only user whose decision counts.
    pub owner: UserId,
    pub run: RunId,
    pub call_id: String,
    /// The conversation. Remembered decisions apply to it.
    pub session: SessionId,
    pub worker: String,
    /// Names of the agents from the run's own agent down to the one that makes the call, both included. Empty if
    /// the run's own agent makes it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<String>,
    pub question: Question,
    pub action_type: String,
    /// The arguments, exactly as they would run.
    pub payload: Value,
    /// Binds the decision to the call; see [`digest`].
    pub digest: String,
    pub preview: Preview,
    /// Why the owner's last edit couldn't be used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
    pub reasons: Vec<Reason>,
    pub recipients: Vec<Recipient>,
    /// Ids of people in the preview's audience whom Alfred doesn't serve.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outside: Vec<String>,
    /// Taint of the run when it asked.
    pub taint: Taint,
    /// The Slack conversation of the owner's request.
    pub asked_in: SlackContext,
    pub status: Status,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_at: Option<Timestamp>,
    /// Who decided. `None` while it is open, and if it expired.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_by: Option<UserId>,
    /// Id of the message or click that decided. A redelivery with this id repeats only the follow-up work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_trigger: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A short form of an open approval. The model sees it when the owner writes the next request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenApproval {
    pub id: ApprovalId,
    pub tool: String,
    /// Whether it is a proposal with parts that can be dropped.
    pub proposal: bool,
    /// The arguments for a model to read. `None` if they may contain other people's text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// Whether the request was written in the Modify form of its card.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub form: bool,
    pub expires_at: Timestamp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Question {
    MayItRun,
    /// It is unknown whether the effect happened. The owner chooses: check again, repeat, or leave.
    DidItHappen,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Pending,
    Approved,
    Rejected,
    /// Withdrawn by Alfred because the owner asked for something else.
    CalledOff,
    Expired,
    /// Replaced by an edit; the next revision will be asked.
    Edited,
    Error,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Approve,
    /// Approves this call, and identical calls in this session for 12 hours.
    Remember,
    Reject,
    /// A model withdraws it on the owner's request.
    CallOff,
    /// Runs with other arguments, after the owner approves those.
    Edit,
    Expire,
    /// Unknown outcome: check again.
    Look,
    /// Unknown outcome: run the call once more.
    Repeat,
    /// Unknown outcome: the owner leaves it so, and the run continues.
    Leave,
}

impl Verdict {
    /// Whether this verdict is a valid answer to the question.
    pub fn answers(self, question: Question) -> bool {
        match self {
            Self::Approve | Self::Remember | Self::Reject | Self::CallOff | Self::Edit => {
                question == Question::MayItRun
            }
            Self::Look | Self::Repeat | Self::Leave => question == Question::DidItHappen,
            Self::Expire => true,
        }
    }

    pub(crate) fn approves(self) -> bool {
        matches!(self, Self::Approve | Self::Remember)
    }

    pub fn status(self) -> Status {
        match self {
            Self::Approve | Self::Remember | Self::Look | Self::Repeat => Status::Approved,
            Self::Reject | Self::Leave => Status::Rejected,
            Self::CallOff => Status::CalledOff,
            Self::Edit => Status::Edited,
            Self::Expire => Status::Expired,
        }
    }
}

impl Approval {
    /// Whether the call proposes several items that the owner can drop one by one, such as the time blocks of a day.
    pub fn is_proposal(&self) -> bool {
        !self.preview.items.is_empty()
    }

    /// Channel and thread of the card: the direct message of the request, or a new one to the owner.
    pub fn place(&self) -> (ChannelId, Option<String>) {
        let asked = &self.asked_in;
        let direct = asked.channel_id.as_str().starts_with('D');
        if direct && asked.response_type == ResponseType::Dm {
            (asked.channel_id.clone(), asked.thread_ts.clone())
        } else {
            (ChannelId::from(self.owner.as_str()), None)
        }
    }

    /// Whether "remember" is offered. Calls with a hard reason (outward effect, taint) are asked every time.
    pub fn can_be_remembered(&self) -> bool {
        self.question == Question::MayItRun && !self.reasons.iter().any(Reason::is_hard)
    }
}

/// The input of [`digest`].
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    pub team: &'a TeamId,
    /// The user for whom the call would run.
    pub owner: &'a UserId,
    pub tool: &'a str,
    pub schema: &'a Value,
    /// Version of the administrator's policy.
    pub policy: &'a str,
    pub arguments: &'a Value,
}

/// SHA-256 in lower-case hex of the canonical JSON (RFC 8785) of
/// `{"arguments":…,"owner":…,"policy":…,"schema":SHA-256 of the canonical schema,"team":…,"tool":…,"v":1}`.
/// Any change of the call changes the digest.
pub fn digest(call: &Call<'_>) -> Result<String, Failure> {
    let schema = canonical_json(call.schema).map_err(Failure::bug)?;
    let bound = json!({
        "v": 1,
        "team": call.team,
        "owner": call.owner,
        "tool": call.tool,
        "schema": sha256_hex(schema.as_bytes()),
        "policy": call.policy,
        "arguments": call.arguments,
    });
    let text = canonical_json(&bound).map_err(Failure::bug)?;
    Ok(sha256_hex(text.as_bytes()))
}

/// Key of a remembered decision: SHA-256 of the tool name and the canonical arguments.
pub fn memory_key(tool: &str, arguments: &Value) -> Result<String, Failure> {
    let text = canonical_json(arguments).map_err(Failure::bug)?;
    Ok(sha256_hex(format!("{tool}\n{text}").as_bytes()))
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "because", rename_all = "snake_case")]
pub enum Reason {
    Outward,
    Destructive,
    /// The tool asks for approval each time. No configuration waives it.
    Always,
    ToolAsks,
    /// A setting asks for approval.
    Configured {
        /// True if only the worker file asks, not the administrator. Always false inside the gate.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        by_worker: bool,
    },
    /// The run has read untrusted text and private data, and the call sends data out.
    RuleOfTwo {
        /// Sources of the untrusted text.
        untrusted: Vec<String>,
        /// Sources of the private data.
        private: Vec<String>,
    },
    /// The run has read untrusted text, and the call is hard to take back: it destroys something,
    /// its undo is blind, it guides later runs, or it is one of many changes.
    Tainted {
        /// Sources of the untrusted text.
        untrusted: Vec<String>,
    },
    /// Opens a web address that the owner didn't give, in a run that has read private data. The
    /// address could carry that data out.
    UnknownAddress {
        /// Sources of the private data.
        private: Vec<String>,
    },
    /// A recipient that the owner didn't name and the workspace doesn't know.
    UnknownRecipient {
        who: String,
    },
}

impl Reason {
    /// Whether the owner must always be asked, despite `approve_all` or a remembered decision.
    pub fn is_hard(&self) -> bool {
        match self {
            Self::Outward
            | Self::Always
            | Self::RuleOfTwo { .. }
            | Self::Tainted { .. }
            | Self::UnknownAddress { .. }
            | Self::UnknownRecipient { .. } => true,
            Self::Destructive | Self::ToolAsks | Self::Configured { .. } => false,
        }
    }
}

/// A person or address that a call reaches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recipient {
    /// As written in the arguments.
    pub who: String,
    /// True if the owner wrote it or the workspace knows it.
    pub trusted: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call<'a>(owner: &'a UserId, schema: &'a Value, arguments: &'a Value) -> Call<'a> {
        static TEAM: std::sync::LazyLock<TeamId> = std::sync::LazyLock::new(|| "T1".into());
        Call {
            team: &TEAM,
            owner,
            tool: "slack_sendMessage",
            schema,
            policy: "p1",
            arguments,
        }
    }

    #[test]
    fn the_digest_binds_everything_that_would_run() {
        let (ana, ben): (UserId, UserId) = ("U1".into(), "U2".into());
        let (schema, args) = (
            json!({"type": "object"}),
            json!({"to": "@ben", "text": "hi"}),
        );
        let first = digest(&call(&ana, &schema, &args)).unwrap();
        let reordered = json!({"text": "hi", "to": "@ben"});
        assert_eq!(first, digest(&call(&ana, &schema, &reordered)).unwrap());
        let others = [
            digest(&call(&ben, &schema, &args)).unwrap(),
            digest(&call(&ana, &json!({"type": "array"}), &args)).unwrap(),
            digest(&call(&ana, &schema, &json!({"to": "@ben", "text": "hi "}))).unwrap(),
            digest(&Call {
                policy: "p2",
                ..call(&ana, &schema, &args)
            })
            .unwrap(),
            digest(&Call {
                tool: "slack_send",
                ..call(&ana, &schema, &args)
            })
            .unwrap(),
        ];
        for other in others {
            assert_ne!(first, other);
        }
    }
}
