//! Builds the request of a turn: prompt, messages and tools.

use alfred_core::ports::{Message, ToolSpec, TurnRequest};
use alfred_core::{Failure, Result};
use std::sync::Arc;
use std::time::Duration;

use crate::calls::context::AgentLoop;
use crate::history::{attached_files, frame};
use crate::model::{NewStep, StepKind};
use crate::store::journal::LoadedRun;
use crate::tool::toolsets::Toolsets;
use crate::turn::{attached, conversation};

pub(crate) const TURN_TIMEOUT: Duration = Duration::from_secs(90);

/// The messages of steps after the first `known` ones.
pub(crate) fn new_messages(work: &AgentLoop<'_>, known: usize) -> Vec<Message> {
    let loaded = &*work.cx.loaded;
    let new = frame::own(&loaded.steps[known..], &loaded.frame);
    new.filter_map(|step| conversation::message(&step.did))
        .collect()
}

pub(crate) fn messages(
    work: &AgentLoop<'_>,
    system: &str,
    pending: &[NewStep],
) -> Result<Vec<Message>> {
    let (opened, loaded) = (&work.cx.opened, &*work.cx.loaded);
    let (run, steps, frame) = (&loaded.run, &loaded.steps, &loaded.frame);
    if frame.is_own() {
        return Ok(conversation::build(system, run, steps, pending, opened));
    }
    let task = frame::task(steps, frame).ok_or_else(|| Failure::bug("no task"))?;
    let own = frame::own(steps, frame);
    Ok(conversation::delegated(system, task, run, own, opened))
}

pub(crate) fn first_request(
    work: &mut AgentLoop<'_>,
    pending: &[NewStep],
) -> Result<(String, TurnRequest)> {
    let (agent, role) = (work.agent, work.role());
    // Stored with the turn that was shown them.
    let strangers = agent.tools.described_by_others();
    work.cx.loaded.run.taint.untrusted.extend(strangers);
    let (at_first, open) = open_toolsets(work.cx.loaded, pending);
    // Later toolsets bring their rules in the result, so the prompt in the provider's cache stays valid.
    let system = (agent.prompt)(work.cx.run(), &agent.tools.defs(role, &at_first));
    let messages = messages(work, &system, pending)?;
    let request = TurnRequest {
        tools: specs(work, &open, pending),
        ..TurnRequest::new(messages, agent.limits.max_output_tokens, TURN_TIMEOUT)
    };
    Ok((system, request))
}

pub(crate) fn specs(work: &AgentLoop<'_>, open: &Toolsets, pending: &[NewStep]) -> Arc<[ToolSpec]> {
    let did = attached::kinds(work.cx.loaded, pending);
    let mut files = did.flat_map(attached_files);
    let has_files = files.any(|file| file.opened().is_some());
    work.agent.tools.specs(work.role(), open, has_files)
}

pub(crate) fn open_toolsets(loaded: &LoadedRun, pending: &[NewStep]) -> (Toolsets, Toolsets) {
    if !loaded.frame.is_own() {
        return (Toolsets::All, Toolsets::All);
    }
    let steps = loaded.steps.iter().map(|step| &step.did);
    let all = steps.chain(pending.iter().map(|step| &step.did));
    let is_classified = |did: &&StepKind| matches!(did, StepKind::Classified(_));
    let classified = all.clone().filter(is_classified);
    let at_first = Toolsets::after(&loaded.run, classified);
    (at_first, Toolsets::after(&loaded.run, all))
}
