use crate::testing::*;

const NOW: &str = "2026-11-21T12:00:00Z";
const TOOL: &str = "system_awaitConfirmation";

#[tokio::test]
async fn its_state_and_whether_it_is_confirmed() {
    let harness = ToolHarness::at(NOW);
    for (id, stored, shown, confirmed) in [
        ("apr_1", Status::Pending, "pending", false),
        ("apr_2", Status::Approved, "approved", true),
        ("apr_3", Status::Rejected, "rejected", false),
        ("apr_4", Status::Edited, "edited", false),
        ("apr_5", Status::Expired, "expired", false),
        ("apr_6", Status::Error, "error", false),
        ("apr_7", Status::CalledOff, "called_off", false),
    ] {
        harness
            .propose(id, |approval| approval.status = stored)
            .await;
        let data = harness.ok(TOOL, json!({"proposalId": id})).await;
        assert_eq!(data["proposal"]["status"], shown);
        assert_eq!(data["confirmed"], confirmed);
        assert_eq!(data["proposal"]["approvalId"], id);
    }
    // Without an id it finds the pending one.
    let data = harness.ok(TOOL, json!({})).await;
    assert_eq!(data["proposal"]["approvalId"], "apr_1");
}

#[tokio::test]
async fn what_nobody_decided_in_time_has_expired_swept_or_not() {
    let harness = ToolHarness::at(NOW);
    harness.propose("apr_1", |_| ()).await;
    let late = harness.later("2026-11-21T13:00:00Z");
    let data = late.ok(TOOL, json!({"proposalId": "apr_1"})).await;
    assert_eq!(data["proposal"]["status"], "expired");
    assert_eq!(data["confirmed"], false);
}

#[tokio::test]
async fn it_taints_where_others_shaped_it() {
    let harness = ToolHarness::at(NOW);
    harness.propose("apr_1", |_| ()).await;
    harness
        .propose("apr_2", |approval| {
            approval.taint.untrusted.insert("email_getBacklog".into());
        })
        .await;
    let of = |id: &str| json!({ "proposalId": id });
    let flow = async |id: &str| harness.output(TOOL, of(id)).await.flow;
    assert_eq!(flow("apr_1").await, Some(Flow::PRIVATE));
    assert_eq!(flow("apr_2").await, Some(Flow::UNKNOWN));
    assert_snapshot!(harness.fails(TOOL, of("blk_1")).await, @r#"proposalId: "blk_1" is no id. One begins with apr_."#);
}
