//! Checks an agent's limits before a turn: turns, tokens, cost and a team's time.

use alfred_core::ports::{Turn, TurnRequest};
use jiff::{SignedDuration, Timestamp};
use std::collections::HashSet;

use crate::calls::context::AgentLoop;
use crate::history::frame;
use crate::model::{RunInput, Step, StepKind};
use crate::store::journal::LoadedRun;
use crate::tool::toolsets::OPEN_TOOL;
use crate::turn::model_turn;

pub(crate) const OVER_BUDGET: &str =
    "I stopped because this request used up its budget. Could you make it smaller?";

const TOOK_TOO_LONG: &str = "That took longer than I can wait. Please try again in a moment.";
const FREE_OPENINGS: u32 = 3;

pub(crate) enum Exhausted {
    Turns(u32),
    Budget,
    Time,
}

impl Exhausted {
    pub(crate) fn words(self) -> String {
        match self {
            Self::Turns(limit) => format!(
                "I stopped after {limit} steps without finishing. Could you break the request into smaller parts?"
            ),
            Self::Budget => OVER_BUDGET.to_owned(),
            Self::Time => TOOK_TOO_LONG.to_owned(),
        }
    }
}

/// Tokens and cost of a delegated worker also count for its callers; turns don't.
pub(crate) fn exhausted(work: &AgentLoop<'_>, now: Timestamp) -> Option<Exhausted> {
    let LoadedRun { run, steps, .. } = &*work.cx.loaded;
    if turns_left(work) == 0 {
        return Some(out_of_turns(work));
    }
    if is_over_budget(work) {
        return Some(Exhausted::Budget);
    }
    let RunInput::Team(input) = &run.input else {
        return None;
    };
    let limit = SignedDuration::from_secs(i64::from(input.team_config.timeout_seconds));
    let spans = work_spans(steps, run.began(), now).into_iter();
    let worked = spans.fold(SignedDuration::ZERO, |sum, (from, to)| {
        sum + to.duration_since(from)
    });
    (worked >= limit).then_some(Exhausted::Time)
}

/// Turns that opened toolsets aren't counted, up to `FREE_OPENINGS` of them.
fn turns_left(work: &AgentLoop<'_>) -> u32 {
    let own = frame::own(&work.cx.loaded.steps, &work.cx.loaded.frame);
    let mut openings = 0..FREE_OPENINGS;
    let opens = |turn: &Turn| turn.tool_calls.iter().any(|call| call.name == OPEN_TOOL);
    let turns = own.filter_map(Step::turn);
    let counted = turns.filter(|turn| !opens(turn) || openings.next().is_none());
    let taken = u32::try_from(counted.count()).unwrap_or(u32::MAX);
    work.agent.limits.max_iterations.saturating_sub(taken)
}

pub(crate) fn out_of_turns(work: &AgentLoop<'_>) -> Exhausted {
    Exhausted::Turns(work.agent.limits.max_iterations)
}

/// Whether the next turn is the last one, which is for an answer: what its tools gave would be read by no model.
pub(crate) fn is_last_turn(work: &AgentLoop<'_>) -> bool {
    turns_left(work) == 1 && work.agent.limits.max_iterations > 1
}

/// Limits a turn's answer to the run's part of the budget. `None` if too little is left.
pub(crate) fn affordable(work: &AgentLoop<'_>, turn: &TurnRequest) -> Option<TurnRequest> {
    let run = work.cx.run();
    let Some(granted) = run.granted else {
        return Some(turn.clone());
    };
    let model = model_turn::model(work).unwrap_or_else(|_| work.cx.ports.model.clone());
    let left = granted.behind(&run.progress.usage);
    left.affords(turn.clone(), &*model)
}

fn is_over_budget(work: &AgentLoop<'_>) -> bool {
    let (run, steps) = (work.cx.run(), &work.cx.loaded.steps);
    work.cx.loaded.frame.and_callers().any(|frame| {
        let used = if frame.is_own() {
            run.progress.usage
        } else {
            frame::usage(steps, &frame)
        };
        let agent = match frame::workers(steps, &frame).last() {
            Some(worker) => work.program.workers.get(*worker),
            None => Some(&work.program.own),
        };
        agent.is_none_or(|agent| agent.limits.spent(&used))
    })
}

/// The periods in which the run worked, without waits for its owner.
pub fn work_spans(steps: &[Step], from: Timestamp, to: Timestamp) -> Vec<(Timestamp, Timestamp)> {
    let (mut spans, mut last) = (Vec::new(), from);
    let mut asked: HashSet<&str> = HashSet::new();
    let taken = steps.iter().map(|step| (step.at, Some(&step.did)));
    for (at, did) in taken.chain([(to, None)]) {
        if asked.is_empty() {
            spans.push((last, at));
        }
        last = at;
        match did {
            Some(StepKind::Asked(step)) => drop(asked.insert(&step.call_id)),
            Some(StepKind::Decided(step)) => drop(asked.remove(step.call_id.as_str())),
            _ => {}
        }
    }
    spans
}
