//! Approvals: the exact call, why the owner is asked, and the decision.

use alfred_core::digest::{canonical_json, sha256_hex};
use alfred_core::{
    ApprovalId, ChannelId, Failure, ResponseType, Result, RunId, SessionId, SlackContext, Taint,
    TeamId, UserId,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::model::preview::Preview;

/// A tool call that needs its owner's decision. It stays after the decision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Approval {
    pub v: u8,
    pub id: ApprovalId,
    /// From 1, one more with each edit. Only the latest can be decided.
    pub revision: u32,
    pub team: TeamId,
    /// The only user whose decision counts.
    pub owner: UserId,
    pub run: RunId,
    pub call_id: String,
    pub session: SessionId,
    pub worker: String,
    /// Agents from the run's own down to the caller; empty if the run's own agent calls.
    pub path: Vec<String>,
    pub question: Question,
    pub action_type: String,
    /// The arguments, exactly as they would run.
    pub payload: Value,
    pub digest: String,
    pub preview: Preview,
    /// The trigger of the edit that made this revision: a click, or `RUN:CALL` of a model's call.
    pub edited_by: Option<String>,
    /// Why the owner's last edit couldn't be used.
    pub trouble: Option<String>,
    pub reasons: Vec<Reason>,
    pub recipients: Vec<Recipient>,
    /// Ids of people in the preview's audience whom Alfred doesn't serve.
    pub outside: Vec<String>,
    pub taint: Taint,
    pub asked_in: SlackContext,
    pub status: Status,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
    pub resolved_at: Option<Timestamp>,
    pub resolved_by: Option<UserId>,
    /// The message or click that decided. Its redelivery repeats only the follow-up work.
    pub resolved_trigger: Option<String>,
    pub note: Option<String>,
}

/// An open approval, as the model sees it beside the owner's next request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenApproval {
    pub id: ApprovalId,
    pub tool: String,
    pub proposal: bool,
    /// The arguments for a model to read. `None` if they may contain other people's text.
    pub about: Option<String>,
    pub form: bool,
    pub expires_at: Timestamp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Question {
    MayItRun,
    /// Whether an effect happened is unknown: check again, repeat, or leave.
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
    CallOff,
    Edit,
    Expire,
    Look,
    Repeat,
    Leave,
}

impl Verdict {
    pub fn answers(self, question: Question) -> bool {
        let of_unknown = matches!(self, Self::Look | Self::Repeat | Self::Leave);
        self == Self::Expire || of_unknown == (question == Question::DidItHappen)
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
    pub fn is_proposal(&self) -> bool {
        !self.preview.items.is_empty()
    }

    /// The title with whom or what it is about, and the text that it sends if it has one line.
    pub fn in_short(&self) -> String {
        let body = self.preview.body.as_ref();
        let body = body.filter(|body| !body.trim().contains('\n'));
        let body = body.map(|body| format!(": “{body}”"));
        self.preview.in_short() + &body.unwrap_or_default()
    }

    /// The value of the card's buttons.
    pub fn button_value(&self) -> String {
        format!("{}:{}", self.id, self.revision)
    }

    /// Channel and thread of the card: the request's direct message, or a new one.
    pub fn place(&self) -> (ChannelId, Option<String>) {
        let asked = &self.asked_in;
        let direct = asked.channel_id.as_str().starts_with('D');
        if direct && asked.response_type == ResponseType::Dm {
            (asked.channel_id.clone(), asked.thread_ts.clone())
        } else {
            (ChannelId::from(self.owner.as_str()), None)
        }
    }

    /// Calls with a hard reason are asked every time.
    pub fn can_be_remembered(&self) -> bool {
        self.question == Question::MayItRun && !self.reasons.iter().any(Reason::is_hard)
    }
}

#[derive(Clone, Copy, Debug, Serialize)]
pub struct Call<'a> {
    pub team: &'a TeamId,
    pub owner: &'a UserId,
    pub tool: &'a str,
    pub schema: &'a Value,
    pub policy: &'a str,
    pub arguments: &'a Value,
}

/// SHA-256 of the canonical JSON (RFC 8785) of everything that would run.
pub fn digest(call: &Call<'_>) -> Result<String> {
    let schema = canonical_json(call.schema).map_err(Failure::bug)?;
    let mut bound = json!(call);
    bound["v"] = 1.into();
    bound["schema"] = sha256_hex(schema.as_bytes()).into();
    let text = canonical_json(&bound).map_err(Failure::bug)?;
    Ok(sha256_hex(text.as_bytes()))
}

pub fn memory_key(tool: &str, arguments: &Value) -> Result<String> {
    let text = canonical_json(arguments).map_err(Failure::bug)?;
    Ok(sha256_hex(format!("{tool}\n{text}").as_bytes()))
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "because", rename_all = "snake_case")]
pub enum Reason {
    Outward,
    Destructive,
    /// No configuration waives it.
    Always,
    ToolAsks,
    /// A setting of the administrator asks, or only one of the worker file.
    Configured {
        by_worker: bool,
    },
    /// The run has read untrusted text and private data, and the call sends data out.
    RuleOfTwo {
        untrusted: Vec<String>,
        private: Vec<String>,
    },
    /// The run read untrusted text, and the call is hard to take back.
    Tainted {
        untrusted: Vec<String>,
    },
    /// The run read private data, which an address that the owner didn't give could carry out.
    UnknownAddress {
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
        !matches!(
            self,
            Self::Destructive | Self::ToolAsks | Self::Configured { .. }
        )
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recipient {
    pub who: String,
    /// True if the owner wrote it or the workspace knows it.
    pub trusted: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_binds_everything_that_would_run() {
        let (team, ana, ben): (TeamId, UserId, UserId) = ("T1".into(), "U1".into(), "U2".into());
        let schema = json!({"type": "object"});
        let arguments = json!({"to": "@ben", "text": "hi"});
        let call = Call {
            team: &team,
            owner: &ana,
            tool: "slack_sendMessage",
            schema: &schema,
            policy: "p1",
            arguments: &arguments,
        };
        let reordered = json!({"text": "hi", "to": "@ben"});
        let mut same = call;
        same.arguments = &reordered;
        assert_eq!(digest(&call).unwrap(), digest(&same).unwrap());
        let mut others = [call; 5];
        others[0].owner = &ben;
        others[1].tool = "slack_send";
        others[2].schema = &arguments;
        others[3].policy = "p2";
        others[4].arguments = &schema;
        for other in others {
            assert_ne!(digest(&call).unwrap(), digest(&other).unwrap());
        }
    }
}
