//! Delegation: a tool call that another agent of the program works on, inside the same run.

use alfred_core::WorkerOutput;
use alfred_core::contract::FinalStatus;
use alfred_core::ports::{Finish, Turn};
use serde_json::json;

use crate::calls::context::AgentLoop;
use crate::calls::delegation::iterations;
use crate::calls::result;
use crate::history::frame::{Given, given, made};
use crate::history::{self, actions, frame};
use crate::model::{Frame, RunInput, Step};
use crate::tool::delegate::{DONE, Delegation};
use crate::tool::{Refusal, ToolOutput};
use crate::turn::exhausted::{self, Exhausted};
use crate::turn::model_turn::ended_by;

/// The outcome of an agent that made its only call's answer its own: what the worker gave back, unless it failed.
pub(crate) fn passed_on(work: &AgentLoop<'_>) -> Option<WorkerOutput> {
    let loaded = &*work.cx.loaded;
    let own = frame::own(&loaded.steps, &loaded.frame);
    let result = own.clone().last()?.result().filter(|result| result.ok)?;
    let turn = own.filter_map(Step::turn).next_back()?;
    let [call] = turn.tool_calls.as_slice() else {
        return None;
    };
    if !work.agent.tools.get(&call.name)?.def().delegates {
        return None;
    }
    let given: Delegation = serde_json::from_str(&call.arguments).ok()?;
    if !given.answer || call.id != result.call_id {
        return None;
    }
    let said = result.output["result"].as_str();
    let said = said.filter(|said| !said.is_empty())?;
    let said = Turn {
        text: said.to_owned(),
        finish: Finish::Stop,
        tool_calls: Vec::new(),
        ..turn.clone()
    };
    Some(ended_by(&said, loaded))
}

pub(crate) fn worker_output(output: WorkerOutput, steps: &[Step], frame: &Frame) -> ToolOutput {
    let said = output.error.or(output.result).unwrap_or_default();
    if output.success {
        let mut output = ToolOutput::default();
        output.data.insert("result".into(), said.into());
        return output;
    }
    let mut why = Refusal::from(said);
    let done = actions(steps.iter().filter(|step| step.frame.is_within(frame)));
    why.data.insert(DONE.into(), json!(done));
    let partial = last_words(steps, frame).map(|words| ("partial".to_owned(), words.into()));
    why.data.extend(partial);
    result::failed(why)
}

fn last_words(steps: &[Step], frame: &Frame) -> Option<String> {
    let turns = frame::own(steps, frame).filter_map(Step::turn);
    let words = turns.map(|turn| turn.text.trim());
    let last = words.rev().find(|words| !words.is_empty());
    last.map(str::to_owned)
}

const WANTS_MORE: &str = "requiresMoreRevisions";

pub(crate) fn with_status(work: &AgentLoop<'_>, mut output: WorkerOutput) -> WorkerOutput {
    if matches!(work.cx.run().input, RunInput::Team(_)) {
        output.final_status = Some(if !output.success {
            FinalStatus::Error
        } else if is_left_open(work) {
            FinalStatus::MaxIterations
        } else {
            FinalStatus::Completed
        });
    }
    output
}

fn is_left_open(work: &AgentLoop<'_>) -> bool {
    let steps = &work.cx.loaded.steps;
    let Some(rounds) = &work.program.rounds else {
        return false;
    };
    let last = given(steps).rfind(|one: &Given<'_>| one.ok && one.worker == rounds.reviewer);
    let revised = made(steps, &rounds.writer) > iterations(work, rounds);
    revised && last.is_some_and(|review| wants_more(review.said))
}

/// The outcome of a run that can't continue. A team's outcome includes its work so far.
pub(crate) fn cut_short(work: &AgentLoop<'_>, reason: String) -> WorkerOutput {
    let steps = &work.cx.loaded.steps;
    let mut output = WorkerOutput::failed(reason, actions(steps));
    if matches!(work.cx.run().input, RunInput::Team(_)) {
        output.final_status = Some(match exhausted::exhausted(work, work.cx.now()) {
            None => FinalStatus::Error,
            Some(Exhausted::Time) => FinalStatus::Timeout,
            Some(Exhausted::Turns(_) | Exhausted::Budget) => FinalStatus::MaxIterations,
        });
        output.partial = latest_text(work).or_else(|| history::partial(steps));
    }
    output
}

fn latest_text(work: &AgentLoop<'_>) -> Option<String> {
    let rounds = work.program.rounds.as_ref()?;
    let written = |one: &Given<'_>| one.worker == rounds.writer && !one.said.trim().is_empty();
    let last = given(&work.cx.loaded.steps).rfind(written)?;
    Some(last.said.to_owned())
}

/// Whether a review wants more revisions. An unreadable one does.
fn wants_more(review: &str) -> bool {
    let Some((_, behind)) = review.split_once(WANTS_MORE) else {
        return true;
    };
    let value = behind.trim_start_matches(|c: char| !c.is_ascii_alphabetic());
    !value.starts_with("false")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_review_that_cant_be_read_wants_more() {
        let no = r#"{"requiresMoreRevisions": false, "assessment": "meets_brief"}"#;
        for review in [no, "**requiresMoreRevisions**: false. Good."] {
            assert!(!wants_more(review), "{review}");
        }
        let yes = "```json\n{\"requiresMoreRevisions\":true}\n```";
        for review in [yes, "Lovely.", "requiresMoreRevisions"] {
            assert!(wants_more(review), "{review}");
        }
    }
}
