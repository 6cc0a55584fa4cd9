use alfred_agent::model::Approval;
use alfred_core::Failure;

use crate::testing::*;

const NOW: &str = "2026-11-21T12:00:00Z";
const TOOL: &str = "system_modifyProposal";

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
