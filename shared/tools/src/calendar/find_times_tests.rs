use crate::testing::*;
use insta::assert_json_snapshot;

const TOOL: &str = "calendar_findTimes";

/// On Friday, Ana is busy until ten and Ben until eleven. Chiyo is in Tokyo and doesn't share her calendar.
async fn people() -> ToolHarness {
    let ana = alone("e1", "Own", ["2026-11-20T09:00", "2026-11-20T10:00"]);
    let ben = span("2026-11-20T09:00", "2026-11-20T11:00");
    let (harness, _) = office(vec![ana], vec![ben]).await;
    harness.lives_in("U3", "Asia/Tokyo").await;
    harness
}

#[tokio::test]
async fn three_times_with_what_speaks_against_each_and_nothing_is_booked() {
    let harness = people().await;
    let found = harness
        .output(TOOL, json!({"attendees": ["@ben"], "from": "today"}))
        .await;
    assert!(found.receipt.is_none() && found.writes.is_empty());
    let times = json!(found.data["times"]);
    assert_json_snapshot!(times, @r#"
[
  {
    "date": "2026-11-20",
    "endTime": "11:30",
    "startTime": "11:00",
    "weekday": "Friday"
  },
  {
    "date": "2026-11-20",
    "endTime": "13:30",
    "startTime": "13:00",
    "weekday": "Friday"
  },
  {
    "date": "2026-11-20",
    "endTime": "15:30",
    "startTime": "15:00",
    "weekday": "Friday"
  }
]
"#);
    // It is already evening in Tokyo when Ben becomes free.
    let both = json!({"attendees": ["@ben", "@chiyo"], "duration": 60, "until": "today"});
    let found = harness.ok(TOOL, both).await;
    assert_eq!(found["notChecked"], json!(["chiyo@example.com"]));
    assert_snapshot!(lines(&found["times"]), @r#"
    {"against":["outside 08:00–19:00 on a weekday for Chiyo Tanaka: Fri 19:00 (Asia/Tokyo)"],"date":"2026-11-20","endTime":"12:00","startTime":"11:00","there":["Chiyo Tanaka: Fri 19:00 (Asia/Tokyo)"],"weekday":"Friday"}
    {"against":["outside 08:00–19:00 on a weekday for Chiyo Tanaka: Fri 21:00 (Asia/Tokyo)"],"date":"2026-11-20","endTime":"14:00","startTime":"13:00","there":["Chiyo Tanaka: Fri 21:00 (Asia/Tokyo)"],"weekday":"Friday"}
    {"against":["outside 08:00–19:00 on a weekday for Chiyo Tanaka: Fri 23:00 (Asia/Tokyo)"],"date":"2026-11-20","endTime":"16:00","startTime":"15:00","there":["Chiyo Tanaka: Fri 23:00 (Asia/Tokyo)"],"weekday":"Friday"}
    "#);
}

#[tokio::test]
async fn fewer_are_honestly_fewer_and_bad_days_are_named() {
    let harness = people().await;
    let long = json!({"attendees": ["@ben"], "duration": 240, "until": "today"});
    let found = harness.ok(TOOL, long).await;
    assert_eq!(found["times"].as_array().unwrap().len(), 1);
    assert_snapshot!(found["note"], @r#""Only this one is free for everybody within these days.""#);
    let cases = [
        json!({"attendees": ["@ben"], "from": "2026-11-19"}),
        json!({"attendees": ["@ben"], "from": "2026-11-26", "until": "2026-11-25"}),
        json!({"attendees": ["@ben"], "from": "2026-02-30"}),
        json!({"attendees": ["@ben"], "duration": 0}),
        json!({"attendees": ["Nobody"]}),
    ];
    assert_snapshot!(harness.refusals(TOOL, cases).await, @r#"
from: "2026-11-19" is past: 2026-11-19. | “2026-11-19” is past: 2026-11-19.
until: "2026-11-25" is before the first day, 2026-11-26. | “2026-11-25” is before the first day, 2026-11-26.
from: "2026-02-30" does not exist: February 2026 has 28 days. | “2026-02-30” does not exist: February 2026 has 28 days.
duration: "0" is out of range: 5 to 480. | Duration: “0” is out of range: 5 to 480.
attendees: "Nobody" is nobody Alfred knows. An e-mail address or an @handle would do. user_lookup finds people. | “Nobody” is nobody Alfred knows. An e-mail address or an @handle would do.
"#);
    let weekend = json!({"attendees": ["@ben"], "from": "2026-11-21", "until": "2026-11-22"});
    assert_snapshot!(harness.ok(TOOL, weekend).await["note"], @r#""No time within these days and your working hours is free for everybody.""#);
}
