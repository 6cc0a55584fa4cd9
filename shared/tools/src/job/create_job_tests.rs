use crate::testing::*;

const TOOL: &str = "job_createJob";

async fn timers(harness: &ToolHarness) -> Vec<String> {
    let mut found = Vec::new();
    for hour in 0..2 {
        let hour = jiff::SignedDuration::from_hours(hour);
        for shard in 0..keys::DUE_SHARDS {
            let bucket = keys::due_partition(harness.context.began + hour, shard);
            let all = alfred_core::ports::Range::All;
            let query = alfred_core::ports::Query::state(bucket, all);
            let items = query.all(&*harness.context.store).await.unwrap();
            found.extend(items.into_iter().map(|item| item.key.range));
        }
    }
    found
}

#[tokio::test]
async fn a_job_has_a_timer_until_it_is_taken_back() {
    let harness = ToolHarness::at("2026-11-23T08:00:00Z");
    for (args, minute) in [
        (json!({"say": "Call Ben", "inMinutes": 20}), 20),
        (json!({"kind": "meetingReminder"}), 2),
    ] {
        let output = harness.output(TOOL, args).await;
        let job = output.data["job"].clone();
        let id = job["jobId"].as_str().unwrap();
        let timer = format!("2026-11-23T08:{minute:02}:00#fire-{id}");
        assert_eq!(timers(&harness).await, [timer]);
        harness.undo(output.receipt.unwrap().undo).await;
        assert!(timers(&harness).await.is_empty());
    }
}

#[tokio::test]
async fn what_guides_later_runs_asks_where_others_words_were_read() {
    let harness = ToolHarness::at("2026-11-23T08:00:00Z");
    assert_eq!(harness.required(TOOL), Requirement::Skip);
    for tool in [TOOL, "job_updateJob", "job_deleteJob"] {
        let required = harness.tainted().required(tool);
        let asks = matches!(required, Requirement::NeedsApproval(_));
        assert!(asks, "{tool}: {required:?}");
    }
}

#[tokio::test]
async fn a_person_has_a_hundred_at_most() {
    let harness = ToolHarness::at("2026-11-23T08:00:00Z");
    let args = json!({"say": "Stretch", "everyMinutes": 5});
    for _ in 0..100 {
        harness.ok(TOOL, args.clone()).await;
    }
    assert_snapshot!(harness.fails(TOOL, args).await, @"there are 100 already, and no more fit. Delete one first.");
}
