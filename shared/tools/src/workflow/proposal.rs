//! What all workflow proposals share.

use crate::prelude::*;
use crate::system::history::{self, Again, Executed, Offer};
use alfred_agent::tool::{PartDone, Resolution};
use alfred_planner::Wish;

/// What a proposal says beside its changes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Notes {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<String>,
    /// Wishes that no change expresses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unmet: Vec<String>,
}

impl Notes {
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

/// A call of this workflow, offered until the end of `day`.
pub fn offered(workflow: &str, wish: &impl Serialize, day: Option<&str>) -> Option<Again> {
    Some(Again {
        tool: workflow.to_owned(),
        day: day.filter(|day| !day.is_empty()).map(str::to_owned),
        arguments: serde_json::to_value(wish).ok()?,
    })
}

/// The error of a part.
pub fn trouble(part: &PartDone<'_>) -> Option<String> {
    Some(part.output["error"].as_str()?.to_owned())
}

/// The result of a workflow that finds nothing to propose.
pub fn nothing(message: &str, notes: &Notes) -> Result<Resolution, ToolError> {
    let output = ToolOutput::data(&json!({
        "phase": "proposal",
        "requiresConfirmation": false,
        "message": message,
        "notes": notes.shown(),
    }))?;
    Ok(Resolution::Nothing(Box::new(output)))
}

#[derive(Default)]
pub struct Ended {
    /// Whether every part worked.
    pub whole: bool,
    pub data: Value,
    /// Calls that would redo the parts that failed.
    pub again: Vec<Again>,
    /// The parts of the proposal, and whether the person took them.
    pub offers: Vec<Offer>,
}

pub struct Wishes {
    pub all: Vec<Wish>,
    /// Those that the person wrote on the card.
    pub own: Vec<Wish>,
}

/// Stores the result in the person's history and returns it as the output.
pub fn done(
    context: &ToolContext,
    workflow: &str,
    ended: Ended,
    wishes: Wishes,
) -> Result<ToolOutput, ToolError> {
    // Each part has already reported its own flow.
    let flow = Flow::of_stored(context.tainted);
    let mut output = ToolOutput::data(&ended.data)?.bringing(flow);
    // In a tainted run only what the person wrote on the card counts as theirs. Their choice among tainted
    // parts says nothing about their habits.
    let (wishes, tainted, offers) = match (context.tainted, wishes.own.is_empty()) {
        (false, _) => (wishes.all, false, ended.offers),
        (true, true) => (wishes.all, true, Vec::new()),
        (true, false) => (wishes.own, false, Vec::new()),
    };
    let executed = Executed {
        id: context.call.key.clone(),
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
