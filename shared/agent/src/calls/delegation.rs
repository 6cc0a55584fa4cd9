//! Whether a delegation may start.

use alfred_core::TeamConfig;
use alfred_core::ports::ToolCall;

use crate::calls::Ready;
use crate::calls::context::AgentLoop;
use crate::history::frame::{self, given, made};
use crate::model::RunInput;
use crate::tool::program::{MAX_DELEGATIONS, Rounds};

/// Why a delegation may not start, unless it began already. `beside` are calls about to start.
pub(crate) fn refuses(work: &AgentLoop<'_>, call: &ToolCall, beside: &[Ready]) -> Option<String> {
    let (steps, from) = (&work.cx.loaded.steps, &work.cx.loaded.frame);
    if frame::own(steps, &from.called(&call.id)).next().is_some() {
        return None;
    }
    let begins = beside.iter().filter(|ready| ready.tool.def().delegates);
    let mut path = frame::path(work.program, steps, from);
    let (deepest, to) = (work.program.max_depth, call.name.as_str());
    if from.depth() >= deepest {
        let path = path.join(" -> ");
        return Some(format!(
            "Maximum delegation depth ({deepest}) exceeded. Current path: {path}"
        ));
    }
    if path.contains(&to) {
        path.push(to);
        let path = path.join(" -> ");
        return Some(format!("Circular delegation detected: {path}"));
    }
    if frame::called(steps) + begins.count() >= MAX_DELEGATIONS {
        return Some(format!(
            "This request has called {MAX_DELEGATIONS} workers already, and may call no more. Finish with what there is."
        ));
    }
    out_of_rounds(work, to, beside)
}

fn out_of_rounds(work: &AgentLoop<'_>, to: &str, beside: &[Ready]) -> Option<String> {
    let (steps, rounds) = (&work.cx.loaded.steps, work.program.rounds.as_ref()?);
    if !work.cx.loaded.frame.is_own() {
        return None;
    }
    let mut last = given(steps).filter(|one| one.worker == to).rev();
    if last.next().is_some_and(|one| !one.ok) && last.next().is_some_and(|one| !one.ok) {
        return Some(format!(
            "{to} has failed twice. Finish with what there is, and say what is missing."
        ));
    }
    let most = iterations(work, rounds);
    let begins = beside.iter().filter(|ready| ready.call.name == to);
    let begins = u32::try_from(begins.count()).unwrap_or(u32::MAX);
    let is_over = made(steps, to).saturating_add(begins) >= rounds.most(to, most)?;
    is_over.then(|| {
        format!(
            "The rounds of this request are over ({most}). Return the latest version, and name what is left open."
        )
    })
}

pub(crate) fn iterations(work: &AgentLoop<'_>, rounds: &Rounds) -> u32 {
    match &work.cx.run().input {
        RunInput::Team(input) => input.team_config.iterations(rounds.default),
        RunInput::Worker(_) => TeamConfig::default().iterations(rounds.default),
    }
}
