use crate::testing::*;

const TOOL: &str = "job_createJob";

#[tokio::test]
async fn a_person_has_a_hundred_at_most() {
    let harness = ToolHarness::at("2026-11-23T08:00:00Z");
    let args = json!({"say": "Stretch", "everyMinutes": 5});
    for _ in 0..100 {
        harness.ok(TOOL, args.clone()).await;
    }
    assert_snapshot!(harness.fails(TOOL, args).await, @"there are 100 already, and no more fit. Delete one first.");
}
