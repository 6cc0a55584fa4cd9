use crate::testing::*;
use alfred_core::ports::Span;

const TOOL: &str = "calendar_scheduleMeeting";

async fn events(harness: &ToolHarness) -> usize {
    let year = span("2026-01-01T00:00", "2027-12-31T00:00");
    let calendar = &harness.context.accounts.calendar;
    let page = calendar.events(&harness.context.account(), year).await;
    page.unwrap().events.len()
}

async fn card(harness: &ToolHarness, args: Value) -> String {
    harness.card(TOOL, args).await
}

/// Time and notes on the card of a meeting with Ben.
async fn when(harness: &ToolHarness) -> String {
    let shown = card(harness, json!({"attendees": ["@ben"]})).await;
    let about = |line: &&str| line.starts_with("When: ") || line.starts_with("Note: ");
    shown.lines().filter(about).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn the_first_time_at_which_everybody_is_free() {
    let ana = span("2026-11-20T10:00", "2026-11-20T11:00");
    let ben = span("2026-11-20T11:00", "2026-11-20T11:45");
    let (harness, calendar) = office(vec![own("e1", "Own", ana, &[])], vec![ben]).await;
    let args = json!({"attendees": ["@ben"], "duration": 30});
    // Ana is busy until eleven, then Ben; then follows the lunch break.
    assert_snapshot!(card(&harness, args.clone()).await, @"
Schedule a meeting
With: Ben Okafor <ben@example.com>
Title: Meeting with Ben Okafor
When: Friday 2026-11-20, 13:00–13:30 (Europe/Berlin)
Minutes: 30
");
    assert_eq!(events(&harness).await, 1, "a preview creates nothing");
    let output = harness.output(TOOL, args).await;
    let event = &output.data["event"];
    assert_eq!(event["date"], "2026-11-20");
    assert_eq!(event["startTime"], "13:00");
    assert_eq!(event["attendees"], json!(["Ben Okafor <ben@example.com>"]));
    let receipt = output.receipt.unwrap();
    assert_snapshot!(receipt.what, @r#"Scheduled "Meeting with Ben Okafor" for Friday 2026-11-20, 13:00–13:30 (Europe/Berlin), invited ben@example.com"#);
    assert_eq!(receipt.undo, []);
    assert_eq!(calendar.told(&harness.context.account()).len(), 1);
}

#[tokio::test]
async fn weekends_own_blocks_and_settings_are_minded() {
    let (harness, _) = office(vec![], vec![]).await;
    let friday = json!({"date": "2026-11-20", "type": "blocked", "title": "Away", "startTime": "09:00", "endTime": "17:00"});
    harness.ok("schedule_createTimeBlock", friday).await;
    harness
        .change("U1", |user| {
            user.preferences.day.work_start_time = "10:00".into()
        })
        .await;
    assert_snapshot!(when(&harness).await, @"When: Monday 2026-11-23, 10:00–10:30 (Europe/Berlin)");
}

/// On each day, Ana has a meeting from nine to ten, and Ben is free only in this span.
async fn narrow(free_from: &str, free_to: &str) -> ToolHarness {
    let (mut own_events, mut ben) = (Vec::new(), Vec::new());
    for day in 20..30 {
        let on = |from: &str, to: &str| {
            span(
                &format!("2026-11-{day}T{from}"),
                &format!("2026-11-{day}T{to}"),
            )
        };
        own_events.push(own(&format!("e{day}"), "Own", on("09:00", "10:00"), &[]));
        ben.extend([on("00:00", free_from), on(free_to, "23:00")]);
    }
    office(own_events, ben).await.0
}

#[tokio::test]
async fn meetings_keep_their_distance_where_they_can() {
    let harness = narrow("09:00", "11:00").await;
    assert_snapshot!(when(&harness).await, @"When: Friday 2026-11-20, 10:15–10:45 (Europe/Berlin)");
    // Ben's busy times need no buffer.
    let harness = narrow("10:15", "10:45").await;
    assert_snapshot!(when(&harness).await, @"When: Friday 2026-11-20, 10:15–10:45 (Europe/Berlin)");
    // Without a better time, the first one is used with a note.
    let harness = narrow("09:00", "10:30").await;
    let args = json!({"attendees": ["@ben"]});
    assert_snapshot!(when(&harness).await, @"
When: Friday 2026-11-20, 10:00–10:30 (Europe/Berlin)
Note: another meeting is less than 15 minutes away; no better time within ten days is free
");
    let output = harness.output(TOOL, args).await;
    assert_snapshot!(output.data["notes"], @r#"["another meeting is less than 15 minutes away; no better time within ten days is free"]"#);
    // Without a buffer, there is no note.
    let harness = narrow("09:00", "10:30").await;
    harness
        .change("U1", |user| user.preferences.day.meeting_buffer = 0)
        .await;
    assert_snapshot!(when(&harness).await, @"When: Friday 2026-11-20, 10:00–10:30 (Europe/Berlin)");
}

#[tokio::test]
async fn a_block_of_a_meeting_keeps_its_distance_too() {
    let (harness, _) = office(vec![], vec![]).await;
    let meeting = json!({"date": "2026-11-20", "type": "meeting", "title": "Board", "startTime": "10:00", "endTime": "11:00"});
    harness.ok("schedule_createTimeBlock", meeting).await;
    assert_snapshot!(when(&harness).await, @"When: Friday 2026-11-20, 11:15–11:45 (Europe/Berlin)");
}

#[tokio::test]
async fn work_with_tasks_is_planned_over_last() {
    let (harness, _) = office(vec![], vec![]).await;
    let friday = json!({"date": "2026-11-20", "type": "work", "title": "Focus", "startTime": "10:00", "endTime": "12:00"});
    let block = harness.ok("schedule_createTimeBlock", friday).await;
    // Even an empty block is used only if no other time is free or the time was named, and then with a note.
    assert_snapshot!(when(&harness).await, @"When: Friday 2026-11-20, 13:00–13:30 (Europe/Berlin)");
    let named = json!({"attendees": ["@ben"], "preferredTimes": ["2026-11-20T10:00"]});
    let shown = card(&harness, named).await;
    let note = "Note: it overlaps what you have planned for yourself";
    assert!(
        shown.contains("10:00–10:30") && shown.contains(note),
        "{shown}"
    );
    let task = harness
        .ok("task_createTask", json!({"title": "Report"}))
        .await;
    let plan = json!({"taskIds": [task["task"]["id"]], "blockId": block["block"]["id"]});
    harness.ok("task_assignToTimeBlock", plan).await;
    assert_snapshot!(when(&harness).await, @"When: Friday 2026-11-20, 13:00–13:30 (Europe/Berlin)");
    let on =
        |date: &str, from: &str, to: &str| span(&format!("{date}T{from}"), &format!("{date}T{to}"));
    let ben = vec![
        on("2026-11-20", "12:00", "23:00"),
        span("2026-11-21T00:00", "2026-12-20T00:00"),
    ];
    let (mut full, _) = office(vec![], ben).await;
    full.context.store = harness.context.store.clone();
    assert_snapshot!(when(&full).await, @"
When: Friday 2026-11-20, 10:00–10:30 (Europe/Berlin)
Note: tasks are planned then; no better time within ten days is free
");
}

#[tokio::test]
async fn nobody_is_asked_to_meet_at_night_and_each_clock_is_on_the_card() {
    let (harness, _) = office(vec![], vec![]).await;
    harness.lives_in("U2", "America/New_York").await;
    let args = json!({"attendees": ["@ben"]});
    let shown = card(&harness, args.clone()).await;
    assert!(shown.contains("2026-11-20, 14:00–14:30"), "{shown}");
    assert!(
        shown.contains("For them: Ben Okafor: Fri 08:00 (America/New_York)"),
        "{shown}"
    );
    assert!(!shown.contains("Note:"), "{shown}");
    // Chiyo's day ends before Ben's begins, so the first time is used with a note.
    harness.lives_in("U3", "Asia/Tokyo").await;
    let both = card(&harness, json!({"attendees": ["@ben", "@chiyo"]})).await;
    assert!(both.contains("Note: outside 08:00–19:00"), "{both}");
    assert!(both.contains("Chiyo Tanaka: Fri"), "{both}");
}

#[tokio::test]
async fn what_was_shown_stays_the_first_time_while_it_is_decided() {
    let (harness, _) = office(vec![], vec![]).await;
    let args = json!({"attendees": ["@ben"]});
    let first = harness.preview(TOOL, args.clone()).await.unwrap();
    assert!(first.as_text().contains("10:00–10:30"));
    let mut later = harness.later("2026-11-20T08:55:00Z");
    assert_eq!(later.preview(TOOL, args.clone()).await.unwrap(), first);
    // At ten, the approved time is past, so another time would be booked.
    later = harness.later("2026-11-20T09:00:00Z");
    later.context.call.shown = first.digest().ok();
    let error = later.fails(TOOL, args).await;
    assert_eq!(error, alfred_core::text::DRIFTED);
    assert_eq!(events(&later).await, 0);
}

#[tokio::test]
async fn a_preferred_time_is_taken_or_three_others_are_offered() {
    let busy = span("2026-11-23T10:00", "2026-11-23T10:30");
    let (harness, _) = office(vec![], vec![busy]).await;
    let wish = |times: Value| json!({"attendees": ["@ben"], "preferredTimes": times});
    let both = wish(json!(["2026-11-23T10:00", "2026-11-23 19:00"]));
    let shown = card(&harness, both).await;
    assert!(shown.contains("Monday 2026-11-23, 19:00–19:30"), "{shown}");
    let taken = wish(json!(["2026-11-23T10:15"]));
    assert_snapshot!(harness.fails(TOOL, taken.clone()).await, @r#"preferredTimes: "Monday 2026-11-23, 10:15–10:45" is taken. Free: Monday 2026-11-23, 09:00–09:30; Monday 2026-11-23, 09:30–10:00; Monday 2026-11-23, 10:30–11:00."#);
    // No approval is requested, and the error lists alternatives.
    let Err(ToolError::Failed(why)) = harness.preview(TOOL, taken).await else {
        panic!("it is taken");
    };
    let time =
        |start: &str, end: &str| json!({"date": "2026-11-23", "startTime": start, "endTime": end});
    let offered = json!([
        time("09:00", "09:30"),
        time("09:30", "10:00"),
        time("10:30", "11:00")
    ]);
    assert_eq!(why.data["alternatives"], offered);
    assert_eq!(events(&harness).await, 0);
}

#[tokio::test]
async fn time_to_prepare_is_a_block_where_it_is_free() {
    let (harness, _) = office(vec![], vec![]).await;
    let args = json!({"attendees": ["@ben"], "duration": 20, "needsPrepTime": true, "title": "Budget", "preferredTimes": ["2026-11-23T10:00"]});
    let shown = card(&harness, args.clone()).await;
    let prepared = "Preparation: 09:50–10:00, as a block";
    assert!(shown.contains(prepared), "{shown}");
    let output = harness.output(TOOL, args).await;
    assert_eq!(output.data["prepBlock"]["time"], "09:50–10:00");
    let day = harness.shown_day("2026-11-23").await;
    assert_eq!(day["blocks"][0]["title"], "Prepare: Budget");
    assert_eq!(day["blocks"][0]["type"], "work");
    // The preparation block of the first meeting is in the way.
    let second = json!({"attendees": ["@chiyo"], "duration": 30, "needsPrepTime": true, "preferredTimes": ["2026-11-24T10:00"]});
    let taken = json!({"date": "2026-11-24", "type": "work", "title": "Focus", "startTime": "09:00", "endTime": "10:00"});
    harness.ok("schedule_createTimeBlock", taken).await;
    let mut other = harness.clone();
    other.context.call.key = "run_1:call_2".into();
    let output = other.output(TOOL, second).await;
    assert_eq!(output.data["prepBlock"], Value::Null);
    assert!(output.writes.is_empty());
}

#[tokio::test]
async fn whose_calendar_cant_be_seen_is_said() {
    let (harness, calendar) = office(vec![], vec![]).await;
    let broken = Unreadable {
        name: "x.ics".into(),
        reason: "The event can't be read.".into(),
    };
    calendar.spoil(&harness.context.account(), broken);
    let args = json!({"attendees": ["Chiyo", "out@side.example", "<mailto:ben@example.com|ben@example.com>"]});
    let shown = card(&harness, args.clone()).await;
    assert_snapshot!(shown, @"
Schedule a meeting
With: Chiyo Tanaka <chiyo@example.com>, out@side.example, Ben Okafor <ben@example.com>
Title: Meeting with Chiyo Tanaka, out@side.example and Ben Okafor
When: Friday 2026-11-20, 10:00–10:30 (Europe/Berlin)
Minutes: 30
Not checked: 1 unreadable entry of your own, chiyo@example.com, out@side.example (I can't see these calendars)
");
    let output = harness.output(TOOL, args).await;
    assert_eq!(output.data["notChecked"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn a_lost_answer_is_settled_by_looking() {
    let (harness, _) = office(vec![], vec![]).await;
    let args = json!({"attendees": ["@ben"], "needsPrepTime": true, "preferredTimes": ["2026-11-23T10:00"]});
    let none = harness.settle(TOOL, args.clone()).await.unwrap();
    assert!(matches!(none, Settled::NotDone), "{none:?}");
    harness.run(TOOL, args.clone()).await.unwrap();
    let Settled::Done(found) = harness.settle(TOOL, args.clone()).await.unwrap() else {
        panic!("it was created");
    };
    assert_eq!(
        found.writes.len(),
        2,
        "the block to prepare is made with it"
    );
    assert!(found.receipt.unwrap().what.contains("10:00–10:30"));
    assert_snapshot!(harness.fails(TOOL, args).await, @r#"preferredTimes: "Monday 2026-11-23, 10:00–10:30" is taken. Free: Monday 2026-11-23, 09:00–09:30; Monday 2026-11-23, 10:45–11:15; Monday 2026-11-23, 11:15–11:45."#);
    assert_eq!(events(&harness).await, 1);
}

#[tokio::test]
async fn people_are_looked_up_and_never_guessed() {
    let (harness, _) = office(vec![], vec![]).await;
    harness.person("U4", "roth", "Ben Roth").await;
    harness.register("U5", |user| user.email.clear()).await;
    let cases = [
        json!(["Ben"]),
        json!(["Nobody"]),
        json!(["U9"]),
        json!(["@u5"]),
        json!(["a@b@c"]),
        json!(["@ana", "ana@example.com"]),
        json!([]),
    ];
    let cases = cases.map(|attendees| json!({ "attendees": attendees }));
    assert_snapshot!(harness.refusals(TOOL, cases).await, @r#"
attendees: "Ben" is not clear, two match: @ben (U2), @roth (U4). Give the id. | “Ben” could mean two things: @ben, @roth. Which one do you mean?
attendees: "Nobody" is nobody Alfred knows. An e-mail address or an @handle would do. user_lookup finds people. | “Nobody” is nobody Alfred knows. An e-mail address or an @handle would do.
attendees: "U9" is nobody Alfred knows. An e-mail address or an @handle would do. user_lookup finds people. | “U9” is nobody Alfred knows. An e-mail address or an @handle would do.
attendees: "@u5" has no e-mail address in Slack. Ask for it. | “@u5” has no e-mail address in Slack. Ask for it.
attendees: "a@b@c" is no e-mail address. | “a@b@c” is no e-mail address.
attendees: "@ana, ana@example.com" names nobody else. Use schedule_createTimeBlock for time alone. | “@ana, ana@example.com” names nobody else.
attendees: "0 people" is out of range: 1 to 20 attendees. | Attendees: “0 people” is out of range: 1 to 20 attendees.
"#);
    let args = json!({"attendees": ["<@U2>", "@ben", "U2", "Ben Okafor"]});
    let shown = card(&harness, args).await;
    assert!(
        shown.contains("With: Ben Okafor <ben@example.com>\n"),
        "{shown}"
    );
}

#[tokio::test]
async fn bad_times_and_lengths_are_named() {
    let (harness, _) = office(vec![], vec![]).await;
    let cases = [
        ("preferredTimes", json!(["25:00"])),
        ("preferredTimes", json!(["2026-11-19T10:00"])),
        ("preferredTimes", json!(["tomorrow"])),
        ("preferredTimes", json!(["2027-03-28T02:30"])),
        ("preferredTimes", json!(["a", "b", "c", "d", "e", "f"])),
        ("duration", json!(4)),
        ("duration", json!(481)),
        ("title", json!(" ")),
        ("description", json!("x".repeat(2_001))),
    ];
    let cases = cases.map(|(field, value)| json!({"attendees": ["@ben"], field: value}));
    assert_snapshot!(harness.refusals(TOOL, cases).await, @r#"
preferredTimes: "25:00" is no time: the day ends at 24:00. | “25:00” is no time: the day ends at 24:00.
preferredTimes: "2026-11-19T10:00" is past; it is 2026-11-20 09:00 now. | “2026-11-19T10:00” is past; it is 2026-11-20 09:00 now.
preferredTimes: "tomorrow" names no time of a day. One such as 2026-11-27T14:00 or tomorrow 2:30 pm would do. | “tomorrow” names no time of a day. One such as 2026-11-27T14:00 or tomorrow 2:30 pm would do.
preferredTimes: "2027-03-28T02:30" does not exist in Europe/Berlin: clocks go from 02:00 to 03:00. | “2027-03-28T02:30” does not exist in Europe/Berlin: clocks go from 02:00 to 03:00.
preferredTimes: "6 times" are too many: at most 5. | “6 times” are too many: at most 5.
duration: "4" is out of range: 5 to 480. | Duration: “4” is out of range: 5 to 480.
duration: "481" is out of range: 5 to 480. | Duration: “481” is out of range: 5 to 480.
title: " " is empty; a title is required. | It is empty; a title is required.
description: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…" has 2001 characters, at most 2000. | “xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…” has 2001 characters, at most 2000.
"#);
    assert_eq!(events(&harness).await, 0);
}

#[tokio::test]
async fn no_time_at_all_is_said() {
    let (harness, _) = office(vec![], vec![span("2026-11-20T00:00", "2026-12-20T00:00")]).await;
    let error = harness.fails(TOOL, json!({"attendees": ["@ben"]})).await;
    assert_eq!(
        error,
        "Within ten days there is no time in your working hours at which everybody is free."
    );
}

#[tokio::test]
async fn whoever_has_no_calendar_is_told_so() {
    let (harness, _) = office(vec![], vec![]).await;
    let args = json!({"attendees": ["@chiyo"]});
    let error = harness.asked_by("T1", "U2").fails(TOOL, args).await;
    let words = "needs your calendar, and you haven't connected one yet.";
    assert_eq!(error, format!("That {words}"));
}

#[tokio::test]
async fn across_the_end_of_summer_time_a_meeting_keeps_its_length() {
    let (harness, _) = office(vec![], vec![]).await;
    let args =
        json!({"attendees": ["@ben"], "duration": 120, "preferredTimes": ["2027-10-31T01:30"]});
    let output = harness.output(TOOL, args).await;
    assert_eq!(output.data["event"]["endTime"], "02:30");
    assert_eq!(output.data["event"]["duration"], 120);
    let calendar = &harness.context.accounts.calendar;
    let made = calendar
        .find_created(&harness.context.account(), &harness.context.call.key)
        .await
        .unwrap()
        .unwrap();
    let EventTime::Timed { start, end } = made.time else {
        panic!("it has a time");
    };
    assert_eq!(Span { start, end }.end.duration_since(start).as_mins(), 120);
}

#[tokio::test]
async fn a_video_call_is_refused_where_there_are_none() {
    let (harness, _) = office(vec![], vec![]).await;
    let args = json!({"attendees": ["@ben"], "videoCall": true});
    let error = harness.fails(TOOL, args).await;
    assert!(
        error.contains("Your calendar can't make video calls. I can write a link of yours into the invitation instead."),
        "{error}"
    );
    assert_eq!(events(&harness).await, 0);
}
