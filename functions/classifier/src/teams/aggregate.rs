//! What the teams made, put together into one answer.

use alfred_agent::finish;
use alfred_agent::ledger::Ledger;
use alfred_agent::plan::Plan;
use alfred_agent::run::{Run, StepKind};
use alfred_agent::status::StatusLine;
use alfred_agent::{Deadline, LoadedRun};
use alfred_core::ports::{Message, ModelError, Output, TurnRequest};
use alfred_core::{Failure, WorkerOutput, text};
use alfred_workers::system_prompt;
use serde_json::{Value, json};

use super::{OUTPUT_TOKENS, PLAN_TIMEOUT};
use crate::Classifier;

impl Classifier {
    /// Puts the teams' outputs together and replies.
    pub(super) async fn aggregate(
        &self,
        mut loaded: LoadedRun,
        plan: &Plan,
        deadline: Deadline,
    ) -> Result<(), Failure> {
        let join = loaded.join.clone().unwrap_or_default().0;
        let reports = self.outputs(&loaded, plan, &join).await?;
        let mut ledger = Ledger::from_steps(&loaded.run.id, &loaded.steps);
        for report in reports.iter().flatten() {
            ledger.absorb(report.ledger.clone());
            loaded.run.taint.absorb(&report.taint);
        }
        let outputs: Vec<Option<WorkerOutput>> = reports
            .into_iter()
            .map(|report| report.map(|report| report.output))
            .collect();
        let mut steps = Vec::new();
        let output = match outputs.as_slice() {
            [Some(only)] => only.clone(),
            _ => {
                let request = self.aggregate_request(&loaded.run, plan, &outputs);
                match self.ports.model.turn(&request, &mut |_| {}).await {
                    Ok(turn) => {
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
        let mut status = StatusLine::default();
        finish::with_ledger(
            &self.ports,
            &mut loaded,
            steps,
            output,
            &ledger,
            &mut status,
            deadline,
        )
        .await?
        .settled()
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
