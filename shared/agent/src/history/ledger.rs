//! The ledger under a reply, made from the journal's receipts, never from a model's text.

use alfred_core::text::RECEIPT;
use alfred_core::{EffectEntry, EffectState, RunId};

use crate::history;
use crate::model::{
    CallResult, Effect, Preview, Receipt, Step, StepKind, UNDONE, Unclear, Verdict,
};

pub(crate) const REJECTED_BY_YOU: &str = "you rejected it";
pub(crate) const CALLED_OFF: &str = "called off before you decided";
/// First characters of lines, and what looks like them.
const MARKS: [char; 9] = [RECEIPT, '✔', '✅', '☑', '✗', '✘', '❌', '⏳', '⌛'];

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ledger {
    /// One entry per call with an actual or intended effect, in order.
    pub entries: Vec<Entry>,
    /// Whether the run took back what another one did. Then only all of it can be undone.
    pub is_undo: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub run: RunId,
    pub call_id: String,
    pub state: State,
    pub what: String,
    pub receipt: Option<Receipt>,
    pub effect: Effect,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Done,
    Waiting,
    /// The run ended before the call started.
    Withdrawn,
    NotDone(Unclear),
    /// Approved by its owner, but failed without an effect.
    Failed,
    /// Some parts of a call, whose others may be done. The receipt names them, with the reasons.
    PartsFailed,
    Unknown,
}

impl Ledger {
    pub fn from_steps(run: &RunId, steps: &[Step]) -> Self {
        let mut ledger = Self::default();
        for step in steps {
            if let Some(result) = step.result() {
                ledger.is_undo |= result.output[UNDONE].is_string();
                ledger.entries.extend(ended(run, steps, result));
            } else if let Some(asked) = step.asked()
                && !history::has_result(steps, &asked.call_id)
                && !ledger.entries.iter().any(|it| it.call_id == asked.call_id)
            {
                ledger.entries.push(Entry {
                    run: run.clone(),
                    call_id: asked.call_id.clone(),
                    state: State::Waiting,
                    what: asked.title.clone(),
                    receipt: None,
                    effect: Effect::default(),
                });
            }
        }
        ledger
    }

    /// The ledger of a run that ends now. Waiting calls become withdrawn, or unknown if they were begun.
    pub fn at_end(run: &RunId, steps: &[Step]) -> Self {
        let mut ledger = Self::from_steps(run, steps);
        for entry in &mut ledger.entries {
            match entry.state {
                State::Waiting if begun(steps, &entry.call_id) => entry.state = State::Unknown,
                State::Waiting => entry.state = State::Withdrawn,
                _ => {}
            }
        }
        ledger
    }

    /// The entries for callers outside Slack.
    pub fn effects(&self) -> Vec<EffectEntry> {
        let effect = |entry: &Entry| EffectEntry {
            state: match entry.state {
                State::Done => EffectState::Done,
                State::Waiting => EffectState::Waiting,
                State::Withdrawn | State::NotDone(_) | State::Failed | State::PartsFailed => {
                    EffectState::NotDone
                }
                State::Unknown => EffectState::Unknown,
            },
            line: entry.line(),
        };
        self.entries.iter().map(effect).collect()
    }
}

impl Entry {
    /// Whether its owner was asked and declined, which its card already shows.
    pub fn is_declined(&self) -> bool {
        matches!(self.state, State::NotDone(why) if why.is_declined())
    }

    pub fn line(&self) -> String {
        // A ledger mark inside a title could imitate another receipt.
        let what = &self.what.replace(MARKS, "");
        let place = self.receipt.as_ref().map_or("", |receipt| &receipt.place);
        let why = match self.state {
            State::Done if place.is_empty() => return format!("{RECEIPT} {what}"),
            State::Done => return format!("{RECEIPT} {what} ({place})"),
            State::Waiting => return format!("⏳ Waiting for your decision: {what}"),
            State::PartsFailed => return format!("✗ Not done: {what}"),
            State::Unknown => return format!("? I can't tell whether this happened: {what}"),
            State::Withdrawn => "the request ended before",
            State::NotDone(Unclear::Rejected) => REJECTED_BY_YOU,
            State::NotDone(Unclear::CalledOff) => CALLED_OFF,
            State::NotDone(Unclear::Expired) => "the approval expired",
            State::NotDone(Unclear::Forbidden) => "not allowed",
            State::NotDone(Unclear::Drifted) => "it changed after you approved it",
            State::NotDone(Unclear::Unknown) | State::Failed => "it failed",
        };
        format!("✗ Not done: {what} ({why})")
    }
}

/// The entry of a call with a result, if it had or should have had an effect.
fn ended(run: &RunId, steps: &[Step], result: &CallResult) -> Option<Entry> {
    let asked = history::asked(steps, &result.call_id);
    let has = |so: fn(Verdict) -> bool| decided(steps, &result.call_id, so);
    let state = match result.unclear {
        _ if result.changed => State::Done,
        Some(Unclear::Unknown) => State::Unknown,
        // The first attempt may have happened, whatever became of the next one.
        _ if has(|verdict| verdict == Verdict::Repeat) => State::Unknown,
        Some(why) if result.effect != Effect::Read => State::NotDone(why),
        // The owner approved it, so they must learn that it failed, whatever the model says.
        None if !result.ok && asked.is_some() && has(Verdict::approves) => State::Failed,
        None if result.effect != Effect::Read && result.receipt.is_some() => State::PartsFailed,
        _ => return None,
    };
    let receipt = result.receipt.clone();
    let named = receipt.as_ref().map(|receipt| &receipt.what);
    let what = named.or(match state {
        State::Done => result.action.as_ref(),
        _ => asked.map(|asked| &asked.title),
    });
    Some(Entry {
        run: run.clone(),
        call_id: result.call_id.clone(),
        state,
        what: what.map_or_else(|| Preview::title_of(&result.name), String::clone),
        receipt,
        effect: result.effect,
    })
}

fn decided(steps: &[Step], id: &str, so: fn(Verdict) -> bool) -> bool {
    let mut decided = steps.iter().filter_map(Step::decided);
    decided.any(|decided| decided.call_id == id && so(decided.verdict))
}

/// Whether the effect started and may have happened.
fn begun(steps: &[Step], id: &str) -> bool {
    let mut last = steps.iter().rev().filter_map(|step| match &step.did {
        StepKind::Intent { call_id, .. } if call_id == id => Some(true),
        StepKind::NotReached { call_id, .. } if call_id == id => Some(false),
        _ => None,
    });
    last.next().unwrap_or(false)
}
