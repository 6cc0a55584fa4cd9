use crate::testing::*;

const TOOL: &str = "job_createJob";

/// Monday, 09:00 in Berlin.
fn monday() -> ToolHarness {
    ToolHarness::at("2026-11-23T08:00:00Z").zone("Europe/Berlin")
}

async fn timers(harness: &ToolHarness) -> Vec<String> {
    let mut found = Vec::new();
    for hour in 0..48 {
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
async fn a_reminder_has_a_row_a_timer_and_a_receipt_that_can_be_taken_back() {
    let harness = monday();
    let args = json!({"say": "Call Ben", "inMinutes": 20});
    let output = harness.output(TOOL, args).await;
    let action = output.action.as_deref();
    assert_eq!(action, Some("Reminder set: “Call Ben”, Mon 23 Nov 09:20"));
    assert_eq!(output.data["job"]["next"], "2026-11-23 Mon 09:20");
    let id = output.data["job"]["jobId"].as_str().unwrap().to_owned();
    assert!(id.starts_with("sch_"), "{id}");
    assert_eq!(
        timers(&harness).await,
        [format!("2026-11-23T08:20:00#fire-{id}")]
    );
    harness.undo(output.receipt.unwrap().undo).await;
    assert!(timers(&harness).await.is_empty());
    assert_eq!(harness.ok("job_viewJobs", json!({})).await["total"], 0);
}

#[tokio::test]
async fn the_card_has_its_name_when_and_the_whole_request() {
    let args = json!({
        "request": "Tell me which mails wait.\nOnly new ones.", "name": "Mail",
        "days": ["mon", "tue", "wed", "thu", "fri"], "time": "08:00", "timezone": "Tokyo",
    });
    assert_snapshot!(monday().card(TOOL, args).await, @"
Schedule a job
Name: Mail
When: every weekday at 08:00 in Asia/Tokyo

Tell me which mails wait.
Only new ones.
");
}

#[tokio::test]
async fn what_guides_later_runs_asks_where_others_words_were_read() {
    let harness = monday();
    assert_eq!(harness.required(TOOL), Requirement::Skip);
    for tool in [TOOL, "job_updateJob", "job_deleteJob"] {
        let required = harness.tainted().required(tool);
        assert!(
            matches!(required, Requirement::NeedsApproval(_)),
            "{tool}: {required:?}"
        );
    }
    let list = async || harness.output("job_viewJobs", json!({})).await.flow;
    harness
        .ok(TOOL, json!({"say": "Mine", "time": "10:00"}))
        .await;
    assert_eq!(list().await, Some(Flow::PRIVATE));
    harness
        .tainted()
        .ok(TOOL, json!({"say": "Theirs", "time": "10:00"}))
        .await;
    assert_eq!(list().await, Some(Flow::UNKNOWN));
}

#[tokio::test]
async fn a_person_has_a_hundred_at_most_and_only_their_own() {
    let harness = monday();
    for _ in 0..100 {
        harness
            .ok(TOOL, json!({"say": "Stretch", "everyMinutes": 5}))
            .await;
    }
    let more = harness
        .fails(TOOL, json!({"say": "Stretch", "everyMinutes": 5}))
        .await;
    assert_snapshot!(more, @"there are 100 already, and no more fit. Delete one first.");
    for stranger in harness.strangers() {
        assert_eq!(stranger.ok("job_viewJobs", json!({})).await["total"], 0);
    }
}

#[tokio::test]
async fn what_reminds_before_meetings_goes_by_the_calendar_alone() {
    let harness = monday();
    let output = harness
        .output(TOOL, json!({"kind": "meetingReminder"}))
        .await;
    let action = output.action.as_deref();
    assert_eq!(
        action,
        Some("Scheduled “Meeting reminders”, 10 minutes before each meeting with others")
    );
    let job = &output.data["job"];
    assert_eq!(job.get("next"), None, "its looks are nobody's business");
    let id = job["jobId"].as_str().unwrap().to_owned();
    assert_eq!(
        timers(&harness).await,
        [format!("2026-11-23T08:02:00#fire-{id}")]
    );
    let changed = |job: Value| harness.output("job_updateJob", job);
    let renamed = changed(json!({"jobId": id, "name": "Before meetings"})).await;
    harness.undo(renamed.receipt.unwrap().undo).await;
    let jobs = harness.ok("job_viewJobs", json!({})).await;
    assert_eq!(jobs["jobs"][0]["name"], "Meeting reminders");
    let args = json!({"kind": "meetingReminder", "minutesBefore": 30, "alone": true});
    let card = harness.card(TOOL, args).await;
    assert!(
        card.contains("When: 30 minutes before each event"),
        "{card}"
    );
}
