use alfred_agent::history::actions;
use alfred_agent::history::ledger::Ledger;
use alfred_agent::model::{Join, join_key};
use alfred_agent::store::dispatch;
use alfred_agent::store::ports::{AtEnd, Ending, Hook};
use alfred_agent::store::row::{body, read};
use alfred_agent::{LoadedRun, Ports, Run};
use alfred_core::ports::Write;
use alfred_core::{Failure, Result, RunId, Taint, WorkerOutput};
use async_trait::async_trait;

use crate::{plan_time, progress};

#[derive(Debug)]
pub struct Report {
    pub output: WorkerOutput,
    pub ledger: Ledger,
    pub taint: Taint,
}

impl Report {
    pub fn of(child: &LoadedRun) -> Option<Self> {
        let mut output = child.run.output().cloned()?;
        output.actions_taken = actions(&child.steps);
        Some(Self {
            output,
            ledger: Ledger::at_end(&child.run.id, &child.steps),
            taint: child.run.taint.clone(),
        })
    }
}

/// Reports the end of a team to the run that waits for it, and stops checking the time of a plan
/// that ends.
#[derive(Debug)]
pub struct TeamReport;

#[async_trait]
impl Hook for TeamReport {
    async fn beside_end(&self, ports: &Ports, ending: &Ending<'_>) -> Result<AtEnd> {
        let run = &ending.loaded.run;
        let writes = match &run.parent {
            Some(parent) => vec![report(ports, ending, parent).await?],
            None => plan_time::no_look(run).into_iter().collect(),
        };
        Ok(AtEnd { writes, note: None })
    }

    /// Continues the waiting run after its last team, and shows the progress.
    async fn after_end(&self, ports: &Ports, loaded: &LoadedRun) -> Result<()> {
        let Some(parent) = &loaded.run.parent else {
            return Ok(());
        };
        let (join, _) = join_row(ports, &loaded.run, parent).await?;
        if join.is_complete() {
            dispatch::to_parent(ports, &loaded.run, parent).await?;
        }
        progress::of_child(ports, &loaded.run, parent, &join).await;
        Ok(())
    }
}

async fn report(ports: &Ports, ending: &Ending<'_>, parent: &RunId) -> Result<Write> {
    let run = &ending.loaded.run;
    let mut used = run.clone();
    ending.steps.iter().for_each(|step| used.account(&step.did));
    let (mut join, version) = join_row(ports, run, parent).await?;
    join.report(&run.id, ending.output.success, &used.progress.usage);
    let key = join_key(&run.team, parent);
    Ok(Write::replace(key, version, body(&join)?))
}

async fn join_row(ports: &Ports, run: &Run, parent: &RunId) -> Result<(Join, u64)> {
    match ports.store.get(&join_key(&run.team, parent)).await? {
        Some(item) => Ok((read(item.body)?, item.version)),
        None => Err(Failure::bug(format!("run {parent} has no join row"))),
    }
}
