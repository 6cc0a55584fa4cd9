//! Cost limits of a request with all its runs.

use alfred_agent::{Limits, LoadedRun, Step, StepKind};
use alfred_core::ports::Usage;
use alfred_workers::WorkerFile;

use super::Facts;

pub(super) fn tokens(usage: &Usage) -> u64 {
    usage.input_tokens + usage.output_tokens
}

fn sum<'a>(used: impl IntoIterator<Item = &'a Usage>) -> Usage {
    let used = used.into_iter();
    used.fold(Usage::default(), |sum, used| sum.plus(used))
}

fn turns(found: &LoadedRun) -> impl Iterator<Item = Usage> {
    found.steps.iter().filter_map(|step| step.did.usage())
}

impl Facts {
    pub(super) fn used(&self) -> u64 {
        let turns: Vec<Usage> = self.runs.iter().flat_map(turns).collect();
        tokens(&sum(&turns))
    }
}

/// A request's limits: the orchestrator file's for complex ones, else the default.
fn limits(root: &LoadedRun) -> Limits {
    let planned = |step: &Step| matches!(step.did, StepKind::Planned(_));
    if !root.steps.iter().any(planned) {
        return Limits::default();
    }
    let orchestrator = alfred_workers::programs::worker("alfred/orchestrator").unwrap();
    let file = WorkerFile::parse("alfred/orchestrator", &orchestrator).unwrap();
    alfred_workers::limits(&file)
}

/// Whether a run took at most one turn, with which its classification is committed.
fn is_first(root: &LoadedRun) -> bool {
    let turn = |step: &&Step| matches!(step.did, StepKind::Turn(_));
    root.steps.iter().filter(turn).count() <= 1
}

/// A request stays within its limit, delegations included. A plan's turns are cut to the rest. A run and its called
/// workers start a turn while anything is left, so the last turn may exceed the limit.
pub(super) fn costs(facts: &Facts, wrong: &mut Vec<String>) {
    for found in &facts.runs {
        let (id, own) = (&found.run.id, turns(found).collect::<Vec<_>>());
        let (own, row) = (sum(&own), found.run.progress.usage);
        if (tokens(&own), own.cost_micros) != (tokens(&row), row.cost_micros) {
            wrong.push(format!("{id}: {row:?} of {own:?}"));
        }
    }
    for root in facts.runs.iter().filter(|found| found.run.parent.is_none()) {
        let all: Vec<Usage> = facts.family(&root.run.id).flat_map(turns).collect();
        let (limits, whole) = (limits(root), sum(&all));
        let (most, cost_micros) = (limits.max_tokens, limits.max_cost_micros);
        let within = match (&root.run.plan, all.split_last()) {
            (Some(_), _) => tokens(&whole) <= most && whole.cost_micros <= cost_micros,
            (None, Some((_, before))) => is_first(root) || !limits.spent(&sum(before)),
            (None, None) => true,
        };
        if !within {
            wrong.push(format!("{} cost {whole:?}, more than it may", root.run.id));
        }
    }
    let (used, paid) = (facts.used(), &facts.paid);
    if used > tokens(paid) {
        wrong.push(format!("{used} tokens, and {paid:?} was paid"));
    }
}
