//! Runs that work for another one: it starts them, waits for their reports, and goes on when all are there.
//! Each has its own row, journal and audit chain; what they report is a set in a row beside their parent's.

use alfred_core::contract::{Handoff, HandoffContext, NextTask};
use alfred_core::ports::{QueueName, Usage, Write};
use alfred_core::{Failure, RunId, Taint, TeamConfig, TeamInput, WorkerOutput};

use crate::approval::withdraw::{self, withdraw};
use crate::context::RunContext;
use crate::dispatch;
use crate::journal::CommitError;
use crate::ledger::Ledger;
use crate::plan::{Ended, Join, Plan, PlannedTask, join_key};
use crate::ports::Ports;
use crate::race::Race;
use crate::row::{ROW_VERSION, body, read};
use crate::run::{Head, NewStep, Run, RunInput, RunState, Work, actions};
use crate::timer::{self, Timer, WATCH_AFTER};
use crate::usage;

/// What a child run came to.
#[derive(Debug)]
pub struct Report {
    /// Its outcome.
    pub output: WorkerOutput,
    /// What it did and didn't do.
    pub ledger: Ledger,
    /// What it has read.
    pub taint: Taint,
}

impl RunContext<'_> {
    /// Commits these steps with the runs of all parts of the plan that may start now, and sends these.
    ///
    /// # Errors
    /// `Bug` without a plan; when the store or the queue doesn't answer.
    pub async fn start_children(&mut self, steps: Vec<NewStep>) -> Result<(), Failure> {
        let plan = self.plan()?;
        let reports = self.reports(&plan).await?;
        self.start(steps, plan, reports).await
    }

    async fn start(
        &mut self,
        steps: Vec<NewStep>,
        mut plan: Plan,
        reports: Vec<Option<Report>>,
    ) -> Result<(), Failure> {
        let (mut join, version) = self.loaded.join.clone().unwrap_or_default();
        let mut writes = Vec::new();
        let mut started = Vec::new();
        for at in plan.startable(&self.ended(&plan, &reports)) {
            let child = self.child(team_input(self.run(), &plan, at, &reports))?;
            writes.extend(self.ports.journal().create(&child)?);
            plan.tasks[at].run = Some(child.id.clone());
            started.push(child);
        }
        join.v = ROW_VERSION;
        join.expect(started.iter().map(|child| &child.id));
        let key = join_key(&self.run().team, &self.run().id);
        writes.push(Write::over(key, version, body(&join)?));
        let waits = move |run: &mut Run| {
            run.plan = Some(plan);
            run.state = RunState::Waiting;
        };
        self.commit(steps, writes, waits).await?;
        self.loaded.join = Some((join, version + 1));
        let hops = self.loaded.hops + 1;
        for child in &started {
            dispatch::send(self.ports, child, QueueName::Team, hops, None).await?;
        }
        Ok(())
    }

    /// Goes on when children have reported: starts what they made possible, or sends again what hasn't
    /// reported. Once all have, gives their reports in the plan's order; `None` for one that is gone or that
    /// never started, since what it needs failed.
    ///
    /// # Errors
    /// `Bug` without a plan; when the store or the queue doesn't answer.
    pub async fn join_children(&mut self) -> Result<Option<Vec<Option<Report>>>, Failure> {
        let plan = self.plan()?;
        let reports = self.reports(&plan).await?;
        let ended = self.ended(&plan, &reports);
        if plan.complete(&ended) {
            return Ok(Some(reports));
        }
        let finished = self.finished();
        if !plan.startable(&ended).is_empty() {
            self.start(vec![], plan, reports).await?;
            return Ok(None);
        }
        let (team, hops) = (&self.run().team, self.loaded.hops + 1);
        for id in self.run().children().filter(|id| !finished.contains(id)) {
            if let Some(child) = self.ports.journal().load(team, id).await? {
                dispatch::send(self.ports, &child.run, QueueName::Team, hops, None).await?;
            }
        }
        Ok(None)
    }

    fn plan(&self) -> Result<Plan, Failure> {
        let plan = self.run().plan.clone();
        plan.ok_or_else(|| Failure::bug("a run waits for others without a plan"))
    }

    fn finished(&self) -> &[RunId] {
        let join = self.loaded.join.as_ref();
        join.map_or(&[], |(join, _)| &join.finished)
    }

    /// The report of each part, `None` for those that haven't finished.
    async fn reports(&self, plan: &Plan) -> Result<Vec<Option<Report>>, Failure> {
        let mut reports = Vec::with_capacity(plan.tasks.len());
        for task in &plan.tasks {
            let done = task.run.as_ref().filter(|id| self.finished().contains(id));
            let child = match done {
                Some(id) => self.ports.journal().load(&self.run().team, id).await?,
                None => None,
            };
            reports.push(child.and_then(|child| {
                let mut output = child.run.output().cloned()?;
                output.actions_taken = actions(&child.steps);
                Some(Report {
                    output,
                    ledger: Ledger::from_steps(&child.run.id, &child.steps),
                    taint: child.run.taint,
                })
            }));
        }
        Ok(reports)
    }

    /// How each part has ended; one whose run is gone has made nothing.
    fn ended(&self, plan: &Plan, reports: &[Option<Report>]) -> Vec<Ended> {
        let over = |task: &PlannedTask| {
            let run = task.run.as_ref();
            run.is_some_and(|run| self.finished().contains(run))
        };
        let ended = |(task, report): (&PlannedTask, &Option<Report>)| match report {
            Some(report) if report.output.success => Ended::Made,
            Some(_) => Ended::Failed,
            None if over(task) => Ended::Failed,
            None => Ended::Open,
        };
        plan.tasks.iter().zip(reports).map(ended).collect()
    }

    fn child(&self, input: TeamInput) -> Result<Run, Failure> {
        let (parent, now) = (self.run(), self.now());
        let mut taint = parent.taint.clone();
        taint.absorb(&input.taint);
        Ok(Run {
            taint,
            id: RunId::new(&*self.ports.ids),
            parent: Some(parent.id.clone()),
            asked_ts: None,
            input: RunInput::Team(input),
            work: Work::Agent,
            audit: Head::default(),
            state: RunState::Ready,
            plan: None,
            steps: 0,
            iterations: 0,
            pauses: 0,
            usage: Usage::default(),
            waiting: Vec::new(),
            session_version: 0,
            watch_at: now.saturating_add(WATCH_AFTER).map_err(Failure::bug)?,
            wake_at: None,
            created_at: now,
            began_at: None,
            updated_at: now,
            ..parent.clone()
        })
    }

    /// Ends a child's run: its outcome and its report in one commit, then the parent is called.
    pub(crate) async fn report(
        &mut self,
        parent: &RunId,
        steps: Vec<NewStep>,
        output: WorkerOutput,
    ) -> Result<(), Failure> {
        let key = join_key(&self.run().team, parent);
        let mut race = Race::over("the join row");
        loop {
            let run = self.run();
            let Some(item) = self.ports.store.get(&key).await? else {
                return Err(Failure::bug(format!("run {parent} has no join row")));
            };
            let mut join: Join = read(item.body)?;
            let last = join.report(&run.id);
            let spent = usage::load(&*self.ports.store, run).await?;
            let withdrawn = withdraw(self.ports, self.loaded).await?;
            let mut beside = vec![
                Write::replace(key.clone(), item.version, body(&join)?),
                run.spend(&spent, self.now())?,
                timer::disarm(run.watch_at, &Timer::watch(&run.team, &run.id)),
            ];
            beside.extend(withdrawn.writes.iter().cloned());
            let outcome = output.clone();
            let done = move |run: &mut Run| run.state = RunState::Done { output: outcome };
            match self.commit(steps.clone(), beside, done).await {
                Ok(()) => {
                    self.run().log_end(self.now());
                    withdraw::tell(self.ports, &withdrawn).await;
                    return match last {
                        true => dispatch::to_parent(self.ports, self.run(), parent).await,
                        false => Ok(()),
                    };
                }
                Err(CommitError::Conflict(_)) => race.lost()?,
                Err(other) => return Err(other.into()),
            }
        }
    }
}

/// Whether a run waits for children of which every one that isn't done waits for its owner.
///
/// # Errors
/// When the store doesn't answer.
pub async fn only_ask(ports: &Ports, run: &Run) -> Result<bool, Failure> {
    let mut asking = false;
    for child in run.children() {
        let found = ports.journal().load(&run.team, child).await?;
        match found.map(|found| found.run.state) {
            Some(RunState::Asking { shown: true }) => asking = true,
            Some(RunState::Done { .. }) => {}
            _ => return Ok(false),
        }
    }
    Ok(asking && run.state == RunState::Waiting)
}

fn team_input(run: &Run, plan: &Plan, at: usize, reports: &[Option<Report>]) -> TeamInput {
    let task = &plan.tasks[at];
    let mut taint = run.taint.clone();
    let mut handoffs = Vec::new();
    for needed in &task.after {
        if let (Some(from), Some(Some(report))) = (plan.tasks.get(*needed), reports.get(*needed)) {
            taint.absorb(&report.taint);
            handoffs.push(handoff(run, from, &report.output));
        }
    }
    TeamInput {
        team: task.team.clone(),
        task_prompt: format!("{}{}", task.task, run.input.files_note()),
        additional_instructions: task.instructions.clone(),
        user_context: run.input.user().clone(),
        slack_context: run.input.slack().clone(),
        team_config: TeamConfig::default(),
        handoffs,
        taint,
    }
}

fn handoff(run: &Run, from: &PlannedTask, output: &WorkerOutput) -> Handoff {
    Handoff {
        from_team: from.team.clone(),
        context: HandoffContext {
            original_request: run.input.prompt().to_owned(),
            completed_subtask: from.task.clone(),
            full_output: output.result.clone().unwrap_or_default(),
            artifacts: Vec::new(),
        },
        next_task: NextTask::default(),
    }
}
