use alfred_agent::model::Approval;
use alfred_core::Failure;

use crate::testing::*;

const NOW: &str = "2026-11-21T12:00:00Z";
const TOOL: &str = "system_modifyProposal";

#[tokio::test]
async fn it_is_worked_out_again_with_these_changes_beside_the_earlier_ones() {
    let harness = ToolHarness::at(NOW);
    harness
        .propose("apr_1", |approval| approval.revision = 2)
        .await;
    let args = json!({"changes": {"noEmail": true, "unmet": ["Musik"]}});
    let output = harness.output(TOOL, args.clone()).await;
    assert_eq!(output.data["proposalId"], "apr_1");
    assert_eq!(output.data["revision"], 3);
    let choice = &output.choices[0];
    assert_eq!((choice.revision, choice.verdict), (2, Verdict::Edit));
    let proposed = choice.arguments.as_ref().unwrap();
    let changes = json!({"lunchAt": "13:00", "noEmail": true, "unmet": ["Musik"]});
    let wish = json!({"date": "2026-11-22", "changes": changes});
    assert_eq!(proposed["wish"], wish);
    assert_eq!(proposed["own"], args);
    assert_eq!(proposed["proposal"]["notes"]["unmet"], json!(["Musik"]));
    assert!(output.writes.is_empty());
    let tainted = harness.tainted().output(TOOL, args).await;
    let proposed = tainted.choices[0].arguments.as_ref().unwrap();
    assert_eq!((&proposed["wish"], &proposed["own"]), (&wish, &Value::Null));
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
async fn only_what_a_workflow_proposed_is_worked_out_anew() {
    let harness = ToolHarness::at(NOW);
    harness.ask("apr_1", "Send a Slack message", |_| ()).await;
    let args = json!({"proposalId": "apr_1", "changes": {}});
    assert_snapshot!(harness.fails(TOOL, args).await, @"This is no proposal of a workflow. The person changes it on its card.");
}

#[tokio::test]
async fn what_is_over_is_not_changed() {
    let harness = ToolHarness::at(NOW);
    harness
        .propose("apr_1", |approval| approval.status = Status::Edited)
        .await;
    harness.propose("apr_2", |_| ()).await;
    let of = |id: &str| json!({"proposalId": id, "changes": {"noEmail": true}});
    assert_snapshot!(harness.fails(TOOL, of("apr_1")).await, @r#"proposalId: "apr_1" doesn't wait any more: it was decided, replaced or has expired."#);
    let late = harness.later("2026-11-21T13:00:00Z");
    assert_snapshot!(late.fails(TOOL, of("apr_2")).await, @r#"proposalId: "apr_2" doesn't wait any more: it was decided, replaced or has expired."#);
}

#[tokio::test]
async fn a_call_waits_for_the_next_revision_and_a_repeated_call_decides_once() {
    let harness = ToolHarness::at(NOW);
    let edited = |trigger: &str| {
        let trigger = trigger.to_owned();
        move |approval: &mut Approval| {
            approval.status = Status::Edited;
            approval.resolved_at = Some(NOW.parse().unwrap());
            approval.resolved_trigger = Some(trigger);
        }
    };
    harness.propose("apr_1", edited("t1")).await;
    harness.propose("apr_2", edited("run_1:call_1")).await;
    let of = |id: &str| json!({"proposalId": id, "changes": {"noEmail": true}});
    let failed = harness.run(TOOL, of("apr_1")).await.unwrap_err();
    let stops = matches!(failed, ToolError::Stop(Failure::Retry { .. }));
    assert!(stops, "{failed}");
    let again = harness.output(TOOL, of("apr_2")).await;
    assert_eq!(again.data["revision"], 2);
    assert_eq!(again.choices[0].arguments, None);
}
