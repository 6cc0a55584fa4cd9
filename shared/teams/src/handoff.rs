use alfred_agent::model::{Plan, PlannedTask, cut};
use alfred_agent::turn::files;
use alfred_agent::{LoadedRun, Ports, Run, RunContext, RunInput};
use alfred_core::contract::{Handoff, HandoffContext, NextTask};
use alfred_core::{Failure, Result, RunId, TeamConfig, TeamInput};

use crate::children::Children;
use crate::report::Report;

const SUMMARY_CHARS: usize = 300;

pub(crate) async fn team_input(
    cx: &RunContext<'_>,
    plan: &Plan,
    at: usize,
    children: &Children,
) -> Result<TeamInput> {
    let (run, task) = (cx.run(), &plan.tasks[at]);
    let mut taint = run.taint.clone();
    let mut handoffs = Vec::new();
    for id in &task.earlier {
        if let Some(earlier) = readable(cx.ports, run, id).await? {
            taint.absorb(&earlier.run.taint);
            handoffs.extend(handed_on(run, &earlier, task));
        }
    }
    for needed in &task.after {
        let from = &plan.tasks[*needed];
        if let Some(report) = children[*needed].as_ref().and_then(Report::of) {
            taint.absorb(&report.taint);
            let asked = run.input.prompt().to_owned();
            handoffs.push(handoff(asked, &from.team, &from.task, &report, task));
        }
    }
    Ok(TeamInput {
        team: task.team.clone(),
        task_prompt: format!("{}{}", task.task, files::note_of(&run.input)),
        additional_instructions: task.instructions.clone(),
        user_context: run.input.user().clone(),
        slack_context: run.input.slack().clone(),
        team_config: TeamConfig {
            user_iteration_override: task.rounds,
            ..TeamConfig::default()
        },
        handoffs,
        taint,
    })
}

/// A run of an earlier request; `None` if it is gone or unreadable.
pub(crate) async fn readable(ports: &Ports, run: &Run, id: &RunId) -> Result<Option<LoadedRun>> {
    match ports.journal().load(&run.team, id).await {
        Err(Failure::Bug { detail }) => {
            tracing::warn!(run.id = %id, error = detail, "an earlier run is left out");
            Ok(None)
        }
        found => found,
    }
}

/// A team's output for an earlier request of this conversation.
fn handed_on(run: &Run, earlier: &LoadedRun, to: &PlannedTask) -> Option<Handoff> {
    let report = Report::of(earlier)?;
    let RunInput::Team(input) = &earlier.run.input else {
        return None;
    };
    let mut said = run.before.history.iter();
    let asked = said.find(|exchange| exchange.run == earlier.run.parent)?;
    let asked = asked.request.clone();
    Some(handoff(asked, &input.team, &input.task_prompt, &report, to))
}

fn handoff(asked: String, team: &str, task: &str, report: &Report, to: &PlannedTask) -> Handoff {
    let whole = report.output.result.clone().unwrap_or_default();
    let entries = report.ledger.entries.iter();
    let receipts = entries.filter_map(|entry| entry.receipt.as_ref());
    let shown = receipts.filter_map(|receipt| {
        let place = receipt.link.as_ref().or(receipt.provider_id.as_ref())?;
        Some(format!("{}: {place}", receipt.what))
    });
    Handoff {
        from_team: team.to_owned(),
        to_team: to.team.clone(),
        context: HandoffContext {
            original_request: asked,
            completed_subtask: task.to_owned(),
            output_summary: cut(&whole, SUMMARY_CHARS),
            full_output: whole,
            artifacts: shown.collect(),
        },
        next_task: NextTask {
            instruction: to.task.clone(),
            constraints: Vec::new(),
        },
    }
}
