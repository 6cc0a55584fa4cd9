//! What all proposals have in common.

use crate::prelude::*;
use crate::system::history::{self, Again, Executed, Offer};
use alfred_agent::tool::{PartDone, Resolution};
use alfred_planner::Wish;

/// What a proposal says beside what it would do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Notes {
    /// What stays as it is, and what else is to be known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<String>,
    /// What was wanted and no change says.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unmet: Vec<String>,
}

impl Notes {
    /// As lines of a card.
    pub fn shown(&self) -> Vec<String> {
        let mut lines = self.lines.clone();
        lines.extend(
            self.unmet
                .iter()
                .map(|part| format!("Not done: \"{part}\".")),
        );
        lines
    }
}

/// A call of a workflow with this wish, to be offered until this day is over.
pub fn offered(workflow: &str, wish: &impl Serialize, day: Option<&str>) -> Option<Again> {
    Some(Again {
        tool: workflow.to_owned(),
        day: day.filter(|day| !day.is_empty()).map(str::to_owned),
        arguments: serde_json::to_value(wish).ok()?,
    })
}

/// What a part said went wrong.
pub fn trouble(part: &PartDone<'_>) -> Option<String> {
    Some(part.output["error"].as_str()?.to_owned())
}

/// What a workflow gives that finds nothing to propose.
///
/// # Errors
/// `Bug` when it can't be written as JSON.
pub fn nothing(message: &str, notes: &Notes) -> Result<Resolution, ToolError> {
    let output = ToolOutput::data(&json!({
        "phase": "proposal",
        "requiresConfirmation": false,
        "message": message,
        "notes": notes.shown(),
    }))?;
    Ok(Resolution::Nothing(Box::new(output)))
}

/// What a workflow came to.
#[derive(Default)]
pub struct Ended {
    /// Whether all of it worked.
    pub whole: bool,
    pub data: Value,
    /// The calls that would do what of it didn't work.
    pub again: Vec<Again>,
    /// What of the proposal the person took, and what not.
    pub offers: Vec<Offer>,
}

/// What the person wanted of a plan.
pub struct Wishes {
    pub all: Vec<Wish>,
    /// What they wrote on its card themselves.
    pub own: Vec<Wish>,
}

/// What a workflow came to, kept in the person's history.
///
/// # Errors
/// `Bug` when it can't be written as JSON.
pub fn done(
    context: &ToolContext,
    workflow: &str,
    ended: Ended,
    wishes: Wishes,
) -> Result<ToolOutput, ToolError> {
    // It says what its parts gave, and each of those has said what it brought in.
    let flow = Flow::of_stored(context.tainted);
    let mut output = ToolOutput::data(&ended.data)?.bringing(flow);
    // What the person wrote on the card is theirs, whatever was read before; what they left in of a
    // proposal that other people's words may have shaped says nothing of them.
    let (wishes, tainted, offers) = match (context.tainted, wishes.own.is_empty()) {
        (false, _) => (wishes.all, false, ended.offers),
        (true, true) => (wishes.all, true, Vec::new()),
        (true, false) => (wishes.own, false, Vec::new()),
    };
    let executed = Executed {
        id: context.idempotency_key.clone(),
        kind: workflow.to_owned(),
        executed_at: context.now,
        status: if ended.whole { "completed" } else { "partial" }.to_owned(),
        outcome: ended.data["summary"]
            .as_str()
            .unwrap_or_default()
            .to_owned(),
        changes: ended.data,
        again: ended.again,
        offers,
        wishes,
        tainted,
    };
    output.writes.push(history::write(context, &executed)?);
    Ok(output)
}
