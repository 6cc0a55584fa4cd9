//! Frames: delegated workers run inside their caller's run, with the same budget, journal, taint
//! and audit chain.

use alfred_core::ports::{ToolCall, Usage};
use serde::{Deserialize, Serialize};

use crate::model::step::Step;

/// An agent inside a run: the ids of the delegation calls that lead to it, outermost first. Empty
/// for the run's own agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Frame(pub Vec<String>);

impl Frame {
    pub fn is_own(&self) -> bool {
        self.0.is_empty()
    }

    /// The frame of the worker that this call delegates to.
    pub fn called(&self, call_id: &str) -> Self {
        let ids = self.0.iter().cloned();
        Self(ids.chain([call_id.to_owned()]).collect())
    }

    /// Number of delegations from the run's own agent.
    pub fn depth(&self) -> usize {
        self.0.len()
    }

    /// Whether it is `outer` or was called from it, at any depth.
    pub fn is_within(&self, outer: &Self) -> bool {
        self.0.starts_with(&outer.0)
    }

    /// This frame and its callers, innermost first.
    pub fn and_callers(&self) -> impl Iterator<Item = Self> {
        (0..=self.0.len())
            .rev()
            .map(|depth| Self(self.0[..depth].to_vec()))
    }
}

/// The agent's own steps, without those of workers it called.
pub fn own<'a>(
    steps: &'a [Step],
    frame: &'a Frame,
) -> impl DoubleEndedIterator<Item = &'a Step> + Clone {
    steps.iter().filter(move |step| step.frame == *frame)
}

/// Finds a call by its id, with the frame that made it.
pub fn call<'a>(
    steps: impl IntoIterator<Item = &'a Step>,
    id: &str,
) -> Option<(&'a Frame, &'a ToolCall)> {
    steps.into_iter().find_map(|step| {
        let mut calls = step.turn()?.tool_calls.iter();
        let call = calls.find(|call| call.id == id)?;
        Some((&step.frame, call))
    })
}

/// The names of the delegated workers that lead to this frame, outermost first.
pub fn workers<'a>(
    steps: impl IntoIterator<Item = &'a Step> + Clone,
    frame: &Frame,
) -> Vec<&'a str> {
    let called = frame.0.iter().filter_map(|id| call(steps.clone(), id));
    called.map(|(_, call)| call.name.as_str()).collect()
}

/// The number of delegations begun in a run.
pub fn called(steps: &[Step]) -> usize {
    let mut frames: Vec<&Frame> = steps.iter().map(|step| &step.frame).collect();
    frames.retain(|frame| !frame.is_own());
    frames.sort_unstable_by(|one, other| one.0.cmp(&other.0));
    frames.dedup();
    frames.len()
}

/// Model usage of an agent and of all workers it called.
pub fn usage(steps: &[Step], frame: &Frame) -> Usage {
    let within = steps.iter().filter(|step| step.frame.is_within(frame));
    let used = within.filter_map(|step| step.did.usage());
    used.fold(Usage::default(), |sum, used| sum.plus(&used))
}
