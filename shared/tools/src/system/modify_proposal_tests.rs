use crate::testing::*;

const NOW: &str = "2026-11-21T12:00:00Z";
const TOOL: &str = "system_modifyProposal";

#[tokio::test]
async fn it_becomes_the_wish_it_was_with_these_words_beside_it() {
    let harness = ToolHarness::at(NOW);
    harness
        .propose("apr_1", |approval| approval.revision = 2)
        .await;
    let args = json!({"feedback": " no e-mail "});
    let output = harness.output(TOOL, args).await;
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
    assert_eq!(harness.required(TOOL), Requirement::Skip);
    let required = harness.tainted().required(TOOL);
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
        let error = harness.fails(TOOL, json!({ "feedback": feedback })).await;
        assert!(
            error.starts_with("feedback: ") && error.ends_with(part),
            "{error}"
        );
    }
    let error = harness.fails(TOOL, json!({"proposalId": "apr_1"})).await;
    assert_snapshot!(error, @"bad arguments: missing field `feedback`");
}

#[tokio::test]
async fn only_what_a_workflow_proposed_is_worked_out_anew() {
    let harness = ToolHarness::at(NOW);
    harness.ask("apr_1", "Send a Slack message", |_| ()).await;
    let args = json!({"proposalId": "apr_1", "feedback": "shorter"});
    assert_snapshot!(harness.fails(TOOL, args).await, @r#"proposalId: "apr_1" is no proposal of a workflow. The person changes it with the Edit button of its card."#);
}

#[tokio::test]
async fn what_is_over_is_not_changed() {
    let harness = ToolHarness::at(NOW);
    harness
        .propose("apr_1", |approval| approval.status = Status::Edited)
        .await;
    harness.propose("apr_2", |_| ()).await;
    let of = |id: &str| json!({"proposalId": id, "feedback": "no e-mail"});
    assert_snapshot!(harness.fails(TOOL, of("apr_1")).await, @r#"proposalId: "apr_1" doesn't wait any more: it was decided, replaced or has expired."#);
    let late = harness.later("2026-11-21T13:00:00Z");
    assert_snapshot!(late.fails(TOOL, of("apr_2")).await, @r#"proposalId: "apr_2" doesn't wait any more: it was decided, replaced or has expired."#);
}
