use crate::testing::*;

const TOOL: &str = "schedule_analyzeUtilization";

async fn utilization(harness: &ToolHarness) -> Value {
    harness.ok(TOOL, json!({"date": "monday"})).await
}

#[tokio::test]
async fn a_day_and_what_could_be_better() {
    let harness = ToolHarness::at("2026-11-20T08:00:00Z");
    harness.block("monday", "work 09:15-12:15 Write").await;
    harness.block("monday", "break 12:40-13:10 Lunch").await;
    harness.block("monday", "meeting 13:10-16:40 Ana").await;
    let data = utilization(&harness).await;
    assert_eq!(data["utilization"], 88);
    assert_eq!(data["focusTime"], 180);
    // Gaps at both ends of the working day count: 15, 25 and 20.
    assert_eq!(data["fragmentedTime"], 60);
    assert_eq!(
        data["suggestions"],
        json!([
            "More time in meetings (210 minutes) than in focus (180): decline or shorten one.",
            "No time for e-mail is planned: add a block for it.",
        ])
    );
    let theirs = utilization(&harness.asked_by("T2", "U1")).await;
    assert_eq!(theirs["utilization"], 0);
    assert_eq!(theirs["focusTime"], 0);
}

#[tokio::test]
async fn the_working_day_is_the_persons() {
    let harness = ToolHarness::at("2026-11-20T08:00:00Z");
    harness.block("monday", "work 07:20-17:00 Write").await;
    assert_eq!(utilization(&harness).await["fragmentedTime"], 0);
    harness
        .register("U1", |user| {
            user.preferences.day.work_start_time = "7am".into()
        })
        .await;
    assert_eq!(utilization(&harness).await["fragmentedTime"], 20);
}
