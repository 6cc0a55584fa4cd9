//! A call that waits for its owner: what exactly would run, why it is asked,
//! until when it can be decided, and what was decided.

pub mod card;
pub mod choose;
mod content;
pub mod decide;
pub mod edit;
pub mod park;
pub mod pending;
pub mod show;
pub mod withdraw;
pub mod words;

use alfred_core::digest::{canonical_json, sha256_hex};
use alfred_core::{
    ApprovalId, ChannelId, Failure, ResponseType, RunId, SessionId, SlackContext, Taint, TeamId,
    UserId,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::gate::{Reason, Recipient};
use crate::preview::Preview;
use crate::tool::SharedTool;

/// A pending action (seed 000, annex 1 "Approval guard"), as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Approval {
    /// Schema version.
    pub v: u8,
    /// Its id.
    pub id: ApprovalId,
    /// From 1; one more with each edit. Only the last one can be decided.
    pub revision: u32,
    /// The workspace.
    pub team: TeamId,
    /// Whose approval it needs. Nobody else's counts.
    pub owner: UserId,
    /// The run that waits.
    pub run: RunId,
    /// Its call.
    pub call_id: String,
    /// The conversation, for decisions that are remembered.
    pub session: SessionId,
    /// The agent that calls.
    pub worker: String,
    /// From the run's own agent down to the one that calls; empty where it is that one itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<String>,
    /// What is asked.
    pub question: Question,
    /// The tool.
    pub action_type: String,
    /// Its arguments, exactly as they would run.
    pub payload: Value,
    /// Of exactly what would run.
    pub digest: String,
    /// What its owner sees.
    pub preview: Preview,
    /// Why an edit of it could not be used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
    /// Why it is asked.
    pub reasons: Vec<Reason>,
    /// To whom it reaches.
    pub recipients: Vec<Recipient>,
    /// Those of its audience whom Alfred doesn't serve, by id.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outside: Vec<String>,
    /// What the run had read when it asked.
    pub taint: Taint,
    /// Where it was asked for.
    pub asked_in: SlackContext,
    /// Where it stands.
    pub status: Status,
    /// When it was asked.
    pub created_at: Timestamp,
    /// Until when it can be decided.
    pub expires_at: Timestamp,
    /// When it was decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_at: Option<Timestamp>,
    /// Who decided; nobody where time did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_by: Option<UserId>,
    /// What delivered the decision: the same again repeats what follows from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_trigger: Option<String>,
    /// What the owner said about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Characters that a model is told of one that waits.
const ABOUT_CHARS: usize = 1_000;

/// What waits for its owner, as it stands among theirs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenApproval {
    /// The approval.
    pub id: ApprovalId,
    /// The tool that would run.
    pub tool: String,
    /// Whether it is a proposal made of parts.
    pub proposal: bool,
    /// What it would do, for a model; nothing where other people's words may stand in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// Until when it can be decided.
    pub expires_at: Timestamp,
}

impl OpenApproval {
    /// Of an approval that this tool would carry out. What a tool works out from what is stored may hold other
    /// people's words, whatever the run has read: of that its outline is told alone.
    pub fn new(approval: &Approval, tool: Option<&SharedTool>) -> Self {
        let payload = &approval.payload;
        let said = |tool: &SharedTool| match tool.check_resolved(payload) {
            None => Some(payload.to_string()),
            Some(_) => tool.outline(payload),
        };
        let own = approval.taint.untrusted.is_empty();
        let about = tool.filter(|_| own).and_then(said);
        Self {
            id: approval.id.clone(),
            tool: approval.action_type.clone(),
            proposal: approval.is_proposal(),
            about: about.map(|about| about.chars().take(ABOUT_CHARS).collect()),
            expires_at: approval.expires_at,
        }
    }
}

/// What an owner is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Question {
    /// May it run?
    MayItRun,
    /// Nobody can tell whether it happened: look again, repeat it, or leave it?
    DidItHappen,
}

/// Where an approval stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Nobody has decided.
    Pending,
    /// Its owner said yes.
    Approved,
    /// Its owner said no.
    Rejected,
    /// Alfred took it back, since its owner asked for something else.
    CalledOff,
    /// Time is over.
    Expired,
    /// Its owner wants it otherwise; the next revision is on its way.
    Edited,
    /// The run ended without it.
    Error,
}

/// What is decided about a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It may run.
    Approve,
    /// It may run, and the same call in this session for 12 hours.
    Remember,
    /// It may not.
    Reject,
    /// A model's call takes it back for its owner.
    CallOff,
    /// It is to run otherwise, and is asked anew as it then is.
    Edit,
    /// Nobody decided in time.
    Expire,
    /// Of an unknown outcome: look again.
    Look,
    /// Of an unknown outcome: do it once more.
    Repeat,
    /// Of an unknown outcome: let it be.
    Leave,
}

impl Verdict {
    /// Whether it answers this question at all.
    pub fn answers(self, question: Question) -> bool {
        match self {
            Self::Approve | Self::Remember | Self::Reject | Self::CallOff | Self::Edit => {
                question == Question::MayItRun
            }
            Self::Look | Self::Repeat | Self::Leave => question == Question::DidItHappen,
            Self::Expire => true,
        }
    }

    /// Where an approval stands behind it.
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
    /// Whether it is a proposal made of parts, which its owner modifies or calls off.
    pub fn is_proposal(&self) -> bool {
        !self.preview.items.is_empty()
    }

    /// Where its card goes: the direct message the request came from, else its owner's.
    pub fn place(&self) -> (ChannelId, Option<String>) {
        let asked = &self.asked_in;
        let direct = asked.channel_id.as_str().starts_with('D');
        if direct && asked.response_type == ResponseType::Dm {
            (asked.channel_id.clone(), asked.thread_ts.clone())
        } else {
            (ChannelId::from(self.owner.as_str()), None)
        }
    }

    /// Whether "remember" is offered: what taint or an outward effect demands is asked each time.
    pub fn can_be_remembered(&self) -> bool {
        self.question == Question::MayItRun && !self.reasons.iter().any(Reason::is_hard)
    }
}

/// What a digest is made of.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The workspace.
    pub team: &'a TeamId,
    /// For whom it would run.
    pub owner: &'a UserId,
    /// The tool.
    pub tool: &'a str,
    /// The tool's schema.
    pub schema: &'a Value,
    /// The version of the policy.
    pub policy: &'a str,
    /// The arguments.
    pub arguments: &'a Value,
}

/// The digest that an approval binds: SHA-256, in lower-case hex, over the
/// UTF-8 bytes of the canonical JSON (RFC 8785) of
/// `{"arguments":…,"owner":…,"policy":…,"schema":SHA-256 of the canonical schema,"team":…,"tool":…,"v":1}`.
///
/// # Errors
/// `Bug` for arguments that have no canonical form.
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

/// The key under which a decision is remembered: the tool and the canonical
/// arguments, and nothing else (annex 3).
///
/// # Errors
/// `Bug` for arguments that have no canonical form.
pub fn memory_key(tool: &str, arguments: &Value) -> Result<String, Failure> {
    let text = canonical_json(arguments).map_err(Failure::bug)?;
    Ok(sha256_hex(format!("{tool}\n{text}").as_bytes()))
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
