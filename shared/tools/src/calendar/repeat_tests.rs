use crate::testing::*;

const TOOL: &str = "calendar_scheduleMeeting";

fn weekly(rule: &str, start: &str) -> Value {
    json!({"attendees": ["@ben"], "title": "Sync", "preferredTimes": [start], "repeat": rule})
}

#[tokio::test]
async fn a_series_says_how_it_repeats_and_what_it_meets() {
    let taken = alone("e1", "Fair", ["2026-12-07T09:00", "2026-12-07T12:00"]);
    let ben = span("2026-12-21T10:15", "2026-12-21T10:30");
    let (harness, calendar) = office(vec![taken], vec![ben]).await;
    let args = weekly("FREQ=WEEKLY;BYDAY=MO;COUNT=6", "2026-11-23T10:00");
    let card = harness.card(TOOL, args.clone()).await;
    assert_snapshot!(card, @"
Schedule a meeting
With: Ben Okafor <ben@example.com>
Title: Sync
When: Monday 2026-11-23, 10:00–10:30 (Europe/Berlin)
Minutes: 30
Repeats: every week on Monday, 6 times
Looked ahead: of the 6 dates until 2026-12-28 taken: 2026-12-07, 2026-12-21
");
    let output = harness.output(TOOL, args.clone()).await;
    assert_snapshot!(output.receipt.unwrap().what, @r#"Scheduled "Sync" for Monday 2026-11-23, 10:00–10:30 (Europe/Berlin), every week on Monday, 6 times, invited ben@example.com"#);
    assert_eq!(
        calendar.told(&harness.context.account()).len(),
        1,
        "one invitation"
    );
    let found = harness
        .ok(
            "calendar_viewMeetings",
            json!({"from": "2026-11-23", "until": "2027-01-15"}),
        )
        .await;
    let starts = found["meetings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["title"] == "Sync");
    let dates: Vec<&str> = starts.map(|one| one["date"].as_str().unwrap()).collect();
    assert_snapshot!(dates.join(" "), @"2026-11-23 2026-11-30 2026-12-07 2026-12-14 2026-12-21 2026-12-28");
    let settled = harness.settle(TOOL, args).await.unwrap();
    let alfred_agent::tool::Settled::Done(found) = settled else {
        panic!("it was created");
    };
    assert!(
        found
            .receipt
            .unwrap()
            .what
            .contains("every week on Monday, 6 times")
    );
}

#[tokio::test]
async fn without_a_time_it_begins_on_a_day_of_its_rule() {
    let (harness, _) = office(vec![], vec![]).await;
    let args = json!({"attendees": ["@ben"], "repeat": "FREQ=WEEKLY;INTERVAL=2;BYDAY=WE,TH"});
    let card = harness.card(TOOL, args).await;
    assert_snapshot!(card, @"
Schedule a meeting
With: Ben Okafor <ben@example.com>
Title: Meeting with Ben Okafor
When: Wednesday 2026-11-25, 09:00–09:30 (Europe/Berlin)
Minutes: 30
Repeats: every 2 weeks on Wednesday and Thursday, without an end
Looked ahead: nobody is known to be busy on the 8 dates until 2027-01-07
");
}

#[tokio::test]
async fn a_later_date_at_night_for_somebody_is_said() {
    let (harness, _) = office(vec![], vec![]).await;
    harness.lives_in("U2", "America/New_York").await;
    let harness = harness.later("2027-02-26T08:00:00Z");
    // Clocks in America go forward two weeks before those in Europe.
    let mut args = weekly("FREQ=WEEKLY", "2027-03-05T23:30");
    args["duration"] = json!(60);
    let card = harness.card(TOOL, args).await;
    assert_snapshot!(card, @"
Schedule a meeting
With: Ben Okafor <ben@example.com>
Title: Sync
When: Friday 2027-03-05, 23:30–2027-03-06 00:30 (Europe/Berlin)
Minutes: 60
For them: Ben Okafor: Fri 17:30 (America/New_York)
Repeats: every week, without an end
Looked ahead: nobody is known to be busy on the 9 dates until 2027-04-30
Note: from 2027-03-19 on outside 08:00–19:00 on a weekday for Ben Okafor: Fri 18:30 (America/New_York)
");
}

#[tokio::test]
async fn what_is_no_rule_is_named() {
    let (harness, calendar) = office(vec![], vec![]).await;
    let cases = [
        weekly("every monday", "2026-11-23T10:00"),
        weekly("FREQ=YEARLY", "2026-11-23T10:00"),
        weekly("FREQ=WEEKLY;BYDAY=MO", "2026-11-24T10:00"),
        weekly("FREQ=DAILY;UNTIL=20261101", "2026-11-24T10:00"),
        weekly("FREQ=DAILY;COUNT=2;UNTIL=20261201", "2026-11-24T10:00"),
        weekly("BYDAY=MO", "2026-11-23T10:00"),
        weekly("FREQ=MONTHLY;BYDAY=MO", "2026-11-23T10:00"),
    ];
    assert_snapshot!(harness.refusals(TOOL, cases).await, @r#"
repeat: "every monday" has “EVERY MONDAY”, which isn't FREQ=DAILY, WEEKLY or MONTHLY, INTERVAL=1 to 99, BYDAY=MO,TU, COUNT=2 to 999 or UNTIL=YYYYMMDD. | I can repeat a meeting every day, on days of the week or every month, or every few of those, until a day or for so many times.
repeat: "FREQ=YEARLY" has “FREQ=YEARLY”, which isn't FREQ=DAILY, WEEKLY or MONTHLY, INTERVAL=1 to 99, BYDAY=MO,TU, COUNT=2 to 999 or UNTIL=YYYYMMDD. | I can repeat a meeting every day, on days of the week or every month, or every few of those, until a day or for so many times.
repeat: "FREQ=WEEKLY;BYDAY=MO" leaves out Tuesday 2026-11-24, its first day. | “every week on Monday, without an end” leaves out Tuesday 2026-11-24, its first day.
repeat: "FREQ=DAILY;UNTIL=20261101" leaves out Tuesday 2026-11-24, its first day. | “every day, until 2026-11-01” leaves out Tuesday 2026-11-24, its first day.
repeat: "FREQ=DAILY;COUNT=2;UNTIL=20261201" has both COUNT and UNTIL; give one of them. | I can repeat a meeting every day, on days of the week or every month, or every few of those, until a day or for so many times.
repeat: "BYDAY=MO" has no FREQ: write FREQ=DAILY, WEEKLY or MONTHLY. | I can repeat a meeting every day, on days of the week or every month, or every few of those, until a day or for so many times.
repeat: "FREQ=MONTHLY;BYDAY=MO" has BYDAY, which goes with FREQ=WEEKLY alone. | I can repeat a meeting every day, on days of the week or every month, or every few of those, until a day or for so many times.
"#);
    assert!(calendar.told(&harness.context.account()).is_empty());
}
