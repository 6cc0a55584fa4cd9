//! The ledger under a reply: what was done, what waits, and what wasn't done. It is made from the
//! journal's receipts, never from a model's text.

use alfred_core::text::RECEIPT;
use alfred_core::{EffectEntry, EffectState, RunId};
use serde::{Deserialize, Serialize};

use crate::approval::Verdict;
use crate::step::{Step, StepKind, Unclear};
use crate::tool::{Effect, Receipt};

pub(crate) const REJECTED_BY_YOU: &str = "you rejected it";
pub(crate) const CALLED_OFF: &str = "called off before you decided";

const IT_FAILED: &str = "it failed";
/// First characters of lines, and what looks like them.
const MARKS: [char; 9] = [RECEIPT, '✔', '✅', '☑', '✗', '✘', '❌', '⏳', '⌛'];

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ledger {
    /// One entry per call with an actual or intended effect, in order.
    pub entries: Vec<Entry>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    pub run: RunId,
    pub call_id: String,
    pub state: State,
    pub what: String,
    pub receipt: Option<Receipt>,
    pub effect: Effect,
}

/// How a call with an effect ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    Done,
    Waiting,
    /// The run ended before the call started.
    Withdrawn,
    /// Not done, for this reason.
    NotDone(Unclear),
    /// Approved by its owner, but failed without an effect.
    Failed,
    /// It is unknown whether it happened.
    Unknown,
}

impl Ledger {
    /// Builds the ledger from a run's journal.
    pub fn from_steps(run: &RunId, steps: &[Step]) -> Self {
        let mut ledger = Self::default();
        for step in steps {
            match &step.did {
                StepKind::ToolResult {
                    call_id,
                    name,
                    ok,
                    changed,
                    effect,
                    action,
                    receipt,
                    unclear,
                    ..
                } => {
                    let state = match unclear {
                        _ if *changed => State::Done,
                        Some(Unclear::Unknown) => State::Unknown,
                        Some(why) if *effect != Effect::Read => State::NotDone(*why),
                        // The owner approved it, so they must learn that it failed, whatever the model says.
                        None if !*ok && approved(steps, call_id) => State::Failed,
                        _ => continue,
                    };
                    let asked = title_of(steps, call_id);
                    let done = receipt.as_ref().map(|receipt| receipt.what.clone());
                    let what = match state {
                        State::Done => done.or_else(|| action.clone()),
                        State::Waiting
                        | State::Withdrawn
                        | State::NotDone(_)
                        | State::Failed
                        | State::Unknown => asked,
                    };
                    ledger.entries.push(Entry {
                        run: run.clone(),
                        call_id: call_id.clone(),
                        state,
                        what: what.unwrap_or_else(|| format!("Used {name}")),
                        receipt: receipt.clone(),
                        effect: *effect,
                    });
                }
                StepKind::Asked { call_id, title, .. } => {
                    if !answered(steps, call_id) && !ledger.has(call_id) {
                        ledger.entries.push(Entry {
                            run: run.clone(),
                            call_id: call_id.clone(),
                            state: State::Waiting,
                            what: title.clone(),
                            receipt: None,
                            effect: Effect::default(),
                        });
                    }
                }
                StepKind::Intent { .. }
                | StepKind::NotReached { .. }
                | StepKind::Classified(_)
                | StepKind::Context { .. }
                | StepKind::Attached { .. }
                | StepKind::Turn(_)
                | StepKind::Decided { .. }
                | StepKind::Compacted { .. }
                | StepKind::Interpreted { .. }
                | StepKind::Planned(_) => {}
            }
        }
        ledger
    }

    /// Builds the ledger of a run that ends now. Waiting calls become withdrawn, or unknown if they
    /// were begun.
    pub fn at_end(run: &RunId, steps: &[Step]) -> Self {
        let mut ledger = Self::from_steps(run, steps);
        for entry in &mut ledger.entries {
            if entry.state == State::Waiting {
                entry.state = if begun(steps, &entry.call_id) {
                    State::Unknown
                } else {
                    State::Withdrawn
                };
            }
        }
        ledger
    }

    fn has(&self, id: &str) -> bool {
        self.entries.iter().any(|entry| entry.call_id == id)
    }

    pub fn absorb(&mut self, other: Self) {
        self.entries.extend(other.entries);
    }

    /// Whether there is a receipt or an effect with unknown outcome.
    pub fn has_effects(&self) -> bool {
        self.effects().iter().any(|effect| effect.state.counts())
    }

    /// The entries for callers outside Slack.
    pub fn effects(&self) -> Vec<EffectEntry> {
        let effect = |entry: &Entry| EffectEntry {
            state: match entry.state {
                State::Done => EffectState::Done,
                State::Waiting => EffectState::Waiting,
                State::Withdrawn | State::NotDone(_) | State::Failed => EffectState::NotDone,
                State::Unknown => EffectState::Unknown,
            },
            line: entry.line(),
        };
        self.entries.iter().map(effect).collect()
    }

    pub fn lines(&self) -> Vec<String> {
        self.entries.iter().map(Entry::line).collect()
    }
}

impl Entry {
    /// Whether its owner was asked and declined, which its card already shows.
    pub fn is_declined(&self) -> bool {
        matches!(self.state, State::NotDone(why) if why.is_declined())
    }

    /// The line that a person reads.
    pub fn line(&self) -> String {
        // A ledger mark inside a title could imitate another receipt.
        let what = &self.what.replace(MARKS, "");
        match self.state {
            State::Done => {
                let place = self.receipt.as_ref().map_or("", |receipt| &receipt.place);
                if place.is_empty() {
                    format!("{RECEIPT} {what}")
                } else {
                    format!("{RECEIPT} {what} ({place})")
                }
            }
            State::Waiting => format!("⏳ Waiting for your decision: {what}"),
            State::Unknown => format!("? I can't tell whether this happened: {what}"),
            State::Withdrawn => not_done(what, "the request ended before"),
            State::Failed => not_done(what, IT_FAILED),
            State::NotDone(why) => not_done(
                what,
                match why {
                    Unclear::Rejected => REJECTED_BY_YOU,
                    Unclear::CalledOff => CALLED_OFF,
                    Unclear::Expired => "the approval expired",
                    Unclear::Forbidden => "not allowed",
                    Unclear::Drifted => "it changed after you approved it",
                    Unclear::Unknown => IT_FAILED,
                },
            ),
        }
    }
}

fn not_done(what: &str, why: &str) -> String {
    format!("✗ Not done: {what} ({why})")
}

fn title_of(steps: &[Step], id: &str) -> Option<String> {
    steps.iter().rev().find_map(|step| match &step.did {
        StepKind::Asked { call_id, title, .. } if call_id == id => Some(title.clone()),
        _ => None,
    })
}

fn approved(steps: &[Step], id: &str) -> bool {
    let yes = |step: &Step| matches!(&step.did, StepKind::Decided { call_id, verdict: Verdict::Approve | Verdict::Remember, .. } if call_id == id);
    title_of(steps, id).is_some() && steps.iter().any(yes)
}

/// Whether the effect started and may have happened.
fn begun(steps: &[Step], id: &str) -> bool {
    let last = steps.iter().rev().find_map(|step| match &step.did {
        StepKind::Intent { call_id, .. } if call_id == id => Some(true),
        StepKind::NotReached { call_id, .. } if call_id == id => Some(false),
        _ => None,
    });
    last == Some(true)
}

fn answered(steps: &[Step], id: &str) -> bool {
    steps
        .iter()
        .any(|step| matches!(&step.did, StepKind::ToolResult { call_id, .. } if call_id == id))
}
