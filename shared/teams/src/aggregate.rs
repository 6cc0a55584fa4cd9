use alfred_agent::history::ledger::Ledger;
use alfred_agent::model::plan::Plan;
use alfred_agent::runner::finish;
use alfred_agent::{Run, RunContext, StepKind};
use alfred_core::ports::{Message, Output, Turn, TurnRequest};
use alfred_core::{Failure, WorkerOutput, text};
use serde_json::{Value, json};

use crate::Teams;
use crate::planning::{OUTPUT_TOKENS, PLAN_TIMEOUT};
use crate::report::Report;
use alfred_workers::system_prompt;

const TEAM_NOT_STARTED: &str =
    "It wasn't started, since the team whose work it needs couldn't do its part.";

impl Teams {
    pub(crate) async fn aggregate(
        &self,
        mut cx: RunContext<'_>,
        reports: Vec<Option<Report>>,
    ) -> Result<(), Failure> {
        let mut ledger = Ledger::from_steps(&cx.run().id, &cx.loaded.steps);
        let mut outputs = Vec::with_capacity(reports.len());
        for report in reports {
            outputs.push(report.map(|report| {
                ledger.entries.extend(report.ledger.entries);
                cx.loaded.run.taint.absorb(&report.taint);
                report.output
            }));
        }
        let plan = cx.run().plan.clone().unwrap_or_default();
        let mut steps = Vec::new();
        let made = |output: &WorkerOutput| output.success || output.partial.is_some();
        let output = match outputs.as_slice() {
            [Some(only)] => with_partial(only.clone()),
            // If no team has a result, combining apologies is pointless.
            _ if !outputs.iter().flatten().any(made) => {
                let done = actions(&outputs);
                WorkerOutput::failed(side_by_side(&plan, &outputs), done)
            }
            _ => {
                cx.status.keep(cx.ports, &cx.loaded.run);
                let text = match self.combined(&cx, &plan, &outputs).await {
                    Some(turn) => {
                        let text = turn.text.trim().to_owned();
                        steps.push(StepKind::Turn(turn).into());
                        text
                    }
                    None => side_by_side(&plan, &outputs),
                };
                joined(&outputs, text)
            }
        };
        finish::end_with(&mut cx, steps, output, &ledger).await
    }

    /// `None` if the remaining budget doesn't pay for it or the model fails.
    async fn combined(
        &self,
        cx: &RunContext<'_>,
        plan: &Plan,
        outputs: &[Option<WorkerOutput>],
    ) -> Option<Turn> {
        let run = cx.run();
        let mut request = self.aggregate_request(run, plan, outputs);
        if let Some(budget) = plan.budget {
            let left = budget.behind(&run.progress.usage);
            let left = cx
                .loaded
                .join
                .as_ref()
                .map_or(left, |(join, _)| join.left_of(left));
            let Some(affordable) = left.affords(request, &*self.ports.model) else {
                tracing::warn!(run.id = %run.id, "the budget doesn't pay for combining the teams' outputs; showing them side by side");
                return None;
            };
            request = affordable;
        }
        match self.ports.model.turn(&request, &mut |_| {}).await {
            Ok(turn) => Some(turn),
            Err(error) => {
                tracing::warn!(run.id = %run.id, error = %error, "couldn't combine the teams' outputs; showing them side by side");
                None
            }
        }
    }

    fn aggregate_request(
        &self,
        run: &Run,
        plan: &Plan,
        outputs: &[Option<WorkerOutput>],
    ) -> TurnRequest {
        let system = system_prompt(
            &self.programs.aggregator.instructions,
            run,
            &[],
            self.ports.clock.now(),
        );
        let parts: Vec<Value> = plan
            .tasks
            .iter()
            .zip(outputs)
            .map(|(task, output)| match output {
                Some(output) => json!({"team": task.team, "task": task.task, "output": output}),
                None => {
                    let why = not_started(plan);
                    json!({"team": task.team, "task": task.task, "not_started": why})
                }
            })
            .collect();
        let material = json!({"request": run.input.prompt(), "parts": parts});
        TurnRequest {
            messages: vec![Message::system(system), Message::user(material.to_string())],
            tools: [].into(),
            output: Output::Text,
            max_output_tokens: OUTPUT_TOKENS,
            timeout: PLAN_TIMEOUT,
        }
    }
}

fn actions(outputs: &[Option<WorkerOutput>]) -> Vec<String> {
    let each = outputs.iter().flatten();
    each.flat_map(|output| output.actions_taken.clone())
        .collect()
}

fn joined(outputs: &[Option<WorkerOutput>], text: String) -> WorkerOutput {
    if text.is_empty() {
        return WorkerOutput::failed(text::UNEXPECTED, actions(outputs));
    }
    let given = outputs.iter().flatten().flat_map(|output| &output.sources);
    WorkerOutput {
        sources: given.cloned().collect(),
        ..WorkerOutput::done(text, actions(outputs))
    }
}

/// Used when no model can combine the outputs.
fn side_by_side(plan: &Plan, outputs: &[Option<WorkerOutput>]) -> String {
    let parts = plan.tasks.iter().zip(outputs).map(|(task, output)| {
        let said = output.clone().map(with_partial);
        let said = said.and_then(|output| output.result.or(output.error));
        let said = said.unwrap_or_else(|| not_started(plan));
        format!("**{}**\n\n{said}", task.team)
    });
    parts.collect::<Vec<_>>().join("\n\n")
}

fn not_started(plan: &Plan) -> String {
    if plan.out_of_time {
        "It wasn't started, since the time for the whole request was over.".to_owned()
    } else {
        TEAM_NOT_STARTED.to_owned()
    }
}

fn with_partial(mut output: WorkerOutput) -> WorkerOutput {
    if let (Some(reason), Some(made)) = (&output.error, &output.partial) {
        output.error = Some(format!(
            "{reason}\n\nThis is what there was by then, unfinished:\n\n{made}"
        ));
    }
    output
}
