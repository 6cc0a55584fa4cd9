//! What a request and all that work for it may cost.

use alfred_agent::Limits;
use alfred_agent::LoadedRun;
use alfred_agent::budget::Budget;
use alfred_agent::run::StepKind;
use alfred_agent::step::Step;
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

/// What the turns in a journal used, in order.
fn turns(found: &LoadedRun) -> impl Iterator<Item = Usage> {
    found.steps.iter().filter_map(|step| step.did.usage())
}

impl Facts {
    /// Tokens of all turns in the journals.
    pub(super) fn used(&self) -> u64 {
        let turns: Vec<Usage> = self.runs.iter().flat_map(turns).collect();
        tokens(&sum(&turns))
    }
}

/// What a request may use: a complex one as the orchestrator's file says, any other one as every run may.
fn limits(root: &LoadedRun) -> Limits {
    let planned = |step: &Step| matches!(step.did, StepKind::Planned(_));
    if !root.steps.iter().any(planned) {
        return Limits::default();
    }
    let orchestrator = alfred_programs::worker("alfred/orchestrator").unwrap();
    let file = WorkerFile::parse("alfred/orchestrator", &orchestrator).unwrap();
    alfred_workers::limits(&file)
}

/// Whether a run has taken one turn at most: what classified it is committed with that.
fn is_first(root: &LoadedRun) -> bool {
    let turn = |step: &&Step| matches!(step.did, StepKind::Turn(_));
    root.steps.iter().filter(turn).count() <= 1
}

/// Whatever is delegated, all of a request stays within its limit. A plan's turns are cut to what is left; a run of
/// one worker and those it calls begins a turn as long as anything is left, so its last one may go beyond.
pub(super) fn costs(facts: &Facts, wrong: &mut Vec<String>) {
    for found in &facts.runs {
        let (id, own) = (&found.run.id, turns(found).collect::<Vec<_>>());
        let (own, row) = (sum(&own), found.run.usage);
        if (tokens(&own), own.cost_micros) != (tokens(&row), row.cost_micros) {
            wrong.push(format!("{id}: {row:?} of {own:?}"));
        }
    }
    let roots = facts.runs.iter().filter(|found| found.run.parent.is_none());
    for root in roots {
        let all: Vec<Usage> = facts.family(&root.run.id).flat_map(turns).collect();
        let (limits, whole) = (limits(root), sum(&all));
        let Budget {
            tokens: most,
            cost_micros,
        } = limits.into();
        let within = match (&root.run.plan, all.split_last()) {
            (Some(_), _) => tokens(&whole) <= most && whole.cost_micros <= cost_micros,
            (None, Some((_, before))) => is_first(root) || !limits.spent(&sum(before)),
            (None, None) => true,
        };
        if !within {
            wrong.push(format!("{} cost {whole:?}, more than it may", root.run.id));
        }
    }
    if facts.used() > tokens(&facts.paid) {
        wrong.push(format!(
            "{} tokens, and {:?} was paid",
            facts.used(),
            facts.paid
        ));
    }
}
