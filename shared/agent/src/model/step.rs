//! The steps of a run's journal. Each is committed before the next one starts; what only reads, with the next turn.

use alfred_core::ports::{Turn, Usage};
use alfred_core::{ApprovalId, ChannelId, Classified, Source, Taint};
use alfred_timeline::Timeline;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::approval::{Reason, Verdict};
use crate::model::attachment::Attached;
use crate::model::effect::{Effect, Flow, Receipt};

/// The version of rows and steps that this release writes.
pub const ROW_VERSION: u8 = 1;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    pub v: u8,
    /// Starts at 1.
    pub seq: u32,
    pub at: Timestamp,
    pub ms: u64,
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

#[derive(Clone, Debug, PartialEq)]
pub struct NewStep {
    pub ms: u64,
    pub frame: Option<Frame>,
    pub did: StepKind,
}

impl NewStep {
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
    Classified(Classified),
    Context {
        /// One line per message: `name: text`.
        lines: Vec<String>,
        foreign: bool,
        conversation: ChannelId,
    },
    Attached {
        files: Vec<Attached>,
    },
    Turn(Turn),
    Asked(Asked),
    Decided(Decided),
    /// An effect outside the store started. Without a later result, it may have happened.
    Intent {
        call_id: String,
        /// From 1; grows when a check finds that the last attempt had no effect.
        attempt: u32,
        arguments: Value,
        until: Timestamp,
    },
    /// The last intent certainly had no effect.
    NotReached {
        call_id: String,
        /// The provider named a retry time, so it isn't an attempt.
        limited: bool,
    },
    Compacted {
        text: String,
        /// Number of exchanges; 0 if the model gave no usable summary.
        exchanges: u32,
        taint: Taint,
        usage: Usage,
    },
    ToolResult(CallResult),
    Planned(Turn),
}

/// A later step with a higher revision replaces it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    pub call_id: String,
    pub approval: ApprovalId,
    pub revision: u32,
    pub title: String,
    pub arguments: Value,
    pub digest: String,
    pub reasons: Vec<Reason>,
    /// SHA-256 of the preview, whose data may change before the call runs.
    pub shown: Option<String>,
    pub tainted: bool,
    /// The title may contain data only the owner may see.
    pub private: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Decided {
    pub call_id: String,
    pub approval: ApprovalId,
    pub revision: u32,
    pub verdict: Verdict,
    pub digest: String,
    pub arguments: Value,
    pub note: Option<String>,
    /// Taint of the note or edit, if another run wrote it.
    pub taint: Taint,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallResult {
    pub call_id: String,
    pub name: String,
    pub ok: bool,
    pub output: Value,
    pub action: Option<String>,
    pub changed: bool,
    pub effect: Effect,
    pub receipt: Option<Receipt>,
    pub flow: Option<Flow>,
    pub unclear: Option<Unclear>,
    pub picture: Option<Box<Timeline>>,
    /// Button labels, which may be other people's text.
    pub options: Vec<String>,
    pub sources: Vec<Source>,
    pub about: Option<String>,
    pub error_type: Option<String>,
}

impl CallResult {
    pub fn took(self, ms: u64) -> NewStep {
        StepKind::ToolResult(self).took(ms)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unclear {
    Rejected,
    CalledOff,
    Expired,
    Forbidden,
    /// The call or its preview is no longer what was approved.
    Drifted,
    /// The owner left it so.
    Unknown,
}

impl Unclear {
    /// Its card shows that already.
    pub fn is_declined(self) -> bool {
        matches!(self, Self::Rejected | Self::CalledOff | Self::Expired)
    }
}

impl StepKind {
    pub fn took(self, ms: u64) -> NewStep {
        let (frame, did) = (None, self);
        NewStep { ms, frame, did }
    }

    pub fn usage(&self) -> Option<Usage> {
        match self {
            Self::Classified(found) => Some(found.usage),
            Self::Turn(turn) | Self::Planned(turn) => Some(turn.usage),
            Self::Compacted { usage, .. } => Some(*usage),
            _ => None,
        }
    }
}

/// The delegation calls that lead to an agent, outermost first; none for the run's own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Frame(pub Vec<String>);

impl Frame {
    pub fn is_own(&self) -> bool {
        self.0.is_empty()
    }

    pub fn called(&self, call_id: &str) -> Self {
        let ids = self.0.iter().cloned();
        Self(ids.chain([call_id.to_owned()]).collect())
    }

    pub fn depth(&self) -> usize {
        self.0.len()
    }

    pub fn is_within(&self, outer: &Self) -> bool {
        self.0.starts_with(&outer.0)
    }

    /// Innermost first.
    pub fn and_callers(&self) -> impl Iterator<Item = Self> {
        let depths = (0..=self.0.len()).rev();
        depths.map(|depth| Self(self.0[..depth].to_vec()))
    }
}
