use crate::testing::*;

const NOW: &str = "2026-11-21T12:00:00Z";
const TOOL: &str = "system_showWorkflowHistory";

async fn history(harness: &ToolHarness, args: Value) -> Value {
    harness.ok(TOOL, args).await
}

fn ids(data: &Value) -> Vec<&str> {
    each(&data["workflows"], "id")
}

/// Twelve plans on consecutive days, then a triage that failed in part.
async fn world() -> ToolHarness {
    let harness = ToolHarness::at("2026-10-25T08:00:00Z");
    for n in 0..12 {
        let at = format!("2026-10-{:02}T08:00:00Z", 20 + n);
        let harness = harness.later(&at);
        harness
            .executed("workflow_schedule", &format!("run_{n}"), |one| {
                one.changes =
                    json!({"blocks": [{"title": "Secret"}, {}], "planned": 1, "moved": 0});
            })
            .await;
    }
    let harness = harness.later(NOW);
    harness
        .executed("workflow_fillEmailBlock", "run_mail", |one| {
            one.status = "partial".into();
            one.outcome = "Archived 1 mails; 1 could not be archived.".into();
            one.changes = json!({"archived": 1, "failed": ["m2"]});
        })
        .await;
    harness
}

#[tokio::test]
async fn newest_first_ten_of_them_with_what_each_changed() {
    let harness = world().await;
    let data = history(&harness, json!({})).await;
    assert_eq!(ids(&data).len(), 10);
    assert_eq!(
        &ids(&data)[..2],
        ["run_mail", "run_11"],
        "across the months"
    );
    assert_eq!(data["total"], 13);
    assert_eq!(
        data["workflows"][0],
        json!({
            "id": "run_mail", "type": "workflow_fillEmailBlock", "executedAt": "2026-11-21T12:00:00Z",
            "status": "partial", "changes": ["1 mail archived", "1 part not done"],
            "outcome": "Archived 1 mails; 1 could not be archived.",
        })
    );
    assert_eq!(
        data["workflows"][1]["changes"],
        json!(["2 blocks created", "1 task planned"])
    );
}

#[tokio::test]
async fn by_type_and_number() {
    let harness = world().await;
    assert_eq!(
        ids(&history(&harness, json!({"workflowType": "fillEmail"})).await),
        ["run_mail"]
    );
    let two = history(
        &harness,
        json!({"workflowType": "workflow_schedule", "limit": 2}),
    )
    .await;
    assert_eq!(ids(&two), ["run_11", "run_10"]);
    assert_eq!(two["total"], 12);
    assert!(ids(&history(&harness, json!({"workflowType": "other"})).await).is_empty());
    for limit in [0, 101, -1] {
        let error = harness.fails(TOOL, json!({ "limit": limit })).await;
        assert_eq!(
            error,
            format!("limit: \"{limit}\" is out of range: 1 to 100.")
        );
    }
}

#[tokio::test]
async fn titles_stand_in_the_details_alone_and_taint() {
    let harness = world().await;
    let plain = harness.output(TOOL, json!({})).await;
    assert!(
        !serde_json::to_string(&plain.data)
            .unwrap()
            .contains("Secret")
    );
    assert_eq!(plain.flow, Some(Flow::PRIVATE));
    let args = json!({"includeDetails": true});
    let whole = harness.output(TOOL, args).await;
    assert_eq!(
        whole.data["workflows"][1]["details"]["blocks"][0]["title"],
        "Secret"
    );
    assert_eq!(whole.flow, Some(Flow::UNKNOWN));
}
