//! The demo model through the model port: what a message asks tools for, and what it is answered.

#![allow(clippy::unwrap_used, reason = "a panic is a failed assertion")]

use alfred_core::ports::{Message, Model, ModelError, Output, ToolSpec, Turn, TurnRequest};
use alfred_demo_model::DemoModel;
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::time::Duration;

/// Tools as the person's chief of staff is given them.
fn tools() -> Vec<ToolSpec> {
    let tools = alfred_tools::catalogue();
    tools.iter().map(|tool| tool.spec()).collect()
}

fn request(messages: Vec<Message>) -> TurnRequest {
    let prompt = "Role: admin\nNow: 2026-11-21 Saturday 14:05, time zone Europe/Lisbon\n";
    let system = Message::System {
        text: prompt.into(),
    };
    TurnRequest {
        messages: std::iter::once(system).chain(messages).collect(),
        tools: tools().into(),
        output: Output::Text,
        max_output_tokens: 100,
        timeout: Duration::from_secs(1),
    }
}

fn user(text: &str) -> Message {
    Message::User { text: text.into() }
}

async fn turn(request: &TurnRequest) -> Result<Turn, ModelError> {
    DemoModel::new().unwrap().turn(request, &mut |_| {}).await
}

/// The calls that messages lead to, or what they are answered; a look finds what `looks` has for its tool.
async fn said(messages: Vec<Message>, looks: &[(&str, Value)]) -> String {
    let mut request = request(messages);
    let mut shown = Vec::new();
    loop {
        let turn = turn(&request).await.unwrap();
        shown.extend(
            turn.tool_calls
                .iter()
                .map(|call| format!("{}{}", call.name, call.arguments)),
        );
        if turn.tool_calls.is_empty() {
            shown.push(turn.text.clone());
        }
        let found = turn.tool_calls.iter().filter_map(|call| {
            let (_, found) = looks.iter().find(|(tool, _)| *tool == call.name)?;
            Some(Message::Tool {
                call_id: call.id.as_str().into(),
                text: found.to_string().into(),
            })
        });
        let found: Vec<Message> = found.collect();
        if found.is_empty() {
            return shown.join("\n");
        }
        request.messages.push(Message::Assistant {
            text: "".into(),
            tool_calls: turn.tool_calls.into(),
        });
        request.messages.extend(found);
    }
}

async fn each(requests: &[&str]) -> String {
    let mut shown = String::new();
    for text in requests {
        shown += &format!(
            "{text}\n  {}\n",
            said(vec![user(text)], &[]).await.replace('\n', "\n  ")
        );
    }
    shown
}

#[tokio::test]
async fn a_request_is_a_call() {
    assert_snapshot!(each(&[
        "What time is it in Tokyo?",
        "Add a task to call the dentist by Friday",
        "add a task to write the quarterly report, 60 minutes, high priority",
        "Plan two hours tomorrow at 9 for the report",
        "plan my day for monday, lunch at one and no meetings before 10",
        "tell Ben that lunch is at noon",
        "show my week and plan monday",
        "am I free tomorrow from 2 to 3?",
        "set up a meeting with Ben and Chiyo next tuesday at 2pm about the launch",
        "I work from 8:30 to 16:30",
        "I'm swamped, just show me my three most important tasks",
        "could you please block 2 hours tomorow morning for writing",
        "when am I free next week?",
        "tell Beth and Arjun that the demo moved to Monday",
        "ask Kofi if he's seen the contract",
        "keep 4 to 5 free mon wed and fri",
        "is there anything urgent in my mail?",
    ]).await, @r#"
What time is it in Tokyo?
  time_now{"timezone":"Tokyo"}
Add a task to call the dentist by Friday
  task_createTask{"dueDate":"2026-11-27","title":"Call the dentist"}
add a task to write the quarterly report, 60 minutes, high priority
  task_createTask{"estimatedMinutes":60,"priority":"high","title":"Write the quarterly report"}
Plan two hours tomorrow at 9 for the report
  schedule_createTimeBlock{"date":"2026-11-22","endTime":"11:00","startTime":"09:00","title":"Report","type":"work"}
plan my day for monday, lunch at one and no meetings before 10
  workflow_schedule{"changes":{"lunchAt":"13:00","noMeetingsBefore":"10:00"},"date":"2026-11-23"}
tell Ben that lunch is at noon
  slack_sendMessage{"text":"Lunch is at noon","to":"Ben"}
show my week and plan monday
  schedule_viewWeek{}
  workflow_schedule{"date":"2026-11-23"}
am I free tomorrow from 2 to 3?
  schedule_viewSchedule{"date":"2026-11-22"}
set up a meeting with Ben and Chiyo next tuesday at 2pm about the launch
  calendar_scheduleMeeting{"attendees":["Ben","Chiyo"],"preferredTimes":["2026-11-24 14:00"],"title":"Launch"}
I work from 8:30 to 16:30
  approval_list{}
I'm swamped, just show me my three most important tasks
  task_viewTasks{"limit":3}
could you please block 2 hours tomorow morning for writing
  schedule_findGaps{"between":{"end":"12:00","start":"08:00"},"date":"2026-11-22","minDuration":120}
when am I free next week?
  schedule_findGaps{"date":"2026-11-23","minDuration":30}
  schedule_findGaps{"date":"2026-11-24","minDuration":30}
  schedule_findGaps{"date":"2026-11-25","minDuration":30}
  schedule_findGaps{"date":"2026-11-26","minDuration":30}
  schedule_findGaps{"date":"2026-11-27","minDuration":30}
tell Beth and Arjun that the demo moved to Monday
  slack_sendMessage{"text":"The demo moved to Monday","to":"Beth"}
  slack_sendMessage{"text":"The demo moved to Monday","to":"Arjun"}
ask Kofi if he's seen the contract
  slack_sendMessage{"text":"Could you tell me if you've seen the contract?","to":"Kofi"}
keep 4 to 5 free mon wed and fri
  schedule_createTimeBlock{"date":"2026-11-23","endTime":"17:00","startTime":"16:00","title":"Blocked","type":"blocked"}
  schedule_createTimeBlock{"date":"2026-11-25","endTime":"17:00","startTime":"16:00","title":"Blocked","type":"blocked"}
  schedule_createTimeBlock{"date":"2026-11-27","endTime":"17:00","startTime":"16:00","title":"Blocked","type":"blocked"}
is there anything urgent in my mail?
  email_viewEmails{"limit":100,"status":["unread","read"]}
"#);
}

#[tokio::test]
async fn a_word_that_is_part_of_nothing_stops_it_all() {
    assert_snapshot!(each(&[
        "plan my day before wednesday noon",
        "add a task to call Ana by friday and tell Ben about it",
        "remind me to send the invoice tomorrow at 4pm",
        "what is Ben doing today?",
        "move it to 4",
        "shwo my tasks",
        "what's the weather tomorrow?",
        "add a task to water the plants every week",
    ]).await, @"
plan my day before wednesday noon
  I didn't understand “wednesday noon”, so I did nothing. I understand, for example:
  - plan my day for monday, no meetings before 10
  - book 90 minutes for the report on wednesday
  - tell Ben that lunch is at noon
add a task to call Ana by friday and tell Ben about it
  I didn't understand “and tell Ben about it”, so I did nothing. I understand, for example:
  - add a task to call the bank by friday
  - tell Ben that lunch is at noon
  - what is the time difference between Berlin and Tokyo?
remind me to send the invoice tomorrow at 4pm
  A task has a day, no time of the day: “remind me to send the invoice tomorrow”, or “block 16:00 to 16:30 tomorrow for the invoice”.
what is Ben doing today?
  I see the time of others only while I look for a meeting: “find 30 minutes with Ben on friday”.
move it to 4
  Which one do you mean? Name it: “move my focus block to 3pm”.
shwo my tasks
  Did you mean “show my tasks”? I did nothing yet: say “yes”.
what's the weather tomorrow?
  I only work on your day, tasks, mail, meetings, messages and the time: “help” lists what I understand.
add a task to water the plants every week
  I can't repeat blocks, meetings or tasks: name one day, and I'll add that one.
");
}

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
There are meetings of your calendar, too, which I can't cancel. I delete blocks by name: “delete the lunch block”.
delete the block at 3
schedule_viewSchedule{}
I found nothing like that, so I did nothing.
"#);
}

/// What sets a condition, or wants something, is no remark.
#[tokio::test]
async fn only_a_statement_is_left_aside() {
    let tasks = json!({"success": true, "total": 0, "tasks": []});
    let mut shown = String::new();
    for text in [
        "the day was long. I'm swamped, show my tasks",
        "I'm swamped, show my tasks",
        "show my tasks, I'm swamped but not the urgent ones",
        "show my tasks, she wants the report by friday",
    ] {
        let answer = said(vec![user(text)], &[("task_viewTasks", tasks.clone())]).await;
        let lines: Vec<&str> = answer.lines().take(4).collect();
        shown += &format!("{text}\n{}\n", lines.join("\n"));
    }
    assert_snapshot!(shown, @"
the day was long. I'm swamped, show my tasks
task_viewTasks{}
You have no tasks that fit.

I took “the day was long” as a remark and did nothing about it.
I'm swamped, show my tasks
task_viewTasks{}
You have no tasks that fit.

I took “I'm swamped” as a remark and did nothing about it.
show my tasks, I'm swamped but not the urgent ones
I didn't understand “I'm swamped but not the urgent ones”, so I did nothing. I understand, for example:
- is there anything urgent in my mail?
- lunch at one, no meetings before 10
- show my tasks
show my tasks, she wants the report by friday
I didn't understand “she wants the report by friday”, so I did nothing. I understand, for example:
- add a task to call the bank by friday
- book 90 minutes for the report on wednesday
- push my focus block back by 30 minutes
");
}

#[tokio::test]
async fn a_tool_that_fails_speaks_to_the_person() {
    let error = json!({"success": false, "error": "eventId: \"1:1\" is no event of the person's: schedule_viewSchedule gives the ids."});
    let answer = said(
        vec![user("move my meeting with Ben to 3pm")],
        &[("calendar_rescheduleMeeting", error)],
    )
    .await;
    assert!(
        answer.ends_with("That didn't work: \"1:1\" is no event of yours."),
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

/// Examples are what help and refusals offer: each is understood, and by the tool whose file it is in.
#[tokio::test]
async fn every_example_is_understood_by_its_tool() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("patterns");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let tool = path.file_stem().unwrap().to_str().unwrap().to_owned();
        for line in std::fs::read_to_string(&path).unwrap().lines() {
            let Some(text) = line.strip_prefix("? ").or(line.strip_prefix("> ")) else {
                continue;
            };
            let text = text.split_once(" | ").map_or(text, |(_, text)| text);
            let turn = turn(&request(vec![user(text)])).await.unwrap();
            let [call] = turn.tool_calls.as_slice() else {
                panic!("{text}: {turn:?}")
            };
            let look = [
                "email_viewEmails",
                "approval_list",
                "schedule_findGaps",
                "schedule_viewSchedule",
                "task_viewTasks",
            ]
            .contains(&call.name.as_str());
            assert!(look || call.name == tool, "{text}: {call:?}");
        }
    }
}
