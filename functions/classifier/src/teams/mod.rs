//! Complex requests: which teams work, in which order, and their outputs put
//! together (seed 002). Every step is committed before it is sent, so a
//! redelivery repeats the sending only.

mod aggregate;
mod choose;
mod programs;

pub(crate) use programs::Programs;

use alfred_agent::dispatch;
use alfred_agent::ledger::Ledger;
use alfred_agent::plan::{Join, Plan, PlannedTask};
use alfred_agent::row::body;
use alfred_agent::run::{RUN_VERSION, Run, RunInput, RunState, StepKind, actions, elapsed_ms};
use alfred_agent::{Deadline, LoadedRun, admit};
use alfred_core::contract::{Handoff, HandoffContext, NextTask};
use alfred_core::ports::{Post, QueueName, Write};
use alfred_core::{Classified, Failure, RunId, Taint, TeamConfig, TeamInput, WorkerOutput, text};
use std::time::Duration;

use crate::Classifier;

const PLAN_TIMEOUT: Duration = Duration::from_secs(60);
const OUTPUT_TOKENS: u32 = 8_000;

impl Classifier {
    /// Chooses teams, commits the plan with its first runs, and starts them.
    /// Without a usable plan the utility worker takes the request.
    pub(crate) async fn plan_teams(
        &self,
        mut loaded: LoadedRun,
        classified: Classified,
        deadline: Deadline,
    ) -> Result<(), Failure> {
        let began = self.ports.clock.now();
        let request = self.plan_request(&loaded.run);
        let turn = match self.ports.model.turn(&request, &mut |_| {}).await {
            Ok(turn) => turn,
            Err(error) => {
                tracing::warn!(run.id = %loaded.run.id, error = %error, "couldn't choose teams; one worker takes the request");
                return self.to_utility(&loaded, classified).await;
            }
        };
        let Some(plan) = self.plan_of(&turn) else {
            tracing::info!(run.id = %loaded.run.id, "no team fits; one worker takes the request");
            return self.to_utility(&loaded, classified).await;
        };
        let ms = elapsed_ms(began, self.ports.clock.now());
        let names: Vec<String> = plan.tasks.iter().map(|task| task.team.clone()).collect();
        let steps = vec![
            (classified.ms, StepKind::Classified(classified)),
            (ms, StepKind::Planned(turn)),
        ];
        loaded.run.plan = Some(plan);
        self.start_teams(&mut loaded, steps).await?;
        self.acknowledge(&loaded.run, &names).await;
        if loaded.run.state != RunState::Waiting {
            return self.advance_teams(loaded, deadline).await;
        }
        Ok(())
    }

    /// Commits the runs of all parts that may start now, and sends them.
    async fn start_teams(
        &self,
        loaded: &mut LoadedRun,
        steps: Vec<(u64, StepKind)>,
    ) -> Result<(), Failure> {
        let Some(mut plan) = loaded.run.plan.clone() else {
            return Err(Failure::bug("teams without a plan"));
        };
        let (mut join, version) = loaded.join.clone().unwrap_or_default();
        let outputs = self.outputs(loaded, &plan, &join).await?;
        let mut writes = Vec::new();
        let mut started = Vec::new();
        for at in plan.startable(&join.finished) {
            let input = team_input(&loaded.run, &plan, at, &outputs);
            let id = RunId::new(&*self.ports.ids);
            let (run, stored) =
                admit::child(&self.ports, &loaded.run, id.clone(), RunInput::Team(input))?;
            writes.extend(stored);
            plan.tasks[at].run = Some(id);
            started.push(run);
        }
        join.v = RUN_VERSION;
        join.expect(&started.iter().map(|run| run.id.clone()).collect::<Vec<_>>());
        let key = admit::join_key(&loaded.run);
        writes.push(match version {
            0 => Write::create(key, body(&join)?),
            version => Write::replace(key, version, body(&join)?),
        });
        let change = move |run: &mut Run| {
            run.plan = Some(plan);
            run.state = RunState::Waiting;
        };
        self.ports
            .journal()
            .commit(loaded, steps, writes, change)
            .await?;
        loaded.join = Some((join, version + 1));
        for run in &started {
            dispatch::send(&self.ports, run, QueueName::Team, loaded.hops + 1, None).await?;
        }
        Ok(())
    }

    /// Goes on when teams have reported: starts what they made possible, sends
    /// again what has not reported, or puts everything together.
    pub(crate) async fn advance_teams(
        &self,
        mut loaded: LoadedRun,
        deadline: Deadline,
    ) -> Result<(), Failure> {
        let Some(plan) = loaded.run.plan.clone() else {
            return Err(Failure::bug("a run waits for teams without a plan"));
        };
        let finished = loaded.join.clone().unwrap_or_default().0.finished;
        if plan.complete(&finished) {
            return self.aggregate(loaded, &plan, deadline).await;
        }
        if !plan.startable(&finished).is_empty() {
            return self.start_teams(&mut loaded, vec![]).await;
        }
        for id in plan.tasks.iter().filter_map(|task| task.run.as_ref()) {
            if !finished.contains(id) {
                self.send_again(&loaded, id).await?;
            }
        }
        Ok(())
    }

    async fn send_again(&self, loaded: &LoadedRun, id: &RunId) -> Result<(), Failure> {
        if let Some(child) = self.ports.journal().load(&loaded.run.team, id).await? {
            dispatch::send(
                &self.ports,
                &child.run,
                QueueName::Team,
                loaded.hops + 1,
                None,
            )
            .await?;
        }
        Ok(())
    }

    /// The outcome of each part, `None` for those that haven't reported.
    async fn outputs(
        &self,
        loaded: &LoadedRun,
        plan: &Plan,
        join: &Join,
    ) -> Result<Vec<Option<Report>>, Failure> {
        let mut outputs = Vec::with_capacity(plan.tasks.len());
        for task in &plan.tasks {
            let done = task.run.as_ref().filter(|id| join.finished.contains(id));
            outputs.push(match done {
                Some(id) => {
                    let child = self.ports.journal().load(&loaded.run.team, id).await?;
                    child.and_then(|child| {
                        let mut output = child.run.output().cloned()?;
                        output.actions_taken = actions(&child.steps, false);
                        Some(Report {
                            output,
                            ledger: Ledger::from_steps(&child.run.id, &child.steps),
                            taint: child.run.taint,
                        })
                    })
                }
                None => None,
            });
        }
        Ok(outputs)
    }

    /// Says that teams were brought in. A courtesy: nothing depends on it.
    async fn acknowledge(&self, run: &Run, teams: &[String]) {
        let slack = run.input.slack();
        let post = Post {
            channel: slack.channel_id.clone(),
            thread_ts: slack.thread_ts.clone(),
            text: text::taken_up(teams),
            blocks: Vec::new(),
            idempotency_key: format!("{}:ack", run.id),
        };
        if let Err(error) = self.ports.chat.post(&post).await {
            tracing::warn!(run.id = %run.id, error = %error, "couldn't acknowledge a request");
        }
    }
}

/// What a team reported.
struct Report {
    output: WorkerOutput,
    ledger: Ledger,
    taint: Taint,
}

fn team_input(run: &Run, plan: &Plan, at: usize, outputs: &[Option<Report>]) -> TeamInput {
    let task = &plan.tasks[at];
    let mut taint = run.taint.clone();
    let needed = task
        .after
        .iter()
        .filter_map(|at| outputs.get(*at)?.as_ref());
    needed.for_each(|report| taint.absorb(&report.taint));
    let handoffs = task.after.iter().filter_map(|needed| {
        let from = plan.tasks.get(*needed)?;
        let output = outputs.get(*needed)?.as_ref()?;
        Some(handoff(run, from, &output.output))
    });
    TeamInput {
        team: task.team.clone(),
        task_prompt: task.task.clone(),
        additional_instructions: task.instructions.clone(),
        user_context: run.input.user().clone(),
        slack_context: run.input.slack().clone(),
        team_config: TeamConfig::default(),
        handoffs: handoffs.collect(),
        taint,
    }
}

fn handoff(run: &Run, from: &PlannedTask, output: &WorkerOutput) -> Handoff {
    let full = output
        .result
        .clone()
        .or_else(|| output.error.clone())
        .unwrap_or_default();
    Handoff {
        from_team: from.team.clone(),
        context: HandoffContext {
            original_request: run.input.prompt().to_owned(),
            completed_subtask: from.task.clone(),
            full_output: full,
            artifacts: Vec::new(),
        },
        next_task: NextTask::default(),
    }
}
