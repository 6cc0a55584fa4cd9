//! Steps by the agent that took them: the run's own agent, or a worker that it called.

use alfred_core::ports::{ToolCall, Usage};
use std::collections::HashSet;

use crate::model::{Frame, Step};
use crate::tool::delegate::{DONE, Delegation};
use crate::tool::program::Program;

/// The agent's own steps, without those of workers it called.
pub fn own<'a>(
    steps: &'a [Step],
    frame: &'a Frame,
) -> impl DoubleEndedIterator<Item = &'a Step> + Clone {
    steps.iter().filter(move |step| step.frame == *frame)
}

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
pub fn workers<'a>(all: impl IntoIterator<Item = &'a Step> + Clone, frame: &Frame) -> Vec<&'a str> {
    let called = frame.0.iter().filter_map(|id| call(all.clone(), id));
    called.map(|(_, call)| call.name.as_str()).collect()
}

pub fn called(steps: &[Step]) -> usize {
    let frames = steps.iter().map(|step| &step.frame);
    let frames: HashSet<&Frame> = frames.filter(|frame| !frame.is_own()).collect();
    frames.len()
}

/// Model usage of an agent and of all workers it called.
pub fn usage(steps: &[Step], frame: &Frame) -> Usage {
    let within = steps.iter().filter(|step| step.frame.is_within(frame));
    let used = within.filter_map(|step| step.did.usage());
    used.fold(Usage::default(), |sum, used| sum.plus(&used))
}

pub(crate) fn task(steps: &[Step], frame: &Frame) -> Option<String> {
    let (_, call) = call(steps, frame.0.last()?)?;
    let given: Delegation = serde_json::from_str(&call.arguments).ok()?;
    Some(given.task())
}

/// The agent names from the run's own agent down to this frame.
pub fn path<'a>(program: &'a Program, steps: &'a [Step], frame: &Frame) -> Vec<&'a str> {
    let called = workers(steps, frame);
    [&*program.own.name].into_iter().chain(called).collect()
}

pub(crate) struct Given<'a> {
    pub(crate) worker: &'a str,
    pub(crate) ok: bool,
    pub(crate) said: &'a str,
}

/// The results of delegations by the run's own agent, without refused calls.
pub(crate) fn given(steps: &[Step]) -> impl DoubleEndedIterator<Item = Given<'_>> {
    let own = steps.iter().filter(|step| step.frame.is_own());
    let results = own.filter_map(Step::result);
    let given = results.filter(|result| result.ok || result.output[DONE].is_array());
    given.map(|result| {
        let said = result.output["result"].as_str();
        let said = said.or(result.output["partial"].as_str());
        Given {
            worker: &result.name,
            ok: result.ok,
            said: said.unwrap_or_default(),
        }
    })
}

pub(crate) fn made(steps: &[Step], worker: &str) -> u32 {
    let made = given(steps).filter(|one| one.ok && one.worker == worker);
    u32::try_from(made.count()).unwrap_or(u32::MAX)
}
