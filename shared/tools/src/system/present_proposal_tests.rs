use crate::testing::*;

const NOW: &str = "2026-11-21T12:00:00Z";
const TOOL: &str = "system_presentProposal";

#[tokio::test]
async fn the_whole_of_it_with_its_parts() {
    let harness = ToolHarness::at(NOW);
    harness.propose("apr_1", |_| ()).await;
    let output = harness.output(TOOL, json!({})).await;
    let data = &output.data;
    assert_eq!(data["proposalId"], "apr_1");
    assert_eq!(data["revision"], 1);
    assert_eq!(data["title"], "Plan Sunday, 22 November");
    assert_eq!(data["status"], "pending");
    assert_snapshot!(data["text"].as_str().unwrap(), @"
Plan Sunday, 22 November

09:00–10:00  Focus
10:00–10:30  Mail
");
    assert_eq!(
        data["items"],
        json!(["09:00–10:00 Focus", "10:00–10:30 Mail"])
    );
    assert_eq!(output.flow, Some(Flow::UNKNOWN));
    assert!(output.choices.is_empty());
}

#[tokio::test]
async fn what_is_decided_or_expired_is_shown_as_that() {
    let harness = ToolHarness::at(NOW);
    harness
        .propose("apr_1", |approval| approval.status = Status::Approved)
        .await;
    harness.propose("apr_2", |_| ()).await;
    let late = harness.later("2026-11-21T13:00:00Z");
    for (id, status) in [("apr_1", "approved"), ("apr_2", "expired")] {
        let data = late.ok(TOOL, json!({"proposalId": id})).await;
        assert_eq!(data["status"], status);
    }
    let error = late.fails(TOOL, json!({})).await;
    assert_eq!(error, "proposalId: nothing waits.");
}
