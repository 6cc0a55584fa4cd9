//! What all workflow proposals share.

use crate::prelude::*;
use crate::system::history::{self, Again, Executed, Offer};
use alfred_agent::tool::PartDone;
use alfred_planner::Wish;

/// A part of a proposal, which its owner may leave out.
#[derive(Clone, Serialize)]
pub struct Item {
    /// JSON pointer to the part in the stored proposal.
    #[serde(skip)]
    pub at: String,
    /// The tool that carries it out.
    pub step: &'static str,
    /// Its name on the card.
    pub label: String,
    /// May be empty.
    pub why: String,
}

/// The items of a list of the confirmation. Each part has a label and a reason.
pub fn items(
    list: &str,
    step: &'static str,
    parts: impl Iterator<Item = (String, String)>,
) -> Vec<Item> {
    let item = |(at, (label, why))| Item {
        at: format!("/confirmation/{list}/{at}"),
        step,
        label,
        why,
    };
    parts.enumerate().map(item).collect()
}

/// The result of the first phase, which changes nothing.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FirstPhase {
    success: bool,
    phase: &'static str,
    requires_confirmation: bool,
    /// What would be created, assigned, archived or marked.
    proposals: Vec<Item>,
    /// What would change of existing blocks.
    changes: Vec<Item>,
    message: String,
}

impl FirstPhase {
    pub fn new(items: Vec<Item>, message: String) -> Self {
        let changing = ["schedule_moveTimeBlock", "schedule_deleteTimeBlock"];
        let requires_confirmation = !items.is_empty();
        let (changes, proposals) = items
            .into_iter()
            .partition(|item| changing.contains(&item.step));
        Self {
            success: true,
            phase: "proposal",
            requires_confirmation,
            proposals,
            changes,
            message,
        }
    }
}

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
    pub fn of_unmet(unmet: &[String]) -> Self {
        Self {
            lines: Vec::new(),
            unmet: unmet.to_vec(),
        }
    }

    pub fn shown(&self) -> Vec<String> {
        let unmet = self.unmet.iter();
        let unmet = unmet.map(|part| format!("Not done: \"{part}\"."));
        self.lines.iter().cloned().chain(unmet).collect()
    }

    /// The result of a step. After a failure its default, and a note that names the step.
    pub fn step<T: Default>(
        &mut self,
        name: &str,
        done: Result<T, ToolError>,
    ) -> Result<T, ToolError> {
        match done {
            Err(ToolError::Failed(why)) => {
                let line = format!("{name} didn't work: {}", why.said());
                self.lines.push(line);
                Ok(T::default())
            }
            other => other,
        }
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

/// A list in the result of a part; empty without one.
pub fn list(part: Option<&PartDone<'_>>, field: &str) -> Vec<Value> {
    let found = part.and_then(|part| part.output[field].as_array());
    found.cloned().unwrap_or_default()
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
    let outcome = ended.data["summary"].as_str().unwrap_or_default();
    let executed = Executed {
        id: context.call.key.clone(),
        kind: workflow.to_owned(),
        executed_at: context.now,
        status: if ended.whole { "completed" } else { "partial" }.to_owned(),
        outcome: outcome.to_owned(),
        changes: ended.data,
        again: ended.again,
        offers,
        wishes,
        tainted,
    };
    output.writes.push(history::write(context, &executed)?);
    Ok(output)
}
