use serde_json::{Value, json};

use super::tests::said;

fn of(tool: &'static str, arguments: Value, mut data: Value) -> String {
    data["success"] = true.into();
    said(&[(tool, arguments, data)])
}

#[test]
fn free_time_and_the_use_of_a_day_are_told() {
    let gaps = json!({"date": "2026-11-23", "totalAvailableMinutes": 150, "gaps": [
        {"startTime": "09:00", "endTime": "10:30", "duration": 90},
        {"startTime": "13:00", "endTime": "14:00", "duration": 60},
    ]});
    assert_eq!(
        of("schedule_findGaps", json!({}), gaps),
        "Free on Monday, 23 November 2026, 2 h 30 min in all:\n- 09:00–10:30 (1 h 30 min)\n- 13:00–14:00 (1 h)"
    );
    let none = json!({"date": "2026-11-23", "totalAvailableMinutes": 0, "gaps": []});
    assert_eq!(
        of("schedule_findGaps", json!({}), none),
        "There is no free time of that length on Monday, 23 November 2026."
    );
    let used = json!({"date": "2026-11-23", "utilization": 95, "focusTime": 60, "fragmentedTime": 40,
        "suggestions": ["Add a break."]});
    assert_eq!(
        of("schedule_analyzeUtilization", json!({}), used),
        "Monday, 23 November 2026 is 95 % planned, with 1 h of focus and 40 min lost in short gaps.\n- Add a break."
    );
}

#[test]
fn what_fits_into_the_time_is_listed_by_combination() {
    let task = |title: &str| json!({"title": title, "priority": "high", "estimatedMinutes": 20});
    let found = json!({"suggestions": [
        {"combination": [task("A"), task("B")], "totalMinutes": 40},
        {"combination": [task("C")], "totalMinutes": 20},
    ]});
    let text = of("task_suggestForDuration", json!({}), found);
    assert!(
        text.contains("*1.* 40 min:\n- **A** (high priority, 20 min)\n- **B**"),
        "{text}"
    );
    assert!(text.contains("\n*2.* 20 min:\n- **C**"), "{text}");
    let none = of(
        "task_suggestForDuration",
        json!({}),
        json!({"suggestions": []}),
    );
    assert!(none.starts_with("None of the tasks"), "{none}");
}

#[test]
fn workflows_say_what_they_came_to_and_what_did_not_work() {
    let done = json!({"phase": "completed", "summary": "Planned.",
        "blocks": [{"startTime": "09:00", "endTime": "10:00", "title": "Focus", "type": "work"}],
        "conflicts": [{"block": {"startTime": "11:00", "endTime": "12:00", "title": "Lunch"}, "reason": "overlaps Yoga"}],
        "failed": ["The report is done already."]});
    assert_eq!(
        of("workflow_schedule", json!({}), done),
        "Planned.\nOn your schedule:\n- 09:00–10:00 **Focus** (work)\nNot created:\n- 11:00–12:00 **Lunch**: overlaps Yoga\nDid not work:\n- The report is done already."
    );
    let triage = json!({"phase": "completed", "summary": "Archived 2.", "archived": 2, "failed": ["m1"], "problem": null});
    assert_eq!(
        of("workflow_fillEmailBlock", json!({}), triage),
        "Archived 2."
    );
    let filled = json!({"phase": "completed", "summary": "Filled.", "assigned": ["t1"], "failed": [{"taskId": "t2", "reason": "It is too long."}]});
    assert_eq!(
        of("workflow_fillWorkBlock", json!({}), filled),
        "Filled.\nDid not work:\n- It is too long."
    );
    let nothing = json!({"phase": "proposal", "requiresConfirmation": false, "message": "No mail waits.", "notes": []});
    assert_eq!(
        of("workflow_fillEmailBlock", json!({}), nothing),
        "No mail waits."
    );
    let cancelled = json!({"phase": "cancelled"});
    assert_eq!(
        of("workflow_schedule", json!({}), cancelled),
        "All right, I changed nothing."
    );
    let error = json!({"success": false, "error": "date: \"x\" is no day."});
    assert_eq!(
        said(&[("workflow_schedule", json!({}), error)]),
        "I couldn't plan your day: \"x\" is no day."
    );
}

#[test]
fn mail_is_listed_and_quoted() {
    let mail = json!({"id": "m1", "from": "Ana <ana@x.example>", "subject": "Budget", "status": "unread",
        "receivedAt": "2026-11-21T09:30:00Z"});
    let listed = json!({"emails": [mail.clone()], "total": 3});
    assert_eq!(
        of("email_viewEmails", json!({}), listed),
        "3 e-mails:\n- **Budget** from Ana <ana@x.example> (unread)\nThe newest 1 are shown."
    );
    let mut whole = mail;
    whole["text"] = "Hi\n\nplease sign".into();
    whole["attachments"] = json!([{"name": "a.pdf"}]);
    whole["truncated"] = true.into();
    assert_eq!(
        of("email_readEmail", json!({}), json!({"email": whole})),
        "**Budget** from Ana <ana@x.example>, Saturday, 21 November 2026, 09:30 UTC\n> Hi\n> \n> please sign\nThe rest is left out.\nAttached: a.pdf"
    );
    let task = json!({"task": {"title": "Sign the budget", "estimatedMinutes": 15}});
    assert_eq!(
        of("email_createTaskFromEmail", json!({}), task),
        "Added to your tasks: **Sign the budget** (15 min)."
    );
    let draft = json!({"action": "draft_reply", "draft": {"to": ["Ana"], "subject": "Re: Budget", "text": "Yes"}});
    assert_eq!(
        of("email_processEmail", json!({}), draft),
        "A draft to Ana, not sent: **Re: Budget**\n> Yes"
    );
}

#[test]
fn meetings_and_tasks_are_named_as_they_are_now() {
    let event = json!({"title": "Pricing", "date": "2026-11-23", "startTime": "10:00", "endTime": "11:00", "attendees": ["Ana <ana@x.example>"]});
    let data = json!({"event": event, "notChecked": ["bo@x.example"]});
    assert_eq!(
        of("calendar_scheduleMeeting", json!({}), data.clone()),
        "**Pricing** is in your calendar on Monday, 23 November 2026, 10:00–11:00. Attendees: Ana <ana@x.example>. I couldn't see the calendar of bo@x.example."
    );
    let moved = of("calendar_rescheduleMeeting", json!({}), data);
    assert!(
        moved.starts_with("**Pricing** takes place on Monday, 23 November 2026, 10:00–11:00 now."),
        "{moved}"
    );
    let task = json!({"changed": ["dueDate"], "task": {"title": "Report", "priority": "low", "dueDate": "2026-11-27"}});
    assert_eq!(
        of("task_updateTask", json!({"taskId": "report"}), task),
        "Changed the due date: **Report** (low priority, due Friday, 27 November 2026)."
    );
    let gone = json!({"deleted": {"title": "Gym"}, "releasedTasks": ["t1", "t2"]});
    assert_eq!(
        of("schedule_deleteTimeBlock", json!({"blockId": "gym"}), gone),
        "**Gym** is off your schedule; its 2 tasks are back in your backlog."
    );
}
