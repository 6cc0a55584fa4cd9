use alfred_agent::model::{Before, Budget, Join, NewStep, Plan, Progress, ROW_VERSION, join_key};
use alfred_agent::store::dispatch;
use alfred_agent::store::row::body;
use alfred_agent::store::timer::WATCH_AFTER;
use alfred_agent::{LoadedRun, Ports, Run, RunContext, RunInput, RunState, Work};
use alfred_core::ports::{QueueName, Usage, Write};
use alfred_core::{Failure, Result, RunId, TeamInput};

use crate::plan_time::{self, PLAN_TIME};
use crate::{handoff, progress};

/// The run of each part; `None` if never started or gone.
pub type Children = Vec<Option<LoadedRun>>;

/// Commits these steps with a new run for each part whose prerequisites are met. Then sends those runs.
pub async fn start_children(
    cx: &mut RunContext<'_>,
    steps: Vec<NewStep>,
    mut plan: Plan,
    children: &Children,
) -> Result<()> {
    // The teams' runs inherit the taint of these steps, because the plan was made from what they read.
    let mut used = cx.run().clone();
    for step in &steps {
        cx.loaded.run.absorb(&step.did);
        used.account(&step.did);
    }
    let (mut join, version) = cx.loaded.join.clone().unwrap_or_default();
    let part = part(&plan, &join, &used.progress.usage);
    let mut writes = Vec::new();
    let mut started = Vec::new();
    for at in plan.startable(&join) {
        let input = handoff::team_input(cx, &plan, at, children).await?;
        let child = child(cx, input, part)?;
        writes.extend(cx.ports.journal().create(&child)?);
        plan.tasks[at].run = Some(child.id.clone());
        join.expect(child.id.clone(), part);
        started.push(child);
    }
    if plan.look_at.is_none() {
        let (at, look) = plan_time::look_again(cx, PLAN_TIME)?;
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

/// Continues the parent run after a team reported or a timer fired. Returns the runs of all parts once they are done.
/// Otherwise does one of these: ends the teams if the plan's time is over, starts parts whose prerequisites are met
/// now, or sends unfinished teams to their queue again, in case their message was lost.
pub async fn join_children(cx: &mut RunContext<'_>) -> Result<Option<Children>> {
    let (plan, join) = plan_and_join(cx)?;
    let children = load_children(cx, &plan).await?;
    if plan.complete(&join) {
        return Ok(Some(children));
    }
    if plan_time::look_at_time(cx, &children).await? {
        // A team that still waits for its owner may take longer.
        let run = cx.run();
        if let Some(stored) = cx.ports.journal().load(&run.team, &run.id).await? {
            cx.loaded.join = stored.join;
        }
        let (plan, join) = plan_and_join(cx)?;
        let children = load_children(cx, &plan).await?;
        return Ok(plan.complete(&join).then_some(children));
    }
    if !plan.startable(&join).is_empty() {
        start_children(cx, vec![], plan, &children).await?;
        let (_, join) = plan_and_join(cx)?;
        progress::show(cx.ports, cx.run(), &join).await;
        return Ok(None);
    }
    let hops = cx.loaded.hops + 1;
    for child in children.iter().flatten() {
        if join.success(&child.run.id).is_none() {
            dispatch::send(cx.ports, &child.run, QueueName::Team, hops, None).await?;
        }
    }
    Ok(None)
}

fn plan_and_join(cx: &RunContext<'_>) -> Result<(Plan, Join)> {
    let (join, _) = cx.loaded.join.clone().unwrap_or_default();
    let missing = || Failure::bug("a run waits for others without a plan");
    Ok((cx.run().plan.clone().ok_or_else(missing)?, join))
}

async fn load_children(cx: &RunContext<'_>, plan: &Plan) -> Result<Children> {
    let mut children = Vec::with_capacity(plan.tasks.len());
    for task in &plan.tasks {
        children.push(match &task.run {
            Some(id) => cx.ports.journal().load(&cx.run().team, id).await?,
            None => None,
        });
    }
    Ok(children)
}

fn child(cx: &RunContext<'_>, input: TeamInput, part: Budget) -> Result<Run> {
    let (parent, now) = (cx.run(), cx.now());
    let mut taint = parent.taint.clone();
    taint.absorb(&input.taint);
    Ok(Run {
        taint,
        id: RunId::new(&*cx.ports.ids),
        parent: Some(parent.id.clone()),
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
        granted: Some(part),
        watch_at: now.saturating_add(WATCH_AFTER).map_err(Failure::bug)?,
        created_at: now,
        updated_at: now,
        ..parent.clone()
    })
}

/// Whether every unfinished child waits for its owner.
pub async fn only_ask(ports: &Ports, run: &Run) -> Result<bool> {
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

/// The model budget of each team that starts now. From the plan's budget, subtracts what is used, what is reserved for
/// running teams and what is set aside for combining their outputs. Divides the rest among the teams to come.
fn part(plan: &Plan, join: &Join, used: &Usage) -> Budget {
    let waiting = plan.tasks.iter().filter(|task| task.run.is_none()).count();
    let to_come = waiting - plan.lost(join).len();
    let left = join.left_of(plan.budget.behind(used));
    left.without(plan.budget.kept()).split(to_come as u64)
}

#[cfg(test)]
#[path = "children_tests.rs"]
mod tests;
