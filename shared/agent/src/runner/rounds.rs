//! Counts a team's review rounds from its journal, independently of what its manager claims, and
//! sets the team's final status.

use alfred_core::contract::FinalStatus;
use alfred_core::ports::ToolCall;
use alfred_core::{TeamConfig, WorkerOutput};

use crate::calls::Ready;
use crate::calls::context::AgentLoop;
use crate::history::{self, actions};
use crate::model::input::RunInput;
use crate::model::step::Step;
use crate::runner::delegate::DONE;
use crate::tool::program::Rounds;
use crate::turn::exhausted::Exhausted;

/// Field of a review that says whether further revisions are needed.
const WANTS_MORE: &str = "requiresMoreRevisions";

struct Given<'a> {
    worker: &'a str,
    ok: bool,
    said: &'a str,
}

/// The results of delegations by the run's own agent, without refused calls.
fn given(steps: &[Step]) -> impl DoubleEndedIterator<Item = Given<'_>> {
    let own = steps.iter().filter(|step| step.frame.is_own());
    let results = own.filter_map(Step::result);
    let given = results.filter(|result| result.ok || result.output[DONE].is_array());
    given.map(|result| {
        let said = result.output["result"].as_str();
        let said = said.or(result.output["partial"].as_str());
        Given {
            worker: &result.name,
            ok: result.ok,
            said: said.unwrap_or_default(),
        }
    })
}

/// How often a worker has succeeded.
fn made(steps: &[Step], worker: &str) -> u32 {
    let made = given(steps).filter(|one| one.ok && one.worker == worker);
    u32::try_from(made.count()).unwrap_or(u32::MAX)
}

impl AgentLoop<'_> {
    /// Why a worker may not be called again in this program, if so. `beside` are calls about to start.
    pub(crate) fn out_of_rounds(&self, call: &ToolCall, beside: &[Ready]) -> Option<String> {
        let loaded = &self.cx.loaded;
        let rounds = self.program.rounds.as_ref()?;
        if !loaded.frame.is_own() {
            return None;
        }
        let theirs = |one: &Given<'_>| one.worker == call.name;
        let mut last = given(&loaded.steps).filter(theirs).rev();
        if !last.next().is_none_or(|one| one.ok) && !last.next().is_none_or(|one| one.ok) {
            return Some(format!(
                "{} has failed twice. Finish with what there is, and say what is missing.",
                call.name
            ));
        }
        let most = self.iterations(rounds);
        let begins = beside.iter().filter(|ready| ready.call.name == call.name);
        let begins = u32::try_from(begins.count()).unwrap_or(u32::MAX);
        let may = rounds.most(&call.name, most)?;
        (made(&loaded.steps, &call.name).saturating_add(begins) >= may)
            .then(|| no_more_rounds(most))
    }

    fn iterations(&self, rounds: &Rounds) -> u32 {
        let said = match &self.cx.run().input {
            RunInput::Team(input) => input.team_config.clone(),
            RunInput::Worker(_) => TeamConfig::default(),
        };
        said.iterations(rounds.default)
    }

    /// Adds the final status to a team's outcome.
    pub(crate) fn with_status(&self, mut output: WorkerOutput) -> WorkerOutput {
        if matches!(self.cx.run().input, RunInput::Team(_)) {
            output.final_status = Some(match output.success {
                true if self.is_left_open() => FinalStatus::MaxIterations,
                true => FinalStatus::Completed,
                false => FinalStatus::Error,
            });
        }
        output
    }

    /// Whether the last review wanted more revisions than the rounds allowed.
    fn is_left_open(&self) -> bool {
        let steps = &self.cx.loaded.steps;
        let Some(rounds) = &self.program.rounds else {
            return false;
        };
        let reviews = |one: &Given<'_>| one.ok && one.worker == rounds.reviewer;
        let last = given(steps).rfind(reviews);
        let revised = made(steps, &rounds.writer) > self.iterations(rounds);
        revised && last.is_some_and(|review| wants_more(review.said))
    }

    /// The outcome of a run that can't continue. A team's outcome includes its work so far.
    pub(crate) fn cut_short(&self, reason: String) -> WorkerOutput {
        let steps = &self.cx.loaded.steps;
        let mut output = WorkerOutput::failed(reason, actions(steps));
        if matches!(self.cx.run().input, RunInput::Team(_)) {
            output.final_status = Some(match self.exhausted(self.cx.now()) {
                None => FinalStatus::Error,
                Some(Exhausted::Time) => FinalStatus::Timeout,
                Some(Exhausted::Turns(_) | Exhausted::Budget) => FinalStatus::MaxIterations,
            });
            output.partial = self.latest_text().or_else(|| history::partial(steps));
        }
        output
    }

    /// The writer's latest text. A later review is no result.
    fn latest_text(&self) -> Option<String> {
        let rounds = self.program.rounds.as_ref()?;
        let written = |one: &Given<'_>| one.worker == rounds.writer && !one.said.trim().is_empty();
        let last = given(&self.cx.loaded.steps).rfind(written)?;
        Some(last.said.to_owned())
    }
}

fn no_more_rounds(rounds: u32) -> String {
    format!(
        "The rounds of this request are over ({rounds}). Return the latest version, and name what is left open."
    )
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
    fn rounds_are_counted_by_calls() {
        let rounds = Rounds {
            default: 3,
            reviewer: "r".into(),
            writer: "w".into(),
        };
        // Rounds in the team's file, rounds the person asked for, and expected (rounds, reviews, texts).
        for (own, said, expected) in [
            (None, None, (3, 4, 5)),
            (None, Some(0), (0, 0, 1)),
            (None, Some(1), (1, 2, 3)),
            (Some(2), None, (2, 3, 4)),
            (Some(2), Some(99), (10, 11, 12)),
        ] {
            let config = TeamConfig {
                max_iterations: own,
                user_iteration_override: said,
                ..TeamConfig::default()
            };
            let most = config.iterations(rounds.default);
            let of = |worker| rounds.most(worker, most).unwrap();
            assert_eq!((most, of("r"), of("w")), expected, "{own:?} {said:?}");
            assert_eq!(rounds.most("brainstormer", most), None);
        }
    }

    #[test]
    fn a_review_that_cant_be_read_wants_more() {
        for (review, expected) in [
            (
                r#"{"requiresMoreRevisions": false, "assessment": "meets_brief"}"#,
                false,
            ),
            ("```json\n{\"requiresMoreRevisions\":true}\n```", true),
            ("**requiresMoreRevisions**: false. Good.", false),
            ("Lovely.", true),
            ("requiresMoreRevisions", true),
        ] {
            assert_eq!(wants_more(review), expected, "{review}");
        }
    }
}
