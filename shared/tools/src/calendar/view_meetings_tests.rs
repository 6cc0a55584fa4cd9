use crate::testing::*;
use insta::assert_json_snapshot;

const TOOL: &str = "calendar_viewMeetings";

/// Ana's Friday and the following days. Ben, in New York, is busy at three.
async fn week() -> ToolHarness {
    let at =
        |from: &str, to: &str| span(&format!("2026-11-20T{from}"), &format!("2026-11-20T{to}"));
    let mut fair = own("fair", "Fair", at("00:00", "01:00"), &[]);
    let day = "2026-11-21".parse().unwrap();
    (fair.time, fair.busy) = (
        EventTime::AllDay {
            first: day,
            last: day,
        },
        false,
    );
    let mut events = weekly(&invitation("sync", "Sync", at("14:00", "14:30")));
    events.push(own(
        "e1",
        "Review",
        at("16:00", "17:00"),
        &["ben@example.com"],
    ));
    events.push(own("e0", "Over", at("08:00", "08:30"), &[]));
    events.push(fair);
    let (harness, _) = office(events, vec![at("15:00", "15:30")]).await;
    harness.lives_in("U2", "America/New_York").await;
    harness
}

#[tokio::test]
async fn ones_own_come_in_order_with_people_and_answers() {
    let harness = week().await;
    let found = harness.ok(TOOL, json!({})).await;
    let (from, until) = (&found["from"], &found["until"]);
    assert_eq!(
        (from, until),
        (&json!("2026-11-20 09:00"), &json!("2026-11-27 09:00"))
    );
    assert_snapshot!(lines(&found["meetings"]), @r#"
    {"answer":"unanswered","attendees":["ana@example.com"],"date":"2026-11-20","duration":30,"endTime":"14:30","eventId":"sync/0","organizer":"Ben Okafor <ben@example.com>","seriesId":"sync","startTime":"14:00","title":"Sync","weekday":"Friday"}
    {"attendees":["ben@example.com (accepted)"],"date":"2026-11-20","duration":60,"endTime":"17:00","eventId":"e1","startTime":"16:00","title":"Review","weekday":"Friday"}
    {"allDay":true,"attendees":[],"date":"2026-11-21","duration":1440,"endTime":"00:00","eventId":"fair","startTime":"00:00","title":"Fair","weekday":"Saturday"}
    "#);
    let titles = |found: &Value| {
        let meetings = found["meetings"].as_array().unwrap().iter();
        meetings
            .map(|one| one["title"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    for (args, expected) in [
        (json!({"from": "today"}), "Over Sync Review"),
        (json!({"from": "15:00"}), ""),
        (json!({"from": "15:00", "until": "18:00"}), "Review"),
        (
            json!({"from": "saturday", "until": "2026-12-04"}),
            "Fair Sync Sync",
        ),
        (json!({"person": "@ana", "from": "tomorrow"}), "Fair"),
    ] {
        let found = harness.ok(TOOL, args.clone()).await;
        assert_eq!(titles(&found).join(" "), expected, "{args}");
    }
}

#[tokio::test]
async fn of_others_it_is_told_when_they_are_busy_on_both_clocks() {
    let harness = week().await;
    let at_three = json!({"person": "Ben", "from": "15:00"});
    assert_json_snapshot!(harness.ok(TOOL, at_three).await, @r#"
{
  "busy": [
    {
      "date": "2026-11-20",
      "endTime": "15:30",
      "startTime": "15:00",
      "there": [
        "Ben Okafor: Fri 09:00 (America/New_York)"
      ],
      "weekday": "Friday"
    }
  ],
  "free": false,
  "from": "2026-11-20 15:00",
  "person": "Ben Okafor <ben@example.com>",
  "shared": true,
  "there": [
    "Ben Okafor: Fri 09:00 (America/New_York)"
  ],
  "until": "2026-11-20 15:30"
}
"#);
    for (from, free) in [
        ("14:00", true),
        ("15:15", false),
        ("15:30", true),
        ("today", false),
    ] {
        let found = harness
            .ok(TOOL, json!({"person": "@ben", "from": from}))
            .await;
        assert_eq!(found["free"], free, "{from}");
    }
    let night = harness
        .ok(TOOL, json!({"person": "@ben", "from": "11:00"}))
        .await;
    assert_snapshot!(night["note"], @r#""outside 08:00–19:00 on a weekday for Ben Okafor: Fri 05:00 (America/New_York)""#);
}

#[tokio::test]
async fn a_calendar_that_isnt_shared_is_never_guessed() {
    let harness = week().await;
    let hidden = harness
        .ok(TOOL, json!({"person": "Chiyo", "from": "15:00"}))
        .await;
    assert_json_snapshot!(hidden, @r#"
{
  "busy": [],
  "from": "2026-11-20 15:00",
  "note": "Chiyo Tanaka doesn't share a calendar with you, so nobody can tell from here when they are free.",
  "person": "Chiyo Tanaka <chiyo@example.com>",
  "shared": false,
  "until": "2026-11-20 15:30"
}
"#);
    let stranger = json!({"person": "out@side.example", "from": "15:00"});
    let stranger = harness.ok(TOOL, stranger).await;
    assert_eq!(
        (&stranger["shared"], &stranger["free"]),
        (&json!(false), &Value::Null)
    );
}

#[tokio::test]
async fn what_cant_be_looked_at_is_said() {
    let harness = week().await;
    harness.person("U4", "roth", "Ben Roth").await;
    let cases = [
        json!({"person": "Ben", "from": "15:00"}),
        json!({"person": "Nobody"}),
        json!({"from": "24:00"}),
        json!({"from": "2027-03-28T02:30"}),
        json!({"from": "someday"}),
        json!({"from": "15:00", "until": "14:00"}),
        json!({"until": "2027-06-01"}),
    ];
    assert_snapshot!(harness.refusals(TOOL, cases).await, @r#"
person: "Ben" is not clear, two match: @ben (U2), @roth (U4). Give the id. | “Ben” could mean two things: @ben, @roth. Which one do you mean?
person: "Nobody" is nobody Alfred knows. An e-mail address or an @handle would do. user_lookup finds people. | “Nobody” is nobody Alfred knows. An e-mail address or an @handle would do.
from: "24:00" can only be the end of something; the start of the day is 00:00. | “24:00” can only be the end of something; the start of the day is 00:00.
from: "2027-03-28T02:30" does not exist in Europe/Berlin: clocks go from 02:00 to 03:00. | “2027-03-28T02:30” does not exist in Europe/Berlin: clocks go from 02:00 to 03:00.
from: "someday" is no time. A time such as 14:00, 9am, 2:30 pm or noon would do. | “someday” is no time. A time such as 14:00, 9am, 2:30 pm or noon would do.
until: "14:00" isn't after the beginning. | “14:00” isn't after the beginning.
until: "2027-06-01" is more than two months after the beginning. | “2027-06-01” is more than two months after the beginning.
"#);
    let nobody = harness.asked_by("T1", "U2").fails(TOOL, json!({})).await;
    assert_snapshot!(nobody, @"That needs your calendar, and you haven't connected one yet.");
}

#[tokio::test]
async fn what_is_left_out_is_counted() {
    let many = (0..40).map(|n| {
        let day = span("2026-11-21T10:00", "2026-11-21T11:00");
        own(&format!("e{n}"), "Many", day, &[])
    });
    let (harness, calendar) = office(many.collect(), vec![]).await;
    let broken = Unreadable {
        name: "x.ics".into(),
        reason: "The event can't be read.".into(),
    };
    calendar.spoil(&harness.context.account(), broken);
    let found = harness.ok(TOOL, json!({})).await;
    assert_eq!(found["meetings"].as_array().unwrap().len(), 30);
    assert_eq!(found["more"], 10);
    assert_snapshot!(found["note"], @r#""One entry of the calendar could not be read and is missing here.""#);
}
