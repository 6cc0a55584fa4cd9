//! The steps of a run's journal. Each is committed before the next one starts.

use alfred_core::ports::{Turn, Usage};
use alfred_core::{ApprovalId, ChannelId, Classified, Source, Taint};
use alfred_timeline::Timeline;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::approval::{Reason, Verdict};
use crate::model::attachment::Attached;
use crate::model::effect::{Effect, Flow, Receipt};
use crate::model::frame::Frame;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    pub v: u8,
    /// Starts at 1.
    pub seq: u32,
    pub at: Timestamp,
    /// How long it took, in milliseconds.
    pub ms: u64,
    /// The agent that took the step.
    #[serde(default, skip_serializing_if = "Frame::is_own")]
    pub frame: Frame,
    pub did: StepKind,
}

impl Step {
    pub fn began(&self) -> Timestamp {
        let took = SignedDuration::from_millis(i64::try_from(self.ms).unwrap_or(i64::MAX));
        self.at.saturating_sub(took).unwrap_or(self.at)
    }

    pub fn turn(&self) -> Option<&Turn> {
        match &self.did {
            StepKind::Turn(turn) => Some(turn),
            _ => None,
        }
    }

    pub fn result(&self) -> Option<&CallResult> {
        match &self.did {
            StepKind::ToolResult(result) => Some(result),
            _ => None,
        }
    }

    pub fn asked(&self) -> Option<&Asked> {
        match &self.did {
            StepKind::Asked(asked) => Some(asked),
            _ => None,
        }
    }

    pub fn decided(&self) -> Option<&Decided> {
        match &self.did {
            StepKind::Decided(decided) => Some(decided),
            _ => None,
        }
    }
}

/// A step before its commit.
#[derive(Clone, Debug, PartialEq)]
pub struct NewStep {
    /// Duration in milliseconds.
    pub ms: u64,
    /// The agent that took the step. `None` for the current one.
    pub frame: Option<Frame>,
    pub did: StepKind,
}

impl NewStep {
    /// Sets the agent that took the step.
    pub fn of(mut self, frame: &Frame) -> Self {
        self.frame = Some(frame.clone());
        self
    }
}

impl From<CallResult> for NewStep {
    fn from(result: CallResult) -> Self {
        result.took(0)
    }
}

impl From<StepKind> for NewStep {
    fn from(did: StepKind) -> Self {
        did.took(0)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "snake_case")]
pub enum StepKind {
    /// The request was classified as simple or complex.
    Classified(Classified),
    /// Earlier messages of the thread were read.
    Context {
        /// One line per message: `name: text`.
        lines: Vec<String>,
        /// Whether somebody other than the owner wrote some of it.
        foreign: bool,
        /// The conversation it was said in.
        conversation: ChannelId,
    },
    Attached {
        /// In the request's order.
        files: Vec<Attached>,
    },
    /// A model turn: text or tool calls.
    Turn(Turn),
    Asked(Asked),
    Decided(Decided),
    /// An effect outside started. Without a later result, it may have happened.
    Intent {
        call_id: String,
        /// Starts at 1. Grows when a check finds that the previous attempt had no effect.
        attempt: u32,
        arguments: Value,
        /// The outcome isn't checked before this time.
        until: Timestamp,
    },
    /// The last intent certainly had no effect: its provider was unreachable or asked for a later retry.
    NotReached {
        call_id: String,
        /// Whether the provider named a retry time. Then it doesn't count as an attempt.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        limited: bool,
    },
    /// The oldest exchanges of a chat were summarized.
    Compacted {
        /// The summary; it includes the previous summary.
        text: String,
        /// Number of exchanges; 0 if the model gave no usable summary.
        exchanges: u32,
        #[serde(default, skip_serializing_if = "Taint::is_empty")]
        taint: Taint,
        usage: Usage,
    },
    ToolResult(CallResult),
    Planned(Turn),
}

/// The owner was asked about a call. A later step with a higher revision replaces it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    pub call_id: String,
    pub approval: ApprovalId,
    /// Starts at 1 and grows with each edit.
    pub revision: u32,
    /// Short description of the call.
    pub title: String,
    pub arguments: Value,
    pub digest: String,
    pub reasons: Vec<Reason>,
    /// SHA-256 of the preview. The previewed data may change before the call runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown: Option<String>,
    /// Whether the run had read other people's words when it asked.
    pub tainted: bool,
    /// Whether the title may contain data only the owner may see. It appears in the ledger.
    pub private: bool,
}

/// The owner decided about a call, or the approval expired.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Decided {
    pub call_id: String,
    pub approval: ApprovalId,
    pub revision: u32,
    pub verdict: Verdict,
    pub digest: String,
    pub arguments: Value,
    /// The owner's reason for a rejection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Taint of the note or edit, if another run wrote it.
    #[serde(default, skip_serializing_if = "Taint::is_empty")]
    pub taint: Taint,
}

/// The result of a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallResult {
    pub call_id: String,
    pub name: String,
    pub ok: bool,
    /// The result: `{success, error?, …}`.
    pub output: Value,
    /// The effect in the past tense.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// Whether it changed or sent anything.
    pub changed: bool,
    pub effect: Effect,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receipt: Option<Receipt>,
    /// The taint that the result brought in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flow: Option<Flow>,
    /// Why an effect has no receipt, if that needs reporting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unclear: Option<Unclear>,
    /// A calendar picture for the reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture: Option<Box<Timeline>>,
    /// Choices for the person; button labels, which may be other people's text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<Source>,
    /// The arguments that the audit keeps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// The kind of failure, if the tool set one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_type: Option<String>,
}

impl CallResult {
    /// The step of this result, with this duration in milliseconds.
    pub fn took(self, ms: u64) -> NewStep {
        StepKind::ToolResult(self).took(ms)
    }
}

/// Why a call with an effect has no receipt, if that needs reporting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unclear {
    Rejected,
    /// Withdrawn before its owner decided.
    CalledOff,
    Expired,
    Forbidden,
    /// The call or its preview is no longer what was approved.
    Drifted,
    /// It is unknown whether it happened, and the owner left it so.
    Unknown,
}

impl Unclear {
    /// Whether its owner was asked and didn't want it. Its card shows that already.
    pub fn is_declined(self) -> bool {
        matches!(self, Self::Rejected | Self::CalledOff | Self::Expired)
    }
}

impl StepKind {
    /// A new step with this duration in milliseconds.
    pub fn took(self, ms: u64) -> NewStep {
        NewStep {
            ms,
            frame: None,
            did: self,
        }
    }

    pub fn usage(&self) -> Option<Usage> {
        match self {
            Self::Classified(found) => Some(found.usage),
            Self::Turn(turn) | Self::Planned(turn) => Some(turn.usage),
            Self::Compacted { usage, .. } => Some(*usage),
            Self::Context { .. }
            | Self::Attached { .. }
            | Self::Asked { .. }
            | Self::Decided { .. }
            | Self::Intent { .. }
            | Self::NotReached { .. }
            | Self::ToolResult { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_frame_is_kept_and_its_absence_too() {
        let own = json!({"v": 4, "seq": 1, "at": "2026-11-21T09:00:01Z", "ms": 0, "did": {"step": "not_reached", "call_id": "c1"}});
        let mut nested = own.clone();
        nested["frame"] = json!(["call_1", "call_7"]);
        let frame = Frame(vec!["call_1".into(), "call_7".into()]);
        for (stored, frame) in [(own, Frame::default()), (nested, frame)] {
            let step: Step = serde_json::from_value(stored.clone()).unwrap();
            assert_eq!(step.frame, frame);
            assert_eq!(serde_json::to_value(&step).unwrap(), stored);
        }
    }
}
