//! What one message asks for.

use insta::assert_snapshot;
use serde_json::json;

use crate::{each, request, said, turn, user};

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
        "on monday afternoon, what meetings are there?",
        "anything still open on my list that's urgent?",
        "keep 3 and 7",
        "block 22:00 to 24:00 tonight for the release",
        "change the priority of the tax return to high, due sunday",
        "move my gym block to 6pm",
        "is Ben free at 3?",
        "cancel my 1:1 with Tom today",
        "decline the vendor demo on wednesday",
        "book a weekly 1:1 with Priya every tuesday at 10",
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
on monday afternoon, what meetings are there?
  schedule_viewSchedule{"date":"2026-11-23"}
anything still open on my list that's urgent?
  task_viewTasks{"priority":"high"}
keep 3 and 7
  approval_list{}
block 22:00 to 24:00 tonight for the release
  schedule_createTimeBlock{"date":"2026-11-21","endTime":"24:00","startTime":"22:00","title":"Release","type":"work"}
change the priority of the tax return to high, due sunday
  task_updateTask{"dueDate":"2026-11-22","priority":"high","taskId":"tax return"}
move my gym block to 6pm
  approval_list{}
is Ben free at 3?
  calendar_viewMeetings{"from":"15:00","person":"Ben"}
cancel my 1:1 with Tom today
  Name a meeting by its people or its title: “cancel my meeting with Ben”, “decline the invitation from Ben”.
decline the vendor demo on wednesday
  Name a meeting by its people or its title: “cancel my meeting with Ben”, “decline the invitation from Ben”.
book a weekly 1:1 with Priya every tuesday at 10
  calendar_scheduleMeeting{"attendees":["Priya"],"preferredTimes":["2026-11-24 10:00"],"repeat":"FREQ=WEEKLY"}
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
        "archive the mails from Ben but keep the invoice",
        "tell Ben tomorrow that I'm sick",
        "cancel my meeting with Ben and tell him I'm sorry",
    ]).await, @r#"
plan my day before wednesday noon
  I didn't understand “before wednesday noon”, so I did nothing. I understand, for example:
  - plan my day for monday, no meetings before 10
  - book 90 minutes for the report on wednesday
  - tell Ben that lunch is at noon
add a task to call Ana by friday and tell Ben about it
  I didn't understand “and tell Ben about it”, so I did nothing. I understand, for example:
  - add a task to call the bank by friday
  - tell Ben that lunch is at noon
  - what is the time difference between Berlin and Tokyo?
remind me to send the invoice tomorrow at 4pm
  A task has a day, no time: “remind me to send the invoice tomorrow”, or “block 16:00 to 16:30 tomorrow for it”.
what is Ben doing today?
  I see when others are busy, not with what: “is Ben free at 3pm?”, “what's on Ben's calendar tomorrow?”
move it to 4
  Which one do you mean? Name it: “move my focus block to 3pm”.
shwo my tasks
  Did you mean “show my tasks”? I did nothing yet: say “yes”.
what's the weather tomorrow?
  I only work on your day, tasks, mail, meetings, messages and the time: “help” lists what I understand.
add a task to water the plants every week
  I can't repeat blocks or tasks: name one day, and I'll add that one. A meeting can: “meet with Ben every monday at 10”.
archive the mails from Ben but keep the invoice
  I didn't understand “but keep the invoice”, so I did nothing. I understand, for example:
  - archive the mail from LinkedIn
  - read the mail from Ben about the offsite
  - reply to the mail from Ben: "that works for me"
tell Ben tomorrow that I'm sick
  I didn't understand “I'm sick”, so I did nothing. I understand, for example:
  - tell Ben that lunch is at noon
  - reply to the mail from Ben: "that works for me"
  - show that proposal again
cancel my meeting with Ben and tell him I'm sorry
  I didn't understand “and tell him I'm sorry”, so I did nothing. I understand, for example:
  - tell Ben that lunch is at noon
  - what is the time difference between Berlin and Tokyo?
  - cancel my meeting with Ben
"#);
}

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
- move the report to monday
");
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
                "schedule_viewWeek",
                "task_viewTasks",
            ]
            .contains(&call.name.as_str());
            assert!(look || call.name == tool, "{text}: {call:?}");
        }
    }
}

#[tokio::test]
async fn meetings_are_looked_at_found_repeated_cancelled_and_answered() {
    assert_snapshot!(each(&[
        "what is my next meeting?",
        "when is my next meeting?",
        "is Ben free at 3?",
        "is Ben free on friday at 3pm?",
        "are Ben free tomorrow?",
        "what's on Ben's calendar?",
        "what's on Ben's calendar on thursday?",
        "find a time with Ben",
        "find an hour with Ben on friday",
        "when can I meet Ben and Chiyo?",
        "book an hour with Ben on friday at 10",
        "meet with Ben every monday at 10",
        "set up a weekly meeting with Ben on tuesday at 9",
        "cancel the meeting with Ben",
        "call off Ben's sync",
        "cancel my meeting with Ben tomorrow",
        "decline the supplier drinks",
        "decline the invitation from Tom",
        "accept Ben's invitation",
    ]).await, @r#"
what is my next meeting?
  calendar_viewMeetings{}
when is my next meeting?
  calendar_viewMeetings{}
is Ben free at 3?
  calendar_viewMeetings{"from":"15:00","person":"Ben"}
is Ben free on friday at 3pm?
  calendar_viewMeetings{"from":"2026-11-27T15:00","person":"Ben"}
are Ben free tomorrow?
  calendar_viewMeetings{"from":"2026-11-22","person":"Ben"}
what's on Ben's calendar?
  calendar_viewMeetings{"person":"Ben"}
what's on Ben's calendar on thursday?
  calendar_viewMeetings{"from":"2026-11-26","person":"Ben"}
find a time with Ben
  calendar_findTimes{"attendees":["Ben"]}
find an hour with Ben on friday
  calendar_findTimes{"attendees":["Ben"],"duration":60,"from":"2026-11-27","until":"2026-11-27"}
when can I meet Ben and Chiyo?
  calendar_findTimes{"attendees":["Ben","Chiyo"]}
book an hour with Ben on friday at 10
  calendar_scheduleMeeting{"attendees":["Ben"],"duration":60,"preferredTimes":["2026-11-27 10:00"]}
meet with Ben every monday at 10
  calendar_scheduleMeeting{"attendees":["Ben"],"preferredTimes":["2026-11-23 10:00"],"repeat":"FREQ=WEEKLY"}
set up a weekly meeting with Ben on tuesday at 9
  calendar_scheduleMeeting{"attendees":["Ben"],"preferredTimes":["2026-11-24 09:00"],"repeat":"FREQ=WEEKLY"}
cancel the meeting with Ben
  calendar_cancelMeeting{"eventId":"Ben"}
call off Ben's sync
  calendar_cancelMeeting{"eventId":"Ben"}
cancel my meeting with Ben tomorrow
  Name a meeting by its people or its title: “cancel my meeting with Ben”, “decline the invitation from Ben”.
decline the supplier drinks
  calendar_answerInvitation{"answer":"declined","eventId":"supplier drinks"}
decline the invitation from Tom
  calendar_answerInvitation{"answer":"declined","eventId":"Tom"}
accept Ben's invitation
  calendar_answerInvitation{"answer":"accepted","eventId":"Ben"}
"#);
}
