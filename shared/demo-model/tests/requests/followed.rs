//! What follows a look, an open proposal, an answer of the person or a failure.

use alfred_core::ports::{Message, ModelError, Output};
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::{request, said, tools, turn, user};

#[tokio::test]
async fn words_about_a_plan_go_to_the_open_one_and_else_to_what_is_there() {
    let open = json!({"success": true, "approvals": [{"approvalId": "apr_1", "tool": "workflow_schedule"}]});
    let none = json!({"success": true, "approvals": []});
    for (found, text, meant) in [
        (
            &open,
            "lunch at one please",
            "system_modifyProposal{\"feedback\":\"lunch at one please\",\"proposalId\":\"apr_1\"}",
        ),
        (
            &open,
            "move lunch to 1pm",
            "system_modifyProposal{\"feedback\":\"move lunch to 1pm\",\"proposalId\":\"apr_1\"}",
        ),
        (
            &none,
            "move lunch to 1pm",
            "schedule_moveTimeBlock{\"blockId\":\"lunch\",\"newStartTime\":\"13:00\"}",
        ),
        (
            &none,
            "no breaks",
            "No plan of a day is open that this could change. “plan my day, no meetings before 10” makes one, “remember: no meetings before 10” is for all of them.",
        ),
    ] {
        let looks = [("approval_list", found.clone())];
        let all = said(vec![user(text)], &looks).await;
        assert_eq!(all, format!("approval_list{{}}\n{meant}"), "{text}");
    }
}

#[tokio::test]
async fn a_proposal_takes_words_as_changes_and_shows_those_it_cannot_read() {
    let about = |words: &str| {
        let shown = "About the open proposal apr_1 (revision 1). …\n<proposal>\nLunch\n</proposal>";
        user(&format!("{shown}\nThe person wants: \"{words}\""))
    };
    for (tool, words, changes) in [
        (
            "workflow_schedule",
            "no meetings before 10, and keep 2 to 3 free",
            json!({"noMeetingsBefore": "10:00", "keepFree": [{"from": "14:00", "to": "15:00"}]}),
        ),
        (
            "workflow_schedule",
            "move the report to 3pm and drop the mail block",
            json!({"move": [{"title": "report", "to": "15:00"}], "noEmail": true}),
        ),
        (
            "workflow_fillWorkBlock",
            "the report first",
            json!({"first": ["report"]}),
        ),
        (
            "workflow_fillEmailBlock",
            "don't archive the shop order",
            json!({"keep": ["shop order"]}),
        ),
        (
            "workflow_fillEmailBlock",
            "lunch at one",
            json!({"unmet": ["lunch at one"]}),
        ),
        (
            "workflow_schedule",
            "mittags bitte Pause",
            json!({"unmet": ["mittags bitte Pause"]}),
        ),
    ] {
        let mut request = request(vec![about(words)]);
        request.tools = tools()
            .into_iter()
            .filter(|spec| spec.name == tool)
            .collect();
        let call = turn(&request).await.unwrap().tool_calls.remove(0);
        let arguments: Value = serde_json::from_str(&call.arguments).unwrap();
        assert_eq!(
            (call.name.as_str(), &arguments["changes"]),
            (tool, &changes),
            "{words}"
        );
    }
}

#[tokio::test]
async fn several_mails_are_asked_about_and_one_is_archived() {
    let mail = |id: &str| json!({"id": id, "subject": "Offsite", "from": "Ben"});
    let looks = |mails: Vec<Value>| {
        [
            (
                "email_viewEmails",
                json!({"success": true, "total": mails.len(), "emails": mails}),
            ),
            (
                "email_archiveBatch",
                json!({"success": true, "archived": 1, "failed": []}),
            ),
        ]
    };
    let asks = || vec![user("archive the mail about the offsite")];
    assert_snapshot!(said(asks(), &looks(vec![mail("m1")])).await, @r#"
email_viewEmails{"query":"offsite"}
email_archiveBatch{"emailIds":["m1"]}
Archived 1 e-mail.
"#);
    assert_snapshot!(said(asks(), &looks(vec![mail("m1"), mail("m2")])).await, @r#"
    email_viewEmails{"query":"offsite"}
    2 fit. Which one do you mean? I did nothing.
    - Offsite, Ben
    - Offsite, Ben
    "#);
}

#[tokio::test]
async fn a_yes_to_a_spelling_and_notes_for_models_are_no_requests_of_their_own() {
    let offer = Message::Assistant {
        text: "Did you mean “show my tasks”? I did nothing yet: say “yes”.".into(),
        tool_calls: [].into(),
    };
    assert_eq!(
        said(vec![user("shwo my tasks"), offer, user("yes")], &[]).await,
        "task_viewTasks{}"
    );
    let later =
        user("Time has passed since then. Now: 2026-11-22 Sunday 09:00, time zone Europe/Lisbon");
    assert_eq!(
        said(vec![user("show my tasks"), later], &[]).await,
        "task_viewTasks{}"
    );
}

/// Blocks are found by time and by part of the day; meetings among them are moved as such and never deleted.

#[tokio::test]
async fn a_day_is_looked_at_for_what_is_named_by_its_time() {
    let block = |id: &str, kind: &str, start: &str, end: &str| json!({"id": id, "eventId": "e1", "type": kind, "title": id, "startTime": start, "endTime": end});
    let day = |kind: &str| {
        let blocks = [
            block("focus", "work", "10:00", "11:00"),
            block("review", kind, "14:00", "15:00"),
        ];
        [(
            "schedule_viewSchedule",
            json!({"success": true, "date": "2026-11-21", "blocks": blocks}),
        )]
    };
    let mut shown = String::new();
    for (text, kind) in [
        ("push my focus block back half an hour", "work"),
        ("move the block at 2 to 16:00", "meeting"),
        ("clear my afternoon, I feel sick", "work"),
        ("clear my afternoon", "meeting"),
        ("delete the block at 3", "work"),
    ] {
        shown += &format!("{text}\n{}\n", said(vec![user(text)], &day(kind)).await);
    }
    assert_snapshot!(shown, @r#"
push my focus block back half an hour
schedule_viewSchedule{}
schedule_moveTimeBlock{"blockId":"focus","newStartTime":"10:30"}
move the block at 2 to 16:00
schedule_viewSchedule{}
calendar_rescheduleMeeting{"eventId":"e1","newTime":"2026-11-21T16:00"}
clear my afternoon, I feel sick
schedule_viewSchedule{}
schedule_deleteTimeBlock{"blockId":"review"}
clear my afternoon
schedule_viewSchedule{}
There are meetings of your calendar, too, so I did nothing. I delete blocks by name: “delete the lunch block”, and meetings: “cancel my meeting with Ben”.
delete the block at 3
schedule_viewSchedule{}
I found nothing like that, so I did nothing.
"#);
}

/// What sets a condition, or wants something, is no remark.

#[tokio::test]
async fn a_tool_that_fails_speaks_to_the_person() {
    let error = json!({"success": false, "error": "eventId: \"1:1\" isn't in the calendar. Give its id.", "say": "“1:1” isn't in the calendar."});
    let answer = said(
        vec![user("move my meeting with Ben to 3pm")],
        &[("calendar_rescheduleMeeting", error)],
    )
    .await;
    assert!(
        answer.ends_with("That didn't work: “1:1” isn't in the calendar."),
        "{answer}"
    );
}

#[tokio::test]
async fn help_has_twenty_lines_at_most() {
    let help = said(vec![user("help")], &[]).await;
    assert!(help.lines().count() <= 20, "{help}");
}

#[tokio::test]
async fn it_needs_no_team_and_can_lead_none() {
    let json = |schema| Output::Json {
        name: "predicate",
        schema,
    };
    let mut request = request(vec![user("is this complex?")]);
    request.output = json(json!({"properties": {"result": {"type": "boolean"}}}));
    assert_eq!(turn(&request).await.unwrap().text, "{\"result\": false}");
    request.output = json(json!({"properties": {"teams": {"type": "array"}}}));
    assert!(matches!(
        turn(&request).await,
        Err(ModelError::Refused { .. })
    ));
}
