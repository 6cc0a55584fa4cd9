//! Agents inside a run: whoever is delegated to works in a frame of its caller's run, under the same budget, journal,
//! taint and audit chain.

use alfred_core::ports::{ToolCall, Usage};
use serde::{Deserialize, Serialize};

use crate::step::{Step, StepKind};

/// An agent inside a run: the ids of the calls by which it was called, the outermost first; none for the run's own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Frame(pub Vec<String>);

impl Frame {
    /// Whether it is the run's own agent.
    pub fn is_own(&self) -> bool {
        self.0.is_empty()
    }

    /// Who is called from here by this call.
    pub fn called(&self, call_id: &str) -> Self {
        let ids = self.0.iter().cloned();
        Self(ids.chain([call_id.to_owned()]).collect())
    }

    /// Delegations from the run's own agent down to it.
    pub fn depth(&self) -> usize {
        self.0.len()
    }

    /// Whether it is this one, or was called from it, however deep.
    pub fn is_within(&self, outer: &Self) -> bool {
        self.0.starts_with(&outer.0)
    }

    /// This one and those that called it, the innermost first.
    pub fn and_callers(&self) -> impl Iterator<Item = Self> {
        (0..=self.0.len())
            .rev()
            .map(|depth| Self(self.0[..depth].to_vec()))
    }
}

/// The steps of an agent itself, without those of whom it called.
pub fn own<'a>(steps: &'a [Step], frame: &'a Frame) -> impl Iterator<Item = &'a Step> + Clone {
    steps.iter().filter(move |step| step.frame == *frame)
}

/// A call by its id, and whose it is.
pub fn call<'a>(
    steps: impl IntoIterator<Item = &'a Step>,
    id: &str,
) -> Option<(&'a Frame, &'a ToolCall)> {
    steps.into_iter().find_map(|step| {
        let StepKind::Turn(turn) = &step.did else {
            return None;
        };
        let call = turn.tool_calls.iter().find(|call| call.id == id)?;
        Some((&step.frame, call))
    })
}

/// The workers from the run's own agent, which is left out, down to this one, by the calls in the journal.
pub fn workers<'a>(
    steps: impl IntoIterator<Item = &'a Step> + Clone,
    frame: &Frame,
) -> Vec<&'a str> {
    let called = frame.0.iter().filter_map(|id| call(steps.clone(), id));
    called.map(|(_, call)| call.name.as_str()).collect()
}

/// How many agents were called in a run so far.
pub fn called(steps: &[Step]) -> usize {
    let mut frames: Vec<&Frame> = steps.iter().map(|step| &step.frame).collect();
    frames.retain(|frame| !frame.is_own());
    frames.sort_unstable_by(|one, other| one.0.cmp(&other.0));
    frames.dedup();
    frames.len()
}

/// What an agent used of models, with all whom it called.
pub fn usage(steps: &[Step], frame: &Frame) -> Usage {
    let within = steps.iter().filter(|step| step.frame.is_within(frame));
    let used = within.filter_map(|step| step.did.usage());
    used.fold(Usage::default(), |sum, used| sum.plus(&used))
}
