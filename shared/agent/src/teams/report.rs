//! Reports of child runs to their parent.

use alfred_core::ports::Write;
use alfred_core::{Failure, RunId, Taint, WorkerOutput};

use crate::approval::withdraw::withdraw;
use crate::calls::context::RunContext;
use crate::history::actions;
use crate::history::ledger::Ledger;
use crate::model::join::{Join, join_key};
use crate::model::run::{Run, RunState};
use crate::model::step::NewStep;
use crate::slack::show;
use crate::store::journal::LoadedRun;
use crate::store::race::Race;
use crate::store::row::{body, read};
use crate::store::timer::{self, Timer};
use crate::store::{dispatch, usage};
use crate::teams::progress;

#[derive(Debug)]
pub struct Report {
    pub output: WorkerOutput,
    pub ledger: Ledger,
    pub taint: Taint,
}

impl Report {
    /// The report of a run; `None` if it has no outcome yet.
    pub fn of(child: &LoadedRun) -> Option<Self> {
        let mut output = child.run.output().cloned()?;
        output.actions_taken = actions(&child.steps);
        Some(Self {
            output,
            ledger: Ledger::from_steps(&child.run.id, &child.steps),
            taint: child.run.taint.clone(),
        })
    }
}

/// Ends a child run: commits outcome and report together, then notifies the parent if it was
/// the last child.
pub(crate) async fn report(
    cx: &mut RunContext<'_>,
    parent: &RunId,
    steps: Vec<NewStep>,
    output: WorkerOutput,
) -> Result<(), Failure> {
    let mut used = cx.run().clone();
    steps.iter().for_each(|step| used.account(&step.did));
    let key = join_key(&cx.run().team, parent);
    let mut race = Race::over("the join row");
    loop {
        let run = cx.run();
        let Some(item) = cx.ports.store.get(&key).await? else {
            return Err(Failure::bug(format!("run {parent} has no join row")));
        };
        let mut join: Join = read(item.body)?;
        let last = join.report(&run.id, output.success, &used.usage);
        let spent = usage::load(&*cx.ports.store, run).await?;
        let withdrawn = withdraw(cx.ports, cx.loaded).await?;
        let mut beside = vec![
            Write::replace(key.clone(), item.version, body(&join)?),
            usage::spend(run, &spent, cx.now())?,
            timer::disarm(run.watch_at, &Timer::watch(&run.team, &run.id)),
        ];
        beside.extend(withdrawn.writes.iter().cloned());
        let outcome = output.clone();
        let done = move |run: &mut Run| run.state = RunState::Done { output: outcome };
        if race.won(cx.commit(steps.clone(), beside, done).await)? {
            cx.run().log_end(cx.now());
            show::tell_withdrawn(cx.ports, &withdrawn).await;
            if last {
                dispatch::to_parent(cx.ports, cx.run(), parent).await?;
            }
            progress::of_child(cx.ports, cx.run(), parent, &join).await;
            return Ok(());
        }
    }
}
