//! Choice buttons under a reply. A click puts only its number into the request; the model gets the choices as tool data.

use alfred_core::{Failure, Result};
use serde_json::Value;

use crate::history::frame;
use crate::model::{Offered, Run, Step};
use crate::slack::rich_text;
use crate::store::journal::LoadedRun;
use crate::store::ports::Ports;

/// Prefix of the buttons' `action_id`s; a number follows. The value is `RUN:NUMBER`, starting at 1.
pub const CHOOSE: &str = "option_choose";
/// Maximum characters of a result passed to the next request.
const GIVEN_CHARS: usize = 8_000;

/// The choices left at the end of a run, or of its only team. With several teams, a button's team would be unclear.
pub async fn left(ports: &Ports, run: &LoadedRun) -> Result<Option<(Offered, Vec<String>)>> {
    let Some(plan) = &run.run.plan else {
        return Ok(open(&run.steps));
    };
    let (1, Some(only)) = (plan.tasks.len(), run.run.children().next()) else {
        return Ok(None);
    };
    match ports.journal().load(&run.run.team, only).await {
        // The reply is more important than its buttons.
        Err(Failure::Bug { detail }) => {
            tracing::warn!(run.id = %only, error = detail, "a reply goes without what its team left to choose");
            Ok(None)
        }
        team => Ok(team?.and_then(|team| open(&team.steps))),
    }
}

/// The choices of the last calls' results. `None` if several have choices, since a button's list would be unclear.
fn open(steps: &[Step]) -> Option<(Offered, Vec<String>)> {
    let called = |step: &Step| step.turn().is_some_and(|turn| !turn.tool_calls.is_empty());
    let from = steps.iter().rposition(called)?;
    let results = steps[from..].iter().filter_map(Step::result);
    let mut left = results.filter(|result| !result.options.is_empty());
    let (Some(only), None) = (left.next(), left.next()) else {
        return None;
    };
    let (_, call) = frame::call(&steps[from..=from], &only.call_id)?;
    let given = only.output.to_string();
    let offered = Offered {
        tool: only.name.clone(),
        arguments: call.arguments.clone(),
        given: given.chars().take(GIVEN_CHARS).collect(),
    };
    Some((offered, only.options.clone()))
}

pub(crate) fn buttons(run: &Run, options: &[String]) -> Option<Value> {
    let button = |(label, number): (&String, u32)| {
        let value = format!("{}:{number}", run.id);
        rich_text::button(&format!("{CHOOSE}_{number}"), label, &value)
    };
    rich_text::actions(CHOOSE, options.iter().zip(1..).map(button).collect())
}

pub fn chosen(label: &str) -> Value {
    rich_text::line_block(vec![rich_text::bold("You chose: "), rich_text::line(label)])
}
