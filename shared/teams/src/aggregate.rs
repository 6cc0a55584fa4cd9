use alfred_agent::history::ledger::Ledger;
use alfred_agent::model::Plan;
use alfred_agent::runner::finish;
use alfred_agent::{LoadedRun, Run, RunContext, StepKind};
use alfred_core::ports::{Message, TurnRequest};
use alfred_core::{Result, WorkerOutput, text};
use serde_json::{Value, json};

use crate::Teams;
use crate::children::Children;
use crate::planning::{OUTPUT_TOKENS, PLAN_TIMEOUT};
use crate::report::Report;
use alfred_workers::system_prompt;

impl Teams {
    pub(crate) async fn aggregate(&self, mut cx: RunContext<'_>, children: Children) -> Result<()> {
        let mut ledger = Ledger::from_steps(&cx.run().id, &cx.loaded.steps);
        let output = |child: &Option<LoadedRun>| {
            let report = Report::of(child.as_ref()?)?;
            ledger.entries.extend(report.ledger.entries);
            cx.loaded.run.taint.absorb(&report.taint);
            Some(report.output)
        };
        let outputs: Vec<Option<WorkerOutput>> = children.iter().map(output).collect();
        let plan = cx.run().plan.clone().unwrap_or_default();
        let mut steps = Vec::new();
        let made = |output: &WorkerOutput| output.success || output.partial.is_some();
        let output = match outputs.as_slice() {
            [Some(only)] => with_partial(only.clone()),
            // If no team has a result, combining apologies is pointless.
            _ if !outputs.iter().flatten().any(made) => {
                WorkerOutput::failed(side_by_side(&plan, &outputs), actions(&outputs))
            }
            _ => {
                cx.status.keep(cx.ports, &cx.loaded.run);
                let (join, _) = cx.loaded.join.clone().unwrap_or_default();
                let left = join.left_of(plan.budget.behind(&cx.run().progress.usage));
                let request = self.aggregate_request(cx.run(), &plan, &outputs);
                let text = match self.ask(&mut cx.loaded.run, left, request).await {
                    Some(turn) => {
                        let text = turn.text.trim().to_owned();
                        steps.push(StepKind::Turn(turn).into());
                        text
                    }
                    None => side_by_side(&plan, &outputs),
                };
                let sources = outputs.iter().flatten().flat_map(|output| &output.sources);
                match text.as_str() {
                    "" => WorkerOutput::failed(text::UNEXPECTED, actions(&outputs)),
                    _ => WorkerOutput {
                        sources: sources.cloned().collect(),
                        ..WorkerOutput::done(text, actions(&outputs))
                    },
                }
            }
        };
        finish::end_with(&mut cx, steps, output, &ledger).await
    }

    fn aggregate_request(
        &self,
        run: &Run,
        plan: &Plan,
        outputs: &[Option<WorkerOutput>],
    ) -> TurnRequest {
        let instructions = &self.programs.aggregator.instructions;
        let system = system_prompt(instructions, run, &[], self.ports.clock.now());
        let parts = plan.tasks.iter().zip(outputs).map(|(task, output)| {
            let mut part = json!({"team": task.team, "task": task.task});
            match output {
                Some(output) => part["output"] = json!(output),
                None => part["not_started"] = not_started(plan).into(),
            }
            part
        });
        let parts: Vec<Value> = parts.collect();
        let material = json!({"request": run.input.prompt(), "parts": parts});
        let messages = vec![Message::system(system), Message::user(material.to_string())];
        TurnRequest::new(messages, OUTPUT_TOKENS, PLAN_TIMEOUT)
    }
}

fn actions(outputs: &[Option<WorkerOutput>]) -> Vec<String> {
    let each = outputs.iter().flatten();
    let all = each.flat_map(|output| &output.actions_taken);
    all.cloned().collect()
}

fn side_by_side(plan: &Plan, outputs: &[Option<WorkerOutput>]) -> String {
    let parts = plan.tasks.iter().zip(outputs).map(|(task, output)| {
        let said = output.clone().map(with_partial);
        let said = said.and_then(|output| output.result.or(output.error));
        let said = said.unwrap_or_else(|| not_started(plan).to_owned());
        format!("**{}**\n\n{said}", task.team)
    });
    parts.collect::<Vec<_>>().join("\n\n")
}

fn not_started(plan: &Plan) -> &'static str {
    if plan.out_of_time {
        "It wasn't started, since the time for the whole request was over."
    } else {
        "It wasn't started, since the team whose work it needs couldn't do its part."
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
