use crate::testing::Bench;
use alfred_agent::tool::Flow;
use serde_json::{Value, json};

const NOW: &str = "2026-11-21T12:00:00Z";

async fn history(bench: &Bench, args: Value) -> Value {
    bench.ok("system_showWorkflowHistory", args).await
}

fn ids(data: &Value) -> Vec<&str> {
    let all = data["workflows"].as_array().unwrap();
    all.iter().map(|one| one["id"].as_str().unwrap()).collect()
}

/// Twelve plans, a day each from the 1st on, then a triage of which something failed.
async fn world() -> Bench {
    let bench = Bench::at("2026-10-25T08:00:00Z");
    for n in 0..12 {
        let at = format!("2026-10-{:02}T08:00:00Z", 20 + n);
        let bench = bench.later(&at);
        bench
            .executed("workflow_schedule", &format!("run_{n}"), |one| {
                one.changes =
                    json!({"blocks": [{"title": "Secret"}, {}], "planned": 1, "moved": 0});
            })
            .await;
    }
    let bench = bench.later(NOW);
    bench
        .executed("workflow_fillEmailBlock", "run_mail", |one| {
            one.status = "partial".into();
            one.outcome = "Archived 1 mails; 1 could not be archived.".into();
            one.changes = json!({"archived": 1, "failed": ["m2"]});
        })
        .await;
    bench
}

#[tokio::test]
async fn newest_first_ten_of_them_with_what_each_changed() {
    let bench = world().await;
    let data = history(&bench, json!({})).await;
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
    let bench = world().await;
    assert_eq!(
        ids(&history(&bench, json!({"workflowType": "fillEmail"})).await),
        ["run_mail"]
    );
    let two = history(
        &bench,
        json!({"workflowType": "workflow_schedule", "limit": 2}),
    )
    .await;
    assert_eq!(ids(&two), ["run_11", "run_10"]);
    assert_eq!(two["total"], 12);
    assert!(ids(&history(&bench, json!({"workflowType": "other"})).await).is_empty());
    for limit in [0, 101, -1] {
        let error = bench
            .fails("system_showWorkflowHistory", json!({ "limit": limit }))
            .await;
        assert_eq!(
            error,
            format!("limit: \"{limit}\" is out of range: 1 to 100.")
        );
    }
}

#[tokio::test]
async fn titles_stand_in_the_details_alone_and_taint() {
    let bench = world().await;
    let plain = bench.output("system_showWorkflowHistory", json!({})).await;
    assert!(
        !serde_json::to_string(&plain.data)
            .unwrap()
            .contains("Secret")
    );
    assert_eq!(plain.flow, Some(Flow::PRIVATE));
    let args = json!({"includeDetails": true});
    let whole = bench.output("system_showWorkflowHistory", args).await;
    assert_eq!(
        whole.data["workflows"][1]["details"]["blocks"][0]["title"],
        "Secret"
    );
    assert_eq!(whole.flow, Some(Flow::UNKNOWN));
}

#[tokio::test]
async fn nobody_elses() {
    let bench = world().await;
    for (team, user) in [("T1", "U2"), ("T2", "U1")] {
        let data = history(&bench.asked_by(team, user), json!({})).await;
        assert_eq!(data, json!({"total": 0, "workflows": []}));
    }
}
