//! Counts a team's review rounds from its journal, independently of what its manager claims, and
//! sets the team's final status.

use alfred_core::WorkerOutput;
use alfred_core::contract::FinalStatus;

use crate::calls::context::AgentLoop;
use crate::calls::delegation::iterations;
use crate::history::frame::{Given, given, made};
use crate::history::{self, actions};
use crate::model::input::RunInput;
use crate::turn::exhausted::{self, Exhausted};

/// Field of a review that says whether further revisions are needed.
const WANTS_MORE: &str = "requiresMoreRevisions";

/// Adds the final status to a team's outcome.
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

/// Whether the last review wanted more revisions than the rounds allowed.
fn is_left_open(work: &AgentLoop<'_>) -> bool {
    let steps = &work.cx.loaded.steps;
    let Some(rounds) = &work.program.rounds else {
        return false;
    };
    let reviews = |one: &Given<'_>| one.ok && one.worker == rounds.reviewer;
    let last = given(steps).rfind(reviews);
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

/// The writer's latest text. A later review is no result.
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
    use crate::tool::program::Rounds;
    use alfred_core::TeamConfig;

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
