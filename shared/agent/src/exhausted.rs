//! When an agent may take no further turn: its turns, its tokens and its price, its team's time.

use alfred_core::ports::TurnRequest;
use jiff::{SignedDuration, Timestamp};
use std::collections::HashSet;

use crate::context::AgentLoop;
use crate::delegate;
use crate::frame;
use crate::journal::LoadedRun;
use crate::run::{RunInput, Step, StepKind};

pub(crate) const OVER_BUDGET: &str =
    "I stopped because this request used up its budget. Could you make it smaller?";

/// Why no further turn may be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exhausted {
    /// So many were taken.
    Turns(u32),
    /// What it may cost was spent.
    Budget,
    /// Its team's time is over.
    Time,
}

impl Exhausted {
    /// In words for the person.
    pub(crate) fn words(self) -> String {
        match self {
            Self::Turns(most) => too_many_steps(most),
            Self::Budget => OVER_BUDGET.to_owned(),
            Self::Time => {
                "That took longer than I can wait. Please try again in a moment.".to_owned()
            }
        }
    }
}

fn too_many_steps(limit: u32) -> String {
    format!(
        "I stopped after {limit} steps without finishing. Could you break the request into smaller parts?"
    )
}

impl AgentLoop<'_> {
    /// Why no further turn may be taken. Tokens and cost of whoever is called count for all who
    /// called; turns are each one's own.
    pub(crate) fn exhausted(&self, now: Timestamp) -> Option<Exhausted> {
        let LoadedRun {
            run, steps, frame, ..
        } = &*self.cx.loaded;
        let turns = frame::own(steps, frame).filter(|step| matches!(step.did, StepKind::Turn(_)));
        let most = self.agent.limits.max_iterations;
        if u32::try_from(turns.count()).is_ok_and(|turns| turns >= most) {
            return Some(Exhausted::Turns(most));
        }
        if self.is_over_budget() {
            return Some(Exhausted::Budget);
        }
        if let RunInput::Team(input) = &run.input {
            let limit = SignedDuration::from_secs(i64::from(input.team_config.timeout_seconds));
            if worked(steps, run.began(), now) >= limit {
                return Some(Exhausted::Time);
            }
        }
        None
    }

    /// The same turn with an answer that the run's part of a budget pays for, if it has one and it pays for any.
    pub(crate) fn affordable(&self, turn: &TurnRequest) -> Option<TurnRequest> {
        let run = self.cx.run();
        match run.granted {
            Some(granted) => {
                let left = granted.behind(&run.usage);
                // Without its model the turn itself says so.
                let model = self.model().unwrap_or_else(|_| self.cx.ports.model.clone());
                left.affords(turn.clone(), &*model)
            }
            None => Some(turn.clone()),
        }
    }

    /// Whether this agent, or one of those that called it, has used up what it may.
    pub(crate) fn is_over_budget(&self) -> bool {
        let LoadedRun {
            run, steps, frame, ..
        } = &*self.cx.loaded;
        frame.and_callers().any(|frame| {
            let used = match frame.is_own() {
                true => run.usage,
                false => frame::usage(steps, &frame),
            };
            let agent = delegate::agent_in(self.program, steps, &frame);
            agent.is_none_or(|agent| agent.limits.spent(&used))
        })
    }
}

/// How long a run has been at it, without the time it waited for its owner.
fn worked(steps: &[Step], began: Timestamp, now: Timestamp) -> SignedDuration {
    let spans = work_spans(steps, began, now);
    let spans = spans.into_iter().map(|(from, to)| to.duration_since(from));
    spans.fold(SignedDuration::ZERO, |sum, span| sum + span)
}

/// The times in which a run was at it until then, without those in which it waited for its owner.
pub(crate) fn work_spans(
    steps: &[Step],
    began: Timestamp,
    until: Timestamp,
) -> Vec<(Timestamp, Timestamp)> {
    let (mut spans, mut last) = (Vec::new(), began);
    let mut asked: HashSet<&str> = HashSet::new();
    let end = steps.iter().map(|step| (step.at, Some(&step.did)));
    for (at, did) in end.chain([(until, None)]) {
        if asked.is_empty() {
            spans.push((last, at));
        }
        last = at;
        match did {
            Some(StepKind::Asked { call_id, .. }) => drop(asked.insert(call_id)),
            Some(StepKind::Decided { call_id, .. }) => drop(asked.remove(call_id.as_str())),
            _ => {}
        }
    }
    spans
}
