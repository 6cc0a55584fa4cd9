use crate::testing::*;

#[tokio::test]
async fn a_wrong_index_gives_nothing_away() {
    let harness = ToolHarness::at("2026-11-21T12:00:00Z");
    harness.ask("apr_1", "Mine", |_| ()).await;
    let other = harness.asked_by("T1", "U2");
    let index = keys::pending(&"T1".into(), &"U2".into(), &"apr_1".into());
    harness.put(Write::put(index, None, json!({}))).await;
    assert_eq!(other.ok("approval_list", json!({})).await["total"], 0);
}
