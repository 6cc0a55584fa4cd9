use alfred_agent::model::{Exchange, Session};
use alfred_agent::{LoadedRun, RunState, StepKind};

use super::Facts;
use crate::simulation::scenarios::Scenario;

/// No run is active, and each exchange is remembered once, verbatim or in a summary.
pub(super) fn conversations(facts: &Facts, scenario: &Scenario, wrong: &mut Vec<String>) {
    for (id, session) in &facts.sessions {
        if session.active.is_some() || !session.waiting.is_empty() {
            wrong.push(format!(
                "the conversation is still at {:?}, behind it {:?}",
                session.active, session.waiting
            ));
        }
        let ended = |found: &&LoadedRun| {
            let run = &found.run;
            let silent = run.before.chat.is_some() && run.progress.iterations == 0;
            let counts = run.parent.is_none() && run.session == *id && !silent;
            counts && matches!(run.state, RunState::Done { .. })
        };
        let ended: Vec<&LoadedRun> = facts.runs.iter().filter(ended).collect();
        let is_forgotten =
            |found: &&&LoadedRun| scenario.forgotten.contains(&found.run.input.prompt());
        let forgotten = ended.iter().filter(is_forgotten).count();
        let known = session.memory.len() + shortened(session, facts);
        if known + forgotten != ended.len() {
            let of = ended.len() - forgotten;
            wrong.push(format!("{known} exchanges of {of} requests"));
        }
        let made_up = |exchange: &&Exchange| !ended.iter().any(|found| is_of(exchange, found));
        if let Some(exchange) = session.memory.iter().find(made_up) {
            wrong.push(format!("nothing ended with {exchange:?}"));
        }
    }
}

/// Exchanges in the summary, which may belong to an unfinished run.
fn shortened(session: &Session, facts: &Facts) -> usize {
    let summary = session.chat.as_ref().and_then(|chat| chat.summary.as_ref());
    let steps = facts.runs.iter().flat_map(|found| &found.steps);
    let exchanges = steps.map(|step| match &step.did {
        StepKind::Compacted {
            exchanges, text, ..
        } if summary.is_some_and(|summary| summary.text == *text) => *exchanges as usize,
        _ => 0,
    });
    exchanges.sum()
}

fn is_of(exchange: &Exchange, found: &LoadedRun) -> bool {
    let output = found.run.output();
    let said = output.and_then(|output| output.result.as_ref().or(output.error.as_ref()));
    exchange.run.as_ref() == Some(&found.run.id)
        && exchange.request == found.run.input.prompt()
        && said.is_some_and(|said| exchange.answer == *said)
}
