use super::*;
use alfred_core::ports::ToolCall;
use serde_json::json;

/// What it says after these calls with these results.
pub(super) fn said(calls: &[(&str, Value, Value)]) -> String {
    let mut messages = vec![Message::Assistant {
        text: "".into(),
        tool_calls: calls
            .iter()
            .enumerate()
            .map(|(n, (tool, arguments, _))| ToolCall {
                id: format!("c{n}"),
                name: (*tool).into(),
                arguments: arguments.to_string(),
            })
            .collect(),
    }];
    // Results may come in another order than the calls.
    for (n, (_, _, data)) in calls.iter().enumerate().rev() {
        messages.push(Message::Tool {
            call_id: format!("c{n}").into(),
            text: data.to_string().into(),
        });
    }
    answer(&results(&messages, &[]), &[])
}

fn local(zone: &str, date: &str, time: &str) -> Value {
    json!({"success": true, "timezone": zone, "date": date, "time": time, "utcOffset": "+09:00", "abbreviation": "JST"})
}

#[test]
fn times_are_told_with_their_day_and_zone() {
    let tokyo = local("Asia/Tokyo", "2026-11-21", "22:05");
    let line = "In Tokyo it is 22:05 on Saturday, 21 November 2026 (JST, UTC+09:00).";
    let call = |data: &Value| ("time_now", json!({"timezone": "x"}), data.clone());
    assert_eq!(said(&[call(&tokyo)]), line);
    let both = said(&[
        call(&tokyo),
        call(&local("Europe/Rome", "2026-11-21", "14:05")),
    ]);
    assert!(
        both.starts_with("- In Tokyo") && both.contains("\n- In Rome it is 14:05"),
        "{both}"
    );
    let own = said(&[("time_now", json!({}), tokyo)]);
    assert!(own.starts_with("It is 22:05"), "{own}");
}

#[test]
fn a_conversion_over_midnight_names_both_days() {
    let data = json!({"success": true, "from": local("America/New_York", "2026-11-21", "20:00"),
        "to": local("Europe/Berlin", "2026-11-22", "02:00"),
        "resolution": {"kind": "gap", "explanation": "that hour is skipped"}});
    assert_eq!(
        said(&[("time_convert", json!({}), data)]),
        "20:00 in New York is 02:00 in Berlin on Sunday, 22 November 2026 (from Saturday, 21 November 2026). That hour is skipped."
    );
}

#[test]
fn failures_keep_the_tools_reason_without_its_field() {
    let data =
        json!({"success": false, "error": "timezone: \"Atlantis\" is no time zone. Name a city"});
    assert_eq!(
        said(&[("time_now", json!({"timezone": "Atlantis"}), data)]),
        "I couldn't tell the time there: \"Atlantis\" is no time zone. Name a city."
    );
    assert!(said(&[("x", json!({}), json!("not an object"))]).starts_with("I couldn't do that"));
}

#[test]
fn blocks_and_tasks_are_listed_with_their_fields() {
    let block = json!({"type": "work", "title": "Deep work", "startTime": "09:00", "endTime": "11:00",
        "duration": 120, "description": "", "tasks": [{"title": "Slides"}]});
    let day = json!({"success": true, "date": "2026-11-22", "blocks": [block],
        "stats": {"totalHours": 2.0, "utilization": 25}});
    assert_eq!(
        said(&[("schedule_viewSchedule", json!({}), day)]),
        "On Sunday, 22 November 2026:\n- 09:00–11:00 **Deep work** (work, 2 h). Tasks: Slides\nThat is 2 h in all, 25 % of a working day."
    );
    let empty = json!({"success": true, "date": "2026-11-22", "blocks": []});
    assert!(
        said(&[("schedule_viewSchedule", json!({}), empty)]).starts_with("Nothing is scheduled")
    );
    let tasks = json!({"success": true, "total": 1, "tasks": [{"title": "Call", "priority": "high",
        "estimatedMinutes": 20, "dueDate": "2026-11-27", "status": "backlog", "score": 80, "description": ""}]});
    assert_eq!(
        said(&[("task_viewTasks", json!({"priority": "high"}), tasks)]),
        "You have one high priority task:\n- **Call** (high priority, 20 min, due Friday, 27 November 2026, score 80)"
    );
}

#[test]
fn people_and_preferences_come_from_the_data() {
    let ana = json!({"name": "Ana", "handle": "@ana", "email": "", "timezone": "Europe/Rome", "role": "admin"});
    let one = json!({"success": true, "match": "one", "user": ana});
    assert_eq!(
        said(&[("user_lookup", json!({}), one)]),
        "**Ana**, @ana, Europe/Rome, admin."
    );
    let changed =
        json!({"success": true, "changed": {"workStartTime": {"from": "09:00", "to": "08:00"}}});
    assert_eq!(
        said(&[("preference_updatePreferences", json!({}), changed)]),
        "Your preferences are updated. work start time: 08:00 (was 09:00)."
    );
}

/// What it says when the request was this, its one call gave this, and now is Saturday, 21 November 2026, 14:05 in Berlin.
fn said_of(request: &str, data: &Value) -> String {
    let now =
        super::super::dates::Now::read("Now: 2026-11-21 Saturday 14:05, time zone Europe/Berlin");
    let understood = super::super::intent::understand(request, &now, &[]);
    let [call] = understood.calls.as_slice() else {
        panic!("{request}: {understood:?}")
    };
    let messages = [
        Message::Assistant {
            text: "".into(),
            tool_calls: vec![ToolCall {
                id: "c0".into(),
                name: call.tool.into(),
                arguments: Value::Object(call.arguments.clone()).to_string(),
            }]
            .into(),
        },
        Message::Tool {
            call_id: "c0".into(),
            text: data.to_string().into(),
        },
    ];
    answer(&results(&messages, &understood.calls), &[])
}

#[test]
fn waits_are_counted_from_the_time_that_was_told() {
    let mut now = local("Europe/Berlin", "2026-11-21", "14:05");
    now["dateTime"] = "2026-11-21T14:05:00+01:00".into();
    for (request, expected) in [
        (
            "how many hours until 6pm",
            "3 hours and 55 minutes until 18:00 on Saturday, 21 November 2026.",
        ),
        (
            "how long until Friday",
            "6 days until Friday, 27 November 2026.",
        ),
        (
            "how many weeks until 1 March",
            "14 weeks and 2 days until Monday, 1 March 2027.",
        ),
        (
            "how many hours until tomorrow",
            "9 hours and 55 minutes until Sunday, 22 November 2026.",
        ),
        // Passed today, so tomorrow's.
        (
            "how long until 9am",
            "18 hours and 55 minutes until 09:00 on Sunday, 22 November 2026.",
        ),
        (
            "how many days until 2026-11-01",
            "That is past already: Sunday, 1 November 2026.",
        ),
        // Summer time begins on the way: an hour less passes.
        (
            "how many hours until 2027-03-28",
            "3033 hours and 55 minutes until Sunday, 28 March 2027.",
        ),
        (
            "how many hours until 2027-03-29",
            "3056 hours and 55 minutes until Monday, 29 March 2027.",
        ),
        (
            "what's my timezone",
            "Your time zone is Europe/Berlin (JST, UTC+09:00); it is 14:05 there now.",
        ),
    ] {
        assert_eq!(said_of(request, &now), expected, "{request}");
    }
}

#[test]
fn weekdays_and_due_tasks_are_named() {
    let there = json!({"success": true, "result": local("Europe/Berlin", "2026-12-25", "00:00")});
    assert_eq!(
        said_of("what day is Christmas", &there),
        "Christmas Day, 25 December 2026, is a Friday."
    );
    assert_eq!(
        said_of("what weekday is 2026-12-25", &there),
        "25 December 2026 is a Friday."
    );
    let none = json!({"success": true, "total": 0, "tasks": []});
    assert_eq!(
        said_of("any high priority tasks overdue?", &none),
        "You have no high priority tasks that are overdue."
    );
}

#[test]
fn the_place_that_was_taken_is_said() {
    let quito = local("America/Guayaquil", "2026-11-21", "08:05");
    assert!(
        said_of("time in quito", &quito).starts_with("In Quito (America/Guayaquil) it is 08:05")
    );
    let offset = local("UTC+05:00", "2026-11-21", "18:05");
    assert!(said_of("time in GMT+5", &offset).starts_with("In UTC+05:00 it is 18:05"));
    let san_jose = json!({"success": true, "from": local("America/Los_Angeles", "2026-11-21", "15:00"),
        "to": local("Europe/Berlin", "2026-11-22", "00:00")});
    assert!(
        said_of("3pm in San Jose, California to Berlin", &san_jose)
            .starts_with("15:00 in San Jose, California (America/Los_Angeles) is 00:00 in Berlin")
    );
}
