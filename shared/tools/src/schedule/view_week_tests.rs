use crate::testing::*;

const TOOL: &str = "schedule_viewWeek";

const NOON: &str = "2026-11-21T12:00:00Z";

async fn block(harness: &ToolHarness, date: &str, start: &str, end: &str) {
    let block = format!("work {start}-{end} {date}");
    harness.block(date, &block).await;
}

#[tokio::test]
async fn a_week_runs_from_monday_to_sunday_with_each_days_sums() {
    let harness = ToolHarness::at("2026-11-15T00:00:00Z");
    for date in ["2026-11-15", "2026-11-16", "2026-11-22", "2026-11-23"] {
        block(&harness, date, "09:00", "13:00").await;
    }
    let harness = harness.later(NOON);
    for date in [json!(null), json!("2026-11-16"), json!("tomorrow")] {
        let week = harness.ok(TOOL, json!({"date": date})).await;
        assert_eq!(week["from"], "2026-11-16");
        assert_eq!(week["to"], "2026-11-22");
        let days = week["days"].as_array().unwrap();
        let counts: Vec<_> = days
            .iter()
            .map(|day| day["blocks"].as_array().unwrap().len())
            .collect();
        assert_eq!(counts, [1, 0, 0, 0, 0, 0, 1]);
        assert_eq!(days[0]["weekday"], "Monday");
        assert_eq!(days[6]["stats"]["utilization"], 50);
    }
}

#[tokio::test]
async fn its_picture_has_seven_days_and_a_days_picture_one() {
    let harness = ToolHarness::at(NOON);
    block(&harness, "friday", "09:00", "10:00").await;
    let week = harness.output(TOOL, json!({"date": "friday"})).await;
    let picture = week.picture.unwrap();
    assert_eq!(picture.days.len(), 7);
    assert_eq!(picture.days[4].bars.len(), 1);
    assert!(picture.days[4].works.is_some() && picture.days[5].works.is_none());
    let day = harness
        .output("schedule_viewSchedule", json!({"date": "friday"}))
        .await;
    assert_eq!(day.picture.unwrap().days, [picture.days[4].clone()]);
}
