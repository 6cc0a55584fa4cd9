//! A step of a run's journal: what happened, committed before the next thing does.

use alfred_core::ports::{ToolCall, Turn, Usage};
use alfred_core::{ApprovalId, ChannelId, Classified, Source, Taint};
use alfred_timeline::Timeline;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::approval::Verdict;
use crate::attached::Attached;
use crate::frame::{Frame, own};
use crate::gate::Reason;
use crate::tool::{Effect, Flow, Receipt};

/// A step of a run's journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Schema version.
    pub v: u8,
    /// From 1.
    pub seq: u32,
    /// When it was committed.
    pub at: Timestamp,
    /// How long it took, in milliseconds.
    pub ms: u64,
    /// Whose it is.
    #[serde(default, skip_serializing_if = "Frame::is_own")]
    pub frame: Frame,
    /// What happened.
    pub did: StepKind,
}

impl Step {
    /// When it was begun.
    pub fn began(&self) -> Timestamp {
        let took = SignedDuration::from_millis(i64::try_from(self.ms).unwrap_or(i64::MAX));
        self.at.saturating_sub(took).unwrap_or(self.at)
    }
}

/// A step that isn't in the journal yet.
#[derive(Clone, Debug, PartialEq)]
pub struct NewStep {
    /// How long it took, in milliseconds.
    pub ms: u64,
    /// Whose it is; `None` for whoever works when it is committed.
    pub frame: Option<Frame>,
    /// What happened.
    pub did: StepKind,
}

impl NewStep {
    /// The same as a step of this agent.
    pub fn of(mut self, frame: &Frame) -> Self {
        self.frame = Some(frame.clone());
        self
    }
}

impl From<StepKind> for NewStep {
    fn from(did: StepKind) -> Self {
        did.took(0)
    }
}

/// What happened in a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "snake_case")]
pub enum StepKind {
    /// The request was found simple or complex.
    Classified(Classified),
    /// What was said in the thread before.
    Context {
        /// One line a message, `name: text`.
        lines: Vec<String>,
        /// Whether anybody but the owner said some of it: untrusted.
        foreign: bool,
        /// The conversation it was said in.
        conversation: ChannelId,
    },
    /// The files of the request were opened, as far as they could be.
    Attached {
        /// In the request's order.
        files: Vec<Attached>,
    },
    /// The model said something or asked for tools.
    Turn(Turn),
    /// The owner is asked about a call. A later one for the same call, of a
    /// higher revision, replaces it.
    Asked {
        /// Which call.
        call_id: String,
        /// What waits.
        approval: ApprovalId,
        /// From 1; one more with each edit.
        revision: u32,
        /// What it is and whom or what it is about, as its card says.
        title: String,
        /// The arguments as they would run.
        arguments: Value,
        /// Of exactly what would run.
        digest: String,
        /// Why.
        reasons: Vec<Reason>,
        /// SHA-256 of what its owner was shown: what is there may change before it runs.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        shown: Option<String>,
        /// Whether the run had read other people's words when it asked.
        tainted: bool,
        /// Whether its title was made of what only the owner may see; the ledger has it.
        private: bool,
    },
    /// The owner decided about a call, or time did.
    Decided {
        /// Which call.
        call_id: String,
        /// What waited.
        approval: ApprovalId,
        /// Which revision.
        revision: u32,
        /// What was decided.
        verdict: Verdict,
        /// Of exactly what may run.
        digest: String,
        /// The arguments as they were approved.
        arguments: Value,
        /// What the owner said about it; with an edit, what a model is to make arguments of.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
        /// What the words of an edit or a note were made from, where another run put them in.
        #[serde(default, skip_serializing_if = "Taint::is_empty")]
        taint: Taint,
    },
    /// A model read what the owner wrote about a proposal: its call of the same tool is what they want.
    Interpreted {
        /// Which call.
        call_id: String,
        /// The tool.
        name: String,
        /// What the model made of the words.
        turn: Turn,
        /// What it was shown of the proposal brings in.
        flow: Flow,
    },
    /// An effect outside begins. Without a result behind it, it may have happened.
    Intent {
        /// Which call.
        call_id: String,
        /// From 1; one more when a look found that the one before didn't happen.
        attempt: u32,
        /// With these arguments.
        arguments: Value,
        /// Nobody looks before this moment.
        until: Timestamp,
    },
    /// The effect of the last intent certainly didn't happen: its provider was
    /// away or takes no more just now. It is tried again.
    NotReached {
        /// Which call.
        call_id: String,
        /// Whether the provider said when it takes it: that was no attempt.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        limited: bool,
    },
    /// The oldest exchanges of a chat stand in a summary from now on.
    Compacted {
        /// The summary, of what a summary said before too.
        text: String,
        /// How many exchanges; none where what the model said is no summary of them.
        exchanges: u32,
        /// What they were made from.
        #[serde(default, skip_serializing_if = "Taint::is_empty")]
        taint: Taint,
        /// What the summary took of a model.
        usage: Usage,
    },
    /// A tool gave something back.
    ToolResult {
        /// Which call it answers.
        call_id: String,
        /// The tool.
        name: String,
        /// Whether it succeeded.
        ok: bool,
        /// What it gave, the envelope `{success, error?, …}`.
        output: Value,
        /// What it did, in the past tense.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        action: Option<String>,
        /// Whether it wrote or sent anything.
        changed: bool,
        /// What its tool does to the world.
        effect: Effect,
        /// What there is to show for it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        receipt: Option<Receipt>,
        /// What it brought in.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        flow: Option<Flow>,
        /// How far an effect came, where it didn't simply succeed or fail.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        unclear: Option<Unclear>,
        /// Days as it shows them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        picture: Option<Box<Timeline>>,
        /// What a person may choose between; the words of the buttons, which may be other people's.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        options: Vec<String>,
        /// Pages of the web that it gave.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        sources: Vec<Source>,
        /// What the call was about, where the audit keeps that.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        about: Option<String>,
        /// What kind of failure it was, where the tool says so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error_type: Option<String>,
    },
    /// Teams were chosen.
    Planned(Turn),
}

/// Why a call with an effect has no receipt, where that needs saying.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unclear {
    /// Its owner said no.
    Rejected,
    /// It was taken back before its owner decided.
    CalledOff,
    /// Nobody decided in time.
    Expired,
    /// It may not run.
    Forbidden,
    /// What was approved is no longer what would run.
    Drifted,
    /// Nobody can say whether it happened, and its owner left it so.
    Unknown,
}

impl Unclear {
    /// Whether it was asked about and not wanted, which its card says.
    pub fn is_declined(self) -> bool {
        matches!(self, Self::Rejected | Self::CalledOff | Self::Expired)
    }
}

impl StepKind {
    /// As a step that took so many milliseconds.
    pub fn took(self, ms: u64) -> NewStep {
        NewStep {
            ms,
            frame: None,
            did: self,
        }
    }

    /// What it used of a model.
    pub fn usage(&self) -> Option<Usage> {
        match self {
            Self::Classified(found) => Some(found.usage),
            Self::Turn(turn) | Self::Planned(turn) | Self::Interpreted { turn, .. } => {
                Some(turn.usage)
            }
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

/// The calls of an agent's last turn that have no result yet.
pub fn open_calls(steps: &[Step], frame: &Frame) -> Vec<ToolCall> {
    let (mut open, mut answered) = (&[][..], Vec::new());
    for step in own(steps, frame) {
        match &step.did {
            StepKind::Turn(turn) => {
                open = turn.tool_calls.as_slice();
                answered.clear();
            }
            StepKind::ToolResult { call_id, .. } => answered.push(call_id),
            _ => {}
        }
    }
    let waits = |call: &&ToolCall| !answered.contains(&&call.id);
    open.iter().filter(waits).cloned().collect()
}

/// What a run did, in order, for `actions_taken`.
pub fn actions<'a>(steps: impl IntoIterator<Item = &'a Step>) -> Vec<String> {
    let done = steps.into_iter().filter_map(|step| match &step.did {
        StepKind::ToolResult {
            ok: true,
            name,
            action,
            ..
        } => Some(action.clone().unwrap_or_else(|| format!("Used {name}"))),
        _ => None,
    });
    done.collect()
}

/// The pages that results of these steps gave, each once, in order.
pub fn sources(steps: &[Step]) -> Vec<Source> {
    let mut found: Vec<Source> = Vec::new();
    for step in steps {
        if let StepKind::ToolResult { sources, .. } = &step.did {
            for source in sources {
                if !found.iter().any(|one| one.url == source.url) {
                    found.push(source.clone());
                }
            }
        }
    }
    found
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
