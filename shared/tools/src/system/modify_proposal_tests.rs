use crate::testing::ToolHarness;
use alfred_agent::approval::{Status, Verdict};
use alfred_agent::gate::{Reason, Requirement};
use serde_json::json;

const NOW: &str = "2026-11-21T12:00:00Z";

#[tokio::test]
async fn it_becomes_the_wish_it_was_with_these_words_beside_it() {
    let harness = ToolHarness::at(NOW);
    harness
        .propose("apr_1", |approval| approval.revision = 2)
        .await;
    let args = json!({"feedback": " no e-mail "});
    let output = harness.output("system_modifyProposal", args).await;
    assert_eq!(output.data["proposalId"], "apr_1");
    assert_eq!(output.data["revision"], 3);
    let choice = &output.choices[0];
    assert_eq!((choice.revision, choice.verdict), (2, Verdict::Edit));
    let wish = json!({"wish": {"date": "2026-11-22", "changes": {"lunchAt": "13:00"}}});
    assert_eq!(choice.note.as_deref(), Some("no e-mail"));
    assert_eq!(
        choice.arguments,
        Some(wish),
        "what was worked out is worked out again"
    );
    assert!(output.writes.is_empty());
}

#[tokio::test]
async fn a_run_that_read_others_words_is_asked_before_it_puts_any_in() {
    let harness = ToolHarness::at(NOW);
    assert_eq!(harness.required("system_modifyProposal"), Requirement::Skip);
    let required = harness.tainted().required("system_modifyProposal");
    let Requirement::NeedsApproval(reasons) = required else {
        panic!("{required:?}")
    };
    assert!(
        matches!(reasons[..], [Reason::Tainted { .. }]),
        "{reasons:?}"
    );
}

#[tokio::test]
async fn words_are_needed_and_not_too_many() {
    let harness = ToolHarness::at(NOW);
    harness.propose("apr_1", |_| ()).await;
    for (feedback, part) in [
        (" \n".to_owned(), "is empty; say what should be otherwise."),
        ("x".repeat(1_001), "has 1001 characters, at most 1000."),
    ] {
        let error = harness
            .fails("system_modifyProposal", json!({ "feedback": feedback }))
            .await;
        assert!(
            error.starts_with("feedback: ") && error.ends_with(part),
            "{error}"
        );
    }
    let error = harness
        .fails("system_modifyProposal", json!({"proposalId": "apr_1"}))
        .await;
    assert!(error.contains("feedback"), "{error}");
}

#[tokio::test]
async fn only_what_a_workflow_proposed_is_worked_out_anew() {
    let harness = ToolHarness::at(NOW);
    harness.ask("apr_1", "Send a Slack message", |_| ()).await;
    let args = json!({"proposalId": "apr_1", "feedback": "shorter"});
    let error = harness.fails("system_modifyProposal", args).await;
    assert!(error.contains("is no proposal of a workflow"), "{error}");
}

#[tokio::test]
async fn what_is_over_or_somebody_elses_is_not_changed() {
    let harness = ToolHarness::at(NOW);
    harness
        .propose("apr_1", |approval| approval.status = Status::Edited)
        .await;
    harness.propose("apr_2", |_| ()).await;
    let of = |id: &str| json!({"proposalId": id, "feedback": "no e-mail"});
    let error = harness.fails("system_modifyProposal", of("apr_1")).await;
    assert!(error.contains("doesn't wait any more"), "{error}");
    let missing = harness.fails("system_modifyProposal", of("apr_9")).await;
    for (team, user) in [("T1", "U2"), ("T2", "U1")] {
        let other = harness.asked_by(team, user);
        let error = other.fails("system_modifyProposal", of("apr_2")).await;
        assert_eq!(error, missing.replace("apr_9", "apr_2"));
    }
    let late = harness.later("2026-11-21T13:00:00Z");
    let error = late.fails("system_modifyProposal", of("apr_2")).await;
    assert!(error.contains("doesn't wait any more"), "{error}");
}
