//! Complex requests: which teams work, in which order, and their outputs put
//! together (seed 002). Every step is committed before it is sent, so a
//! redelivery repeats the sending only.

use alfred_agent::finish::{self, Progress};
use alfred_agent::plan::{Join, Plan, PlannedTask};
use alfred_agent::row::body;
use alfred_agent::run::{RUN_VERSION, Run, RunInput, RunState, StepKind, actions};
use alfred_agent::status::StatusLine;
use alfred_agent::{Deadline, Loaded, admit};
use alfred_core::contract::{Handoff, HandoffContext, NextTask};
use alfred_core::ports::{Message, ModelError, Output, Post, QueueName, Turn, TurnRequest, Write};
use alfred_core::{Classified, Failure, RunId, TeamConfig, TeamInput, WorkerOutput, text};
use alfred_workers::{WorkerFile, system_prompt};
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::Duration;

use crate::Classifier;

const PLAN_TIMEOUT: Duration = Duration::from_secs(60);
const OUTPUT_TOKENS: u32 = 8_000;
/// Teams in one plan; a model that wants more has lost the thread.
const MAX_TEAMS: usize = 6;
/// Characters of an output's summary in a hand-off.
const SUMMARY_CHARS: usize = 400;

/// What the orchestrator reads from the embedded programs.
pub(crate) struct Programs {
    orchestrator: WorkerFile,
    aggregator: WorkerFile,
    teams: Vec<(String, String)>,
}

impl Programs {
    /// Reads them; every team's manager must be readable.
    pub(crate) fn load() -> Result<Self, Failure> {
        let mut teams = Vec::new();
        for team in alfred_programs::teams() {
            let manager = read(&format!("{team}/manager"))?;
            teams.push((team, manager.description));
        }
        Ok(Self {
            orchestrator: read("alfred/orchestrator")?,
            aggregator: read("alfred/aggregator")?,
            teams,
        })
    }
}

fn read(path: &str) -> Result<WorkerFile, Failure> {
    let text = alfred_programs::worker(path)
        .ok_or_else(|| Failure::bug(format!("no worker file {path}")))?;
    WorkerFile::parse(path, &text).map_err(Failure::bug)
}

#[derive(Deserialize)]
struct Chosen {
    teams: Vec<ChosenTeam>,
}

#[derive(Deserialize)]
struct ChosenTeam {
    team: String,
    task: String,
    #[serde(default)]
    additional_instructions: String,
    #[serde(default)]
    after: Vec<usize>,
}

impl Classifier {
    /// Chooses teams, commits the plan with its first runs, and starts them.
    /// Without a usable plan the utility worker takes the request.
    pub(crate) async fn plan_teams(
        &self,
        mut loaded: Loaded,
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
        let ms = self.ports.clock.now().duration_since(began).as_millis();
        let names: Vec<String> = plan.tasks.iter().map(|task| task.team.clone()).collect();
        let steps = vec![
            (classified.ms, StepKind::Classified(classified)),
            (u64::try_from(ms).unwrap_or(0), StepKind::Planned(turn)),
        ];
        loaded.run.plan = Some(plan);
        self.start_teams(&mut loaded, steps).await?;
        self.acknowledge(&loaded.run, &names).await;
        if loaded.run.state != RunState::Waiting {
            return self.advance_teams(loaded, deadline).await;
        }
        Ok(())
    }

    fn plan_request(&self, run: &Run) -> TurnRequest {
        let mut system = system_prompt(&self.programs.orchestrator.instructions, run, &[]);
        system.push_str("\n## Teams\n");
        for (team, description) in &self.programs.teams {
            system.push_str(&format!("- {team}: {description}\n"));
        }
        let names: Vec<&str> = self
            .programs
            .teams
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        let schema = json!({
            "type": "object",
            "properties": {"teams": {"type": "array", "items": {
                "type": "object",
                "properties": {
                    "team": {"type": "string", "enum": names},
                    "task": {"type": "string"},
                    "additional_instructions": {"type": "string"},
                    "after": {"type": "array", "items": {"type": "integer"},
                              "description": "positions in this list, from 0, of the teams whose output this one needs"}
                },
                "required": ["team", "task", "additional_instructions", "after"],
                "additionalProperties": false
            }}},
            "required": ["teams"],
            "additionalProperties": false
        });
        TurnRequest {
            messages: vec![
                Message::System {
                    text: system.into(),
                },
                Message::User {
                    text: run.input.prompt().into(),
                },
            ],
            tools: [].into(),
            output: Output::Json {
                name: "teams",
                schema,
            },
            max_output_tokens: OUTPUT_TOKENS,
            timeout: PLAN_TIMEOUT,
        }
    }

    fn plan_of(&self, turn: &Turn) -> Option<Plan> {
        let text = turn.text.trim();
        let text = text
            .strip_prefix("```json")
            .unwrap_or(text)
            .trim_matches('`');
        let chosen: Chosen = serde_json::from_str(text.trim()).ok()?;
        let known = |team: &str| self.programs.teams.iter().any(|(name, _)| name == team);
        if chosen.teams.is_empty()
            || chosen.teams.len() > MAX_TEAMS
            || chosen
                .teams
                .iter()
                .any(|part| !known(&part.team) || part.task.trim().is_empty())
        {
            return None;
        }
        let tasks = chosen.teams.into_iter().map(|part| PlannedTask {
            team: part.team,
            task: part.task,
            instructions: part.additional_instructions,
            after: part.after,
            run: None,
        });
        let mut plan = Plan {
            tasks: tasks.collect(),
        };
        plan.straighten();
        Some(plan)
    }

    /// Commits the runs of all parts that may start now, and sends them.
    async fn start_teams(
        &self,
        loaded: &mut Loaded,
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
        let used: Vec<_> = steps
            .iter()
            .filter_map(|(_, did)| match did {
                StepKind::Classified(found) => Some(found.usage),
                StepKind::Planned(turn) => Some(turn.usage),
                StepKind::Context { .. } | StepKind::Turn(_) | StepKind::ToolResult { .. } => None,
            })
            .collect();
        let change = move |run: &mut Run| {
            run.plan = Some(plan);
            run.state = RunState::Waiting;
            for usage in &used {
                run.add_usage(usage);
            }
        };
        self.ports
            .journal()
            .commit(loaded, steps, writes, change)
            .await?;
        loaded.join = Some((join, version + 1));
        for run in &started {
            finish::send(&self.ports, run, QueueName::Team, loaded.hops + 1, None).await?;
        }
        Ok(())
    }

    /// Goes on when teams have reported: starts what they made possible, sends
    /// again what has not reported, or puts everything together.
    pub(crate) async fn advance_teams(
        &self,
        mut loaded: Loaded,
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

    async fn send_again(&self, loaded: &Loaded, id: &RunId) -> Result<(), Failure> {
        if let Some(child) = self.ports.journal().load(&loaded.run.team, id).await? {
            finish::send(
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

    /// Puts the teams' outputs together and replies.
    async fn aggregate(
        &self,
        mut loaded: Loaded,
        plan: &Plan,
        deadline: Deadline,
    ) -> Result<(), Failure> {
        let join = loaded.join.clone().unwrap_or_default().0;
        let outputs = self.outputs(&loaded, plan, &join).await?;
        let mut steps = Vec::new();
        let mut used = None;
        let output = match outputs.as_slice() {
            [Some(only)] => only.clone(),
            _ => {
                let request = self.aggregate_request(&loaded.run, plan, &outputs);
                match self.ports.model.turn(&request, &mut |_| {}).await {
                    Ok(turn) => {
                        used = Some(turn.usage);
                        let text = turn.text.trim().to_owned();
                        steps.push((0, StepKind::Turn(turn)));
                        joined(&outputs, Some(text))
                    }
                    Err(error) => {
                        note_unaggregated(&loaded.run, &error);
                        joined(&outputs, Some(side_by_side(plan, &outputs)))
                    }
                }
            }
        };
        let count = move |run: &mut Run| {
            if let Some(usage) = &used {
                run.add_usage(usage);
            }
        };
        let mut status = StatusLine::default();
        let progress = finish::with_output(
            &self.ports,
            &mut loaded,
            steps,
            output,
            count,
            &mut status,
            deadline,
        )
        .await?;
        if progress == Progress::Superseded {
            tracing::info!(run.id = %loaded.run.id, "another delivery put the outputs together");
        }
        Ok(())
    }

    /// The outcome of each part, `None` for those that haven't reported.
    async fn outputs(
        &self,
        loaded: &Loaded,
        plan: &Plan,
        join: &Join,
    ) -> Result<Vec<Option<WorkerOutput>>, Failure> {
        let mut outputs = Vec::with_capacity(plan.tasks.len());
        for task in &plan.tasks {
            let done = task.run.as_ref().filter(|id| join.finished.contains(id));
            outputs.push(match done {
                Some(id) => {
                    let child = self.ports.journal().load(&loaded.run.team, id).await?;
                    child.and_then(|child| {
                        let mut output = child.run.output().cloned()?;
                        output.actions_taken = actions(&child.steps, false);
                        Some(output)
                    })
                }
                None => None,
            });
        }
        Ok(outputs)
    }

    fn aggregate_request(
        &self,
        run: &Run,
        plan: &Plan,
        outputs: &[Option<WorkerOutput>],
    ) -> TurnRequest {
        let system = system_prompt(&self.programs.aggregator.instructions, run, &[]);
        let parts: Vec<Value> = plan
            .tasks
            .iter()
            .zip(outputs)
            .map(|(task, output)| json!({"team": task.team, "task": task.task, "output": output}))
            .collect();
        let material = json!({"request": run.input.prompt(), "parts": parts});
        TurnRequest {
            messages: vec![
                Message::System {
                    text: system.into(),
                },
                Message::User {
                    text: material.to_string().into(),
                },
            ],
            tools: [].into(),
            output: Output::Text,
            max_output_tokens: OUTPUT_TOKENS,
            timeout: PLAN_TIMEOUT,
        }
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

fn team_input(run: &Run, plan: &Plan, at: usize, outputs: &[Option<WorkerOutput>]) -> TeamInput {
    let task = &plan.tasks[at];
    let handoffs = task.after.iter().filter_map(|needed| {
        let from = plan.tasks.get(*needed)?;
        let output = outputs.get(*needed)?.as_ref()?;
        Some(handoff(run, from, task, output))
    });
    TeamInput {
        team: task.team.clone(),
        task_prompt: task.task.clone(),
        additional_instructions: task.instructions.clone(),
        user_context: run.input.user().clone(),
        slack_context: run.input.slack().clone(),
        team_config: TeamConfig {
            max_iterations: if task.team == "marketing" { 3 } else { 2 },
            ..TeamConfig::default()
        },
        handoffs: handoffs.collect(),
    }
}

fn handoff(run: &Run, from: &PlannedTask, to: &PlannedTask, output: &WorkerOutput) -> Handoff {
    let full = output
        .result
        .clone()
        .or_else(|| output.error.clone())
        .unwrap_or_default();
    Handoff {
        from_team: from.team.clone(),
        to_team: to.team.clone(),
        context: HandoffContext {
            original_request: run.input.prompt().to_owned(),
            completed_subtask: from.task.clone(),
            output_summary: full.chars().take(SUMMARY_CHARS).collect(),
            full_output: full,
            artifacts: Vec::new(),
        },
        next_task: NextTask {
            instruction: to.task.clone(),
            constraints: Vec::new(),
        },
    }
}

/// One outcome of several: a success if any part succeeded, with everything that was done.
fn joined(outputs: &[Option<WorkerOutput>], text: Option<String>) -> WorkerOutput {
    let all = || outputs.iter().flatten();
    let done = all()
        .flat_map(|output| output.actions_taken.clone())
        .collect();
    match text.filter(|text| !text.is_empty()) {
        Some(text) if all().any(|output| output.success) => WorkerOutput::done(text, done),
        _ => {
            let reason = all().find_map(|output| output.error.clone());
            WorkerOutput::failed(reason.unwrap_or_else(text::unexpected), done)
        }
    }
}

/// The outputs one after the other, when no model can combine them.
fn side_by_side(plan: &Plan, outputs: &[Option<WorkerOutput>]) -> String {
    let parts = plan.tasks.iter().zip(outputs).filter_map(|(task, output)| {
        let output = output.as_ref()?;
        let said = output.result.as_ref().or(output.error.as_ref())?;
        Some(format!("**{}**\n\n{said}", task.team))
    });
    parts.collect::<Vec<_>>().join("\n\n")
}

fn note_unaggregated(run: &Run, error: &ModelError) {
    tracing::warn!(run.id = %run.id, error = %error, "couldn't combine the teams' outputs; showing them side by side");
}
