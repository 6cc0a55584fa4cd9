//! What all workflow proposals share.

use crate::fields::counted;
use crate::prelude::*;
use crate::system::history::{self, Again, Executed, Offer};
use alfred_agent::tool::PartDone;
use alfred_planner::Wish;
use alfred_planner::mail::capitalized;

/// A part of a proposal, which its owner may leave out.
#[derive(Clone, Serialize)]
pub struct Item {
    /// JSON pointer to the part in the stored proposal.
    #[serde(skip)]
    pub at: String,
    /// The tool that carries it out.
    pub step: &'static str,
    pub label: String,
    /// May be empty.
    pub why: String,
}

impl Item {
    /// A part at this place of a list of the confirmation.
    pub fn new(list: &str, at: usize, step: &'static str, label: &str, why: &str) -> Self {
        Self {
            at: format!("/confirmation/{list}/{at}"),
            step,
            label: label.to_owned(),
            why: why.to_owned(),
        }
    }
}

#[derive(Clone, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PlannedTask {
    pub id: String,
    pub title: String,
    pub minutes: u32,
    /// Minutes of the whole task, if it is only begun in the block.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<u32>,
    pub why: String,
}

/// Notes on the wishes that no change expresses.
pub fn unmet_notes(unmet: &[String]) -> impl Iterator<Item = String> {
    unmet.iter().map(|part| format!("Not done: \"{part}\"."))
}

/// The result of a step. After a failure its default, and a note that names the step.
pub fn step<T: Default>(notes: &mut Vec<String>, name: &str, done: Result<T>) -> Result<T> {
    match done {
        Err(ToolError::Failed(why)) => {
            notes.push(format!("{name} didn't work: {}", why.said()));
            Ok(T::default())
        }
        other => other,
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

pub fn trouble(part: &PartDone<'_>) -> Option<String> {
    Some(part.output["error"].as_str()?.to_owned())
}

/// A block that wasn't made as proposed, with the reason's first sentence.
pub fn missed(block: &Value, result: &Value) -> Option<String> {
    let text = |name: &str| block[name].as_str();
    let why = result["say"].as_str().or(result["error"].as_str());
    let why = why.or(result["reason"].as_str())?;
    let mut why = why.split(". ").next()?.trim_end_matches('.').chars();
    let (first, why) = (why.next()?.to_lowercase(), why.as_str());
    let (title, start, end) = (text("title")?, text("startTime")?, text("endTime")?);
    Some(format!("\"{title}\" {start}–{end} ({first}{why})"))
}

/// A list in the result of a part; empty without one.
pub fn list(part: Option<&PartDone<'_>>, field: &str) -> Vec<Value> {
    let found = part.and_then(|part| part.output[field].as_array());
    found.cloned().unwrap_or_default()
}

/// Those of these ids that a part didn't change.
pub fn left(part: Option<&PartDone<'_>>, wanted: &[String]) -> Vec<String> {
    let (failed, all) = (list(part, "failed"), part.and_then(trouble).is_some());
    let is_failed = |id: &&String| failed.iter().any(|one| one == *id || one["taskId"] == **id);
    let left = wanted.iter().filter(|id| all || is_failed(id));
    left.cloned().collect()
}

/// One sentence on what was done and how much failed. Phrases with the count 0 are left out.
pub fn summary(done: impl IntoIterator<Item = (usize, String)>, problems: usize) -> String {
    let failed = format!("{} didn't work", counted(problems, "thing"));
    let phrases = done.into_iter().chain([(problems, failed)]);
    let phrases = phrases.filter(|(count, _)| *count > 0);
    let phrases: Vec<String> = phrases.map(|(_, phrase)| phrase).collect();
    if phrases.is_empty() {
        return "Nothing was changed.".to_owned();
    }
    capitalized(&phrases.join("; ")) + "."
}

#[derive(Default)]
pub struct Ended {
    pub whole: bool,
    pub data: Value,
    pub again: Vec<Again>,
    /// What wasn't done, each with its reason.
    pub missed: Vec<String>,
    /// The parts of the proposal, and whether the person took them.
    pub offers: Vec<Offer>,
}

/// Stores the result in the person's history and returns it as the output. `own` are the wishes that the person wrote
/// on the card.
pub fn done(
    context: &ToolContext,
    workflow: &str,
    mut ended: Ended,
    wishes: Vec<Wish>,
    own: Vec<Wish>,
) -> Result<ToolOutput> {
    ended.data["phase"] = "completed".into();
    // Each part has already reported its own flow.
    let mut output = ToolOutput::data(&ended.data)?.bringing(Flow::of_stored(context.tainted));
    output.receipt = (!ended.missed.is_empty()).then(|| Receipt {
        what: ended.missed.join(", "),
        ..Receipt::default()
    });
    // In a tainted run only what the person wrote on the card counts as theirs. Their choice among tainted
    // parts says nothing about their habits.
    let (wishes, tainted, offers) = match (context.tainted, own.is_empty()) {
        (false, _) => (wishes, false, ended.offers),
        (true, true) => (wishes, true, Vec::new()),
        (true, false) => (own, false, Vec::new()),
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
