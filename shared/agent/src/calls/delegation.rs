//! Whether a delegation may start.

use alfred_core::TeamConfig;
use alfred_core::ports::ToolCall;

use crate::calls::Ready;
use crate::calls::context::AgentLoop;
use crate::history::frame;
use crate::history::frame::{Given, given, made};
use crate::model::input::RunInput;
use crate::tool::Refusal;
use crate::tool::program::{MAX_DELEGATIONS, Rounds};

/// Why a delegation may not start, if it may not. Doesn't apply to delegations already begun.
/// `beside` are calls about to start.
pub(crate) fn refuses(work: &AgentLoop<'_>, call: &ToolCall, beside: &[Ready]) -> Option<Refusal> {
    let (steps, from) = (&work.cx.loaded.steps, &work.cx.loaded.frame);
    let frame = from.called(&call.id);
    if frame::own(steps, &frame).next().is_some() {
        return None;
    }
    let begins = |ready: &&Ready| ready.tool.is_delegation();
    let begins = beside.iter().filter(begins).count();
    let mut path = frame::path(work.program, steps, from);
    let (max_depth, to) = (work.program.max_depth, call.name.as_str());
    let words = if from.depth() >= max_depth {
        too_deep(max_depth, &path)
    } else if path.contains(&to) {
        path.push(to);
        format!("Circular delegation detected: {}", path.join(" -> "))
    } else if frame::called(steps) + begins >= MAX_DELEGATIONS {
        format!(
            "This request has called {MAX_DELEGATIONS} workers already, and may call no more. Finish with what there is."
        )
    } else {
        return out_of_rounds(work, call, beside).map(Refusal::from);
    };
    Some(words.into())
}

fn too_deep(most: usize, path: &[&str]) -> String {
    let path = path.join(" -> ");
    format!("Maximum delegation depth ({most}) exceeded. Current path: {path}")
}

/// Why a worker may not be called again in this program, if so. `beside` are calls about to start.
pub(crate) fn out_of_rounds(
    work: &AgentLoop<'_>,
    call: &ToolCall,
    beside: &[Ready],
) -> Option<String> {
    let loaded = &work.cx.loaded;
    let rounds = work.program.rounds.as_ref()?;
    if !loaded.frame.is_own() {
        return None;
    }
    let theirs = |one: &Given<'_>| one.worker == call.name;
    let mut last = given(&loaded.steps).filter(theirs).rev();
    if !last.next().is_none_or(|one| one.ok) && !last.next().is_none_or(|one| one.ok) {
        return Some(format!(
            "{} has failed twice. Finish with what there is, and say what is missing.",
            call.name
        ));
    }
    let most = iterations(work, rounds);
    let begins = beside.iter().filter(|ready| ready.call.name == call.name);
    let begins = u32::try_from(begins.count()).unwrap_or(u32::MAX);
    let may = rounds.most(&call.name, most)?;
    (made(&loaded.steps, &call.name).saturating_add(begins) >= may).then(|| no_more_rounds(most))
}

pub(crate) fn iterations(work: &AgentLoop<'_>, rounds: &Rounds) -> u32 {
    let said = match &work.cx.run().input {
        RunInput::Team(input) => input.team_config.clone(),
        RunInput::Worker(_) => TeamConfig::default(),
    };
    said.iterations(rounds.default)
}

fn no_more_rounds(rounds: u32) -> String {
    format!(
        "The rounds of this request are over ({rounds}). Return the latest version, and name what is left open."
    )
}
