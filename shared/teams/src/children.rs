//! Child runs, one per team of a plan: starts them and continues the parent when all have reported. Each
//! child has its own row, journal and audit chain. The reports are collected in the parent's join row.

use alfred_agent::model::budget::Budget;
use alfred_agent::model::join::{Join, join_key};
use alfred_agent::model::plan::{Ended, Plan, PlannedTask};
use alfred_agent::model::run::{Before, Progress};
use alfred_agent::model::step::NewStep;
use alfred_agent::model::version::ROW_VERSION;
use alfred_agent::store::dispatch;
use alfred_agent::store::row::body;
use alfred_agent::store::timer::WATCH_AFTER;
use alfred_agent::{LoadedRun, Ports, Run, RunContext, RunInput, RunState, Work};
use alfred_core::ports::{QueueName, Usage, Write};
use alfred_core::{Failure, RunId, TeamInput};

use crate::plan_time::{self, PLAN_TIME};
use crate::report::Report;
use crate::{handoff, progress};

/// Commits these steps together with a new run for each part of the plan whose prerequisites are met. Then sends
/// those runs to the team queue.
pub async fn start_children(cx: &mut RunContext<'_>, steps: Vec<NewStep>) -> Result<(), Failure> {
    // The teams' runs inherit the taint of these steps, because the plan was made from what they read.
    for step in &steps {
        cx.loaded.run.absorb(&step.did);
    }
    let plan = plan_of(cx)?;
    let reports = plan.tasks.iter().map(|_| None).collect();
    start(cx, steps, plan, reports).await
}

async fn start(
    cx: &mut RunContext<'_>,
    steps: Vec<NewStep>,
    mut plan: Plan,
    reports: Vec<Option<Report>>,
) -> Result<(), Failure> {
    let (mut join, version) = cx.loaded.join.clone().unwrap_or_default();
    let ended = ended(cx, &plan, &reports);
    let mut used = cx.run().clone();
    steps.iter().for_each(|step| used.account(&step.did));
    let part = part(&plan, &ended, &join, &used.progress.usage);
    let mut writes = Vec::new();
    let mut started = Vec::new();
    for at in plan.startable(&ended) {
        let input = handoff::team_input(cx, &plan, at, &reports).await?;
        let child = Run {
            granted: part,
            ..child(cx, input)?
        };
        writes.extend(cx.ports.journal().create(&child)?);
        plan.tasks[at].run = Some(child.id.clone());
        join.expect(&child.id, part);
        started.push(child);
    }
    if plan.look_at.is_none() {
        let (at, look) = plan_time::look_again(cx.run(), cx.now(), PLAN_TIME)?;
        plan.look_at = Some(at);
        writes.push(look);
    }
    join.v = ROW_VERSION;
    let key = join_key(&cx.run().team, &cx.run().id);
    writes.push(Write::over(key, version, body(&join)?));
    let waits = move |run: &mut Run| {
        run.plan = Some(plan);
        run.state = RunState::Waiting;
    };
    cx.commit(steps, writes, waits).await?;
    cx.loaded.join = Some((join, version + 1));
    let hops = cx.loaded.hops + 1;
    for child in &started {
        dispatch::send(cx.ports, child, QueueName::Team, hops, None).await?;
    }
    Ok(())
}

/// Continues the parent run after a team reported or a timer fired. Returns the reports in plan order once all parts
/// are done; a report is `None` if its run is gone or never started. Otherwise does one of these: ends the teams if
/// the plan's time is over, starts parts whose prerequisites are met now, or sends unfinished teams to their queue
/// again, in case their message was lost.
pub async fn join_children(
    cx: &mut RunContext<'_>,
) -> Result<Option<Vec<Option<Report>>>, Failure> {
    let plan = plan_of(cx)?;
    let children = load_children(cx, &plan).await?;
    let reports = reports(cx, &plan, &children);
    let ended = ended(cx, &plan, &reports);
    if plan.complete(&ended) {
        return Ok(Some(reports));
    }
    if plan_time::look_at_time(cx, &children).await? {
        return after_time(cx).await;
    }
    let finished = finished(cx);
    if !plan.startable(&ended).is_empty() {
        let plan = plan_of(cx)?;
        start(cx, vec![], plan, reports).await?;
        let shown = cx.loaded.join.as_ref().map(|(join, _)| join);
        progress::show(cx.ports, cx.run(), shown.unwrap_or(&Join::default())).await;
        return Ok(None);
    }
    let hops = cx.loaded.hops + 1;
    for child in children.iter().flatten() {
        if !finished.contains(&child.run.id) {
            dispatch::send(cx.ports, &child.run, QueueName::Team, hops, None).await?;
        }
    }
    Ok(None)
}

/// All reports after the plan's time is over. `None` while a team still waits for its owner, who may take longer.
async fn after_time(cx: &mut RunContext<'_>) -> Result<Option<Vec<Option<Report>>>, Failure> {
    let run = cx.run();
    if let Some(stored) = cx.ports.journal().load(&run.team, &run.id).await? {
        cx.loaded.join = stored.join;
    }
    let plan = plan_of(cx)?;
    let children = load_children(cx, &plan).await?;
    let reports = reports(cx, &plan, &children);
    let complete = plan.complete(&ended(cx, &plan, &reports));
    Ok(complete.then_some(reports))
}

fn plan_of(cx: &RunContext<'_>) -> Result<Plan, Failure> {
    let plan = cx.run().plan.clone();
    plan.ok_or_else(|| Failure::bug("a run waits for others without a plan"))
}

fn finished<'a>(cx: &'a RunContext<'_>) -> &'a [RunId] {
    let join = cx.loaded.join.as_ref();
    join.map_or(&[], |(join, _)| &join.finished)
}

/// The run of each part; `None` if never started or gone.
async fn load_children(
    cx: &RunContext<'_>,
    plan: &Plan,
) -> Result<Vec<Option<LoadedRun>>, Failure> {
    let mut children = Vec::with_capacity(plan.tasks.len());
    for task in &plan.tasks {
        children.push(match &task.run {
            Some(id) => cx.ports.journal().load(&cx.run().team, id).await?,
            None => None,
        });
    }
    Ok(children)
}

/// The report of each part; `None` if unfinished.
fn reports(
    cx: &RunContext<'_>,
    plan: &Plan,
    children: &[Option<LoadedRun>],
) -> Vec<Option<Report>> {
    let report = |(task, child): (&PlannedTask, &Option<LoadedRun>)| {
        let run = task.run.as_ref();
        run.filter(|id| finished(cx).contains(id))?;
        Report::of(child.as_ref()?)
    };
    plan.tasks.iter().zip(children).map(report).collect()
}

/// The state of each part. A finished part whose run is gone counts as failed.
fn ended(cx: &RunContext<'_>, plan: &Plan, reports: &[Option<Report>]) -> Vec<Ended> {
    let over = |task: &PlannedTask| {
        let run = task.run.as_ref();
        run.is_some_and(|run| finished(cx).contains(run))
    };
    let ended = |(task, report): (&PlannedTask, &Option<Report>)| match report {
        Some(report) if report.output.success => Ended::Made,
        Some(_) => Ended::Failed,
        None if over(task) => Ended::Failed,
        None => Ended::Open,
    };
    plan.tasks.iter().zip(reports).map(ended).collect()
}

fn child(cx: &RunContext<'_>, input: TeamInput) -> Result<Run, Failure> {
    let (parent, now) = (cx.run(), cx.now());
    let mut taint = parent.taint.clone();
    taint.absorb(&input.taint);
    Ok(Run {
        taint,
        id: RunId::new(&*cx.ports.ids),
        parent: Some(parent.id.clone()),
        asked_ts: None,
        input: RunInput::Team(input),
        work: Work::Agent,
        before: Before {
            session_version: 0,
            waiting: Vec::new(),
            ..parent.before.clone()
        },
        progress: Progress::default(),
        state: RunState::Ready,
        plan: None,
        watch_at: now.saturating_add(WATCH_AFTER).map_err(Failure::bug)?,
        created_at: now,
        updated_at: now,
        ..parent.clone()
    })
}

/// Whether the run waits for children and every unfinished child waits for its owner.
pub async fn only_ask(ports: &Ports, run: &Run) -> Result<bool, Failure> {
    if run.state != RunState::Waiting {
        return Ok(false);
    }
    let mut asking = false;
    for child in run.children() {
        let found = ports.journal().load(&run.team, child).await?;
        match found.map(|found| found.run.state) {
            Some(RunState::Asking { shown: true }) => asking = true,
            Some(RunState::Done { .. }) => {}
            _ => return Ok(false),
        }
    }
    Ok(asking)
}

/// The model budget of a team that starts now. From the plan's budget, subtracts what is used, what is reserved for
/// running teams and what is set aside for combining their outputs. Divides the rest equally among the teams that
/// haven't started, including this one. `None` if the plan has no budget limit.
fn part(plan: &Plan, ended: &[Ended], join: &Join, used: &Usage) -> Option<Budget> {
    let budget = plan.budget?;
    let lost = plan.lost(ended);
    let to_come = plan.tasks.iter().enumerate();
    let to_come =
        to_come.filter(|(at, task)| task.run.is_none() && !lost.iter().any(|(of, _)| of == at));
    let left = join.left_of(budget.behind(used)).without(budget.kept());
    Some(left.split(to_come.count() as u64))
}

#[cfg(test)]
#[path = "children_tests.rs"]
mod tests;
