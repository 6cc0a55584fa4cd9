//! The ledger under a reply: what was done, what waits, what wasn't done. It
//! comes from receipts in the journal, and never from a model's words.

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

/// What a run did and didn't do.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ledger {
    /// One entry a call that had an effect, or was to have one, in order.
    pub entries: Vec<Entry>,
}

/// One call's place in the ledger.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The run that made the call.
    pub run: RunId,
    /// The call.
    pub call_id: String,
    /// How it ended.
    pub state: State,
    /// What it was.
    pub what: String,
    /// What there is to show for it.
    pub receipt: Option<Receipt>,
    /// What its tool does to the world.
    pub effect: Effect,
}

/// How a call with an effect ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It was done.
    Done,
    /// It waits for its owner.
    Waiting,
    /// Its run ended before it was begun.
    Withdrawn,
    /// It was not done, for this reason.
    NotDone(Unclear),
    /// Its owner approved it, and it failed before anything was done.
    Failed,
    /// Nobody can tell.
    Unknown,
}

impl Ledger {
    /// Of a run's journal.
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
                        // What its owner approved they must hear of, whatever the model says.
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

    /// The same as it stands when the run ends here: what waits will not be
    /// done any more, and of what has begun nobody can tell.
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

    /// Adds what a nested run did.
    pub fn absorb(&mut self, other: Self) {
        self.entries.extend(other.entries);
    }

    /// Whether there is a receipt, or an effect nobody can tell the outcome of.
    pub fn has_effects(&self) -> bool {
        self.effects().iter().any(|effect| effect.state.counts())
    }

    /// For whoever reads the outcome elsewhere than in Slack.
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

    /// Its lines, each one short.
    pub fn lines(&self) -> Vec<String> {
        self.entries.iter().map(Entry::line).collect()
    }
}

impl Entry {
    /// Whether its owner was asked and didn't want it, which its card says.
    pub fn is_declined(&self) -> bool {
        matches!(self.state, State::NotDone(why) if why.is_declined())
    }

    /// As a person reads it.
    pub fn line(&self) -> String {
        // A title of somebody's with a mark in it would read as a receipt of its own.
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

/// Whether its owner was asked and said yes.
fn approved(steps: &[Step], id: &str) -> bool {
    let yes = |step: &Step| matches!(&step.did, StepKind::Decided { call_id, verdict: Verdict::Approve | Verdict::Remember, .. } if call_id == id);
    title_of(steps, id).is_some() && steps.iter().any(yes)
}

/// Whether an effect began of which nobody knows that it didn't happen.
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
