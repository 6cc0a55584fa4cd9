//! Collects what a team gets from the teams before it.

use alfred_agent::model::plan::{Plan, PlannedTask};
use alfred_agent::turn::files;
use alfred_agent::{LoadedRun, Run, RunContext, RunInput};
use alfred_core::contract::{Handoff, HandoffContext, NextTask};
use alfred_core::{Failure, RunId, TeamConfig, TeamInput};

use crate::report::Report;

const SUMMARY_CHARS: usize = 300;

/// The input of a plan's part, with the outputs it needs.
pub(crate) async fn team_input(
    cx: &RunContext<'_>,
    plan: &Plan,
    at: usize,
    reports: &[Option<Report>],
) -> Result<TeamInput, Failure> {
    let (run, task) = (cx.run(), &plan.tasks[at]);
    let mut taint = run.taint.clone();
    let mut handoffs = Vec::new();
    for id in &task.earlier {
        if let Some(earlier) = earlier(cx, id).await? {
            taint.absorb(&earlier.run.taint);
            handoffs.extend(handed_on(run, &earlier, task));
        }
    }
    for needed in &task.after {
        if let (Some(from), Some(Some(report))) = (plan.tasks.get(*needed), reports.get(*needed)) {
            taint.absorb(&report.taint);
            let asked = run.input.prompt().to_owned();
            handoffs.push(handoff(asked, &from.team, &from.task, report, task));
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

/// A team's run of an earlier request. Missing or unreadable runs are skipped.
async fn earlier(cx: &RunContext<'_>, id: &RunId) -> Result<Option<LoadedRun>, Failure> {
    match cx.ports.journal().load(&cx.run().team, id).await {
        Err(Failure::Bug { detail }) => {
            tracing::warn!(run.id = %id, error = detail, "a team goes on without an earlier output");
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
            output_summary: beginning(&whole, SUMMARY_CHARS),
            full_output: whole,
            artifacts: shown.collect(),
        },
        next_task: NextTask {
            instruction: to.task.clone(),
            constraints: Vec::new(),
        },
    }
}

/// The first `chars` characters of a text, with a mark if it is longer.
pub fn beginning(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((end, _)) => format!("{} […]", text[..end].trim_end()),
        None => text.to_owned(),
    }
}
