use crate::testing::*;

const TOOL: &str = "job_updateJob";

async fn standup() -> (ToolHarness, Value) {
    let harness = ToolHarness::at("2026-11-23T08:00:00Z").zone("Europe/Berlin");
    let args = json!({"say": "Stand-up", "days": ["mon", "wed"], "time": "10:00"});
    let job = harness.ok("job_createJob", args).await["job"].clone();
    (harness, job["jobId"].clone())
}

async fn shown(harness: &ToolHarness) -> String {
    let jobs = harness.ok("job_viewJobs", json!({})).await["jobs"].clone();
    let line = |job: &Value| {
        let fields = ["name", "when", "status", "next"];
        fields
            .map(|field| job[field].as_str().unwrap_or("-").to_owned())
            .join(" | ")
    };
    jobs.as_array().unwrap().iter().map(line).collect()
}

#[tokio::test]
async fn what_is_left_out_stays_and_each_change_is_taken_back() {
    let (harness, id) = standup().await;
    let before = shown(&harness).await;
    let mut lines = vec![before.clone()];
    for change in [
        json!({"time": "09:30"}),
        json!({"days": ["fri"]}),
        json!({"timezone": "Lisbon"}),
        json!({"status": "paused"}),
        json!({"say": "Sit down"}),
        json!({"everyMinutes": 60}),
    ] {
        let mut args = change;
        args["jobId"] = id.clone();
        let output = harness.output(TOOL, args).await;
        lines.push(format!(
            "{} -> {}",
            output.action.unwrap(),
            shown(&harness).await
        ));
        harness.undo(output.receipt.unwrap().undo).await;
        assert_eq!(shown(&harness).await, before);
    }
    assert_snapshot!(lines.join("\n"), @"
Stand-up | every Mon, Wed at 10:00 | active | 2026-11-23 Mon 10:00
Changed “Stand-up”: every Mon, Wed at 09:30 -> Stand-up | every Mon, Wed at 09:30 | active | 2026-11-23 Mon 09:30
Changed “Stand-up”: every Fri at 10:00 -> Stand-up | every Fri at 10:00 | active | 2026-11-27 Fri 10:00
Changed “Stand-up”: every Mon, Wed at 10:00 in Europe/Lisbon -> Stand-up | every Mon, Wed at 10:00 in Europe/Lisbon | active | 2026-11-23 Mon 10:00
Changed “Stand-up”: paused -> Stand-up | every Mon, Wed at 10:00 | paused | -
Changed “Sit down”: name, words -> Sit down | every Mon, Wed at 10:00 | active | 2026-11-23 Mon 10:00
Changed “Stand-up”: every hour -> Stand-up | every hour | active | 2026-11-23 Mon 10:00
");
}

#[tokio::test]
async fn a_paused_one_rests_until_it_is_to_go_on_and_a_deleted_one_comes_back() {
    let (harness, id) = standup().await;
    harness
        .ok(TOOL, json!({"jobId": "stand", "status": "paused"}))
        .await;
    assert_snapshot!(shown(&harness).await, @"Stand-up | every Mon, Wed at 10:00 | paused | -");
    harness
        .ok(TOOL, json!({"jobId": id, "time": "11:00"}))
        .await;
    assert!(shown(&harness).await.contains("| paused | -"));
    harness
        .ok(TOOL, json!({"jobId": id, "status": "active"}))
        .await;
    let deleted = harness.output("job_deleteJob", json!({"jobId": id})).await;
    assert_eq!(shown(&harness).await, "");
    harness.undo(deleted.receipt.unwrap().undo).await;
    assert_snapshot!(shown(&harness).await, @"Stand-up | every Mon, Wed at 11:00 | active | 2026-11-23 Mon 11:00");
}

#[tokio::test]
async fn what_was_changed_since_is_not_taken_back() {
    let (harness, id) = standup().await;
    let output = harness
        .output(TOOL, json!({"jobId": id, "time": "09:30"}))
        .await;
    harness.ok(TOOL, json!({"jobId": id, "say": "Meet"})).await;
    let undo = output.receipt.unwrap().undo.remove(0);
    let mut later = harness.clone();
    later.context.call.left = undo.left;
    assert_snapshot!(later.fails(&undo.tool, undo.arguments).await, @"“Meet” was changed since; I left it.");
}
