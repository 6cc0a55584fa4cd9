//! When an agent may take no further turn: its turns, its tokens and its price, its team's time.

use alfred_core::text;
use jiff::{SignedDuration, Timestamp};
use std::collections::HashSet;

use crate::context::AgentLoop;
use crate::delegate;
use crate::frame;
use crate::journal::LoadedRun;
use crate::run::{RunInput, Step, StepKind};

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
            Self::Turns(most) => text::too_many_steps(most),
            Self::Budget => text::over_budget(),
            Self::Time => text::timed_out(),
        }
    }
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
    let (mut worked, mut last) = (SignedDuration::ZERO, began);
    let mut asked: HashSet<&str> = HashSet::new();
    let end = steps.iter().map(|step| (step.at, Some(&step.did)));
    for (at, did) in end.chain([(now, None)]) {
        if asked.is_empty() {
            worked += at.duration_since(last);
        }
        last = at;
        match did {
            Some(StepKind::Asked { call_id, .. }) => drop(asked.insert(call_id)),
            Some(StepKind::Decided { call_id, .. }) => drop(asked.remove(call_id.as_str())),
            _ => {}
        }
    }
    worked
}
