use crate::testing::*;

const TOOL: &str = "schedule_findGaps";

fn args(date: &str, least: i64) -> Value {
    json!({"date": date, "minDuration": least})
}

fn shown(data: &Value) -> Vec<String> {
    let line = |gap: &Value| {
        let text = |field: &str| gap[field].as_str().unwrap().to_owned();
        format!(
            "{}-{} {}",
            text("startTime"),
            text("endTime"),
            gap["duration"]
        )
    };
    data["gaps"].as_array().unwrap().iter().map(line).collect()
}

#[tokio::test]
async fn blocks_and_meetings_are_one_day() {
    let harness = ToolHarness::at("2026-11-20T08:00:00Z").events(vec![event(
        "e1",
        "Ana",
        "2026-11-23T11:00:00Z",
        "2026-11-23T12:00:00Z",
    )]);
    harness.block("monday", "work 09:30-11:30 Write").await;
    harness.block("monday", "break 10:00-10:10 Tea").await;
    harness.block("monday", "email 12:20-16:00 Mail").await;
    let found = harness.output(TOOL, args("monday", 30)).await;
    let data = Value::Object(found.data);
    assert_eq!(shown(&data), ["09:00-09:30 30", "16:00-17:00 60"]);
    assert_eq!(data["totalAvailableMinutes"], 90);
    assert_eq!(data["between"], json!({"start": "09:00", "end": "17:00"}));
    assert_eq!(found.flow, None);
    let data = harness.ok(TOOL, args("monday", 15)).await;
    assert_eq!(
        shown(&data),
        ["09:00-09:30 30", "12:00-12:20 20", "16:00-17:00 60"]
    );
    let data = harness
        .asked_by("T1", "U2")
        .ok(TOOL, args("monday", 15))
        .await;
    assert_eq!(shown(&data), ["09:00-17:00 480"]);
}

#[tokio::test]
async fn between_widens_it_and_the_working_hours_are_the_persons() {
    let harness = ToolHarness::at("2026-11-20T08:00:00Z");
    let mut wide = args("monday", 15);
    wide["between"] = json!({"start": "8pm", "end": "24:00"});
    assert_eq!(shown(&harness.ok(TOOL, wide).await), ["20:00-24:00 240"]);
    let late = |user: &mut alfred_core::User| {
        user.preferences.day.work_start_time = "11:00".into();
        user.preferences.day.work_end_time = "12:00".into();
    };
    harness.register("U1", late).await;
    let data = harness.ok(TOOL, args("monday", 15)).await;
    assert_eq!(shown(&data), ["11:00-12:00 60"]);
    harness
        .change("U1", |user| user.preferences.day.work_end_time = "9".into())
        .await;
    assert_snapshot!(harness.fails(TOOL, args("monday", 15)).await, @r#"A preference can't be used. workEndTime: "9" could be morning or evening. A time such as 14:00, 9am, 2:30 pm or noon would do. preference_updatePreferences changes it."#);
}

#[tokio::test]
async fn of_today_only_what_is_to_come() {
    for (now, lines) in [
        ("2026-11-20T08:00:00Z", vec!["09:00-17:00 480"]),
        ("2026-11-20T15:10:30Z", vec!["15:11-17:00 109"]),
        ("2026-11-20T16:50:00Z", vec![]),
        ("2026-11-20T18:00:00Z", vec![]),
        ("2026-11-20T23:59:30Z", vec![]),
    ] {
        let data = ToolHarness::at(now).ok(TOOL, args("today", 15)).await;
        assert_eq!(shown(&data), lines, "{now}");
    }
}

#[tokio::test]
async fn across_a_clock_change_minutes_are_those_that_pass() {
    let harness = ToolHarness::at("2026-03-20T08:00:00Z").zone("Europe/Berlin");
    let mut night = args("2026-03-29", 15);
    night["between"] = json!({"start": "00:00", "end": "05:00"});
    assert_eq!(shown(&harness.ok(TOOL, night).await), ["00:00-05:00 240"]);
}
