//! What the teams made, put together into one answer.

use alfred_agent::RunContext;
use alfred_agent::children::Report;
use alfred_agent::ledger::Ledger;
use alfred_agent::plan::Plan;
use alfred_agent::run::{Run, StepKind};
use alfred_core::ports::{Message, Output, TurnRequest};
use alfred_core::{Failure, WorkerOutput, text};
use alfred_workers::system_prompt;
use serde_json::{Value, json};

use super::{OUTPUT_TOKENS, PLAN_TIMEOUT};
use crate::Classifier;

impl Classifier {
    /// Puts the teams' outputs together and replies.
    pub(super) async fn aggregate(
        &self,
        mut cx: RunContext<'_>,
        reports: Vec<Option<Report>>,
    ) -> Result<(), Failure> {
        let mut ledger = Ledger::from_steps(&cx.run().id, &cx.loaded.steps);
        let mut outputs = Vec::with_capacity(reports.len());
        for report in reports {
            outputs.push(report.map(|report| {
                ledger.absorb(report.ledger);
                cx.loaded.run.taint.absorb(&report.taint);
                report.output
            }));
        }
        let plan = cx.run().plan.clone().unwrap_or_default();
        let mut steps = Vec::new();
        let output = match outputs.as_slice() {
            [Some(only)] => only.clone(),
            _ => {
                let request = self.aggregate_request(cx.run(), &plan, &outputs);
                let text = match self.ports.model.turn(&request, &mut |_| {}).await {
                    Ok(turn) => {
                        let text = turn.text.trim().to_owned();
                        steps.push(StepKind::Turn(turn).into());
                        text
                    }
                    Err(error) => {
                        tracing::warn!(run.id = %cx.run().id, error = %error, "couldn't combine the teams' outputs; showing them side by side");
                        side_by_side(&plan, &outputs)
                    }
                };
                joined(&outputs, &text)
            }
        };
        cx.end_with(steps, output, &ledger).await
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
            messages: vec![Message::system(system), Message::user(material.to_string())],
            tools: [].into(),
            output: Output::Text,
            max_output_tokens: OUTPUT_TOKENS,
            timeout: PLAN_TIMEOUT,
        }
    }
}

/// One outcome of several: a success if any part succeeded, with everything that was done.
fn joined(outputs: &[Option<WorkerOutput>], text: &str) -> WorkerOutput {
    let all = || outputs.iter().flatten();
    let done = all()
        .flat_map(|output| output.actions_taken.clone())
        .collect();
    if !text.is_empty() && all().any(|output| output.success) {
        return WorkerOutput::done(text.to_owned(), done);
    }
    let reason = all().find_map(|output| output.error.clone());
    WorkerOutput::failed(reason.unwrap_or_else(text::unexpected), done)
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
