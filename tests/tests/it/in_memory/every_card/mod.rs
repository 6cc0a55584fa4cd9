//! Snapshots of every card as a person sees it, and of its states.

use alfred_agent::tool::Effect;
use alfred_core::Config;
use alfred_core::ports::{Attendance, Attendee, ChatChannel, Event, Mailbox};
use alfred_core::{Role, policy::Setting};
use alfred_testkit::wording::{is_for_people, without_marks};
use alfred_testkit::{Kept, fixtures};
use alfred_tests::seen;
use serde_json::{Value, json};
use std::collections::BTreeSet;

mod outward;
mod states;
mod tools;
mod workflows;

use crate::in_memory::proposing::{calls_of, mail, run, world};
use crate::in_memory::world::World;

/// Provider ids, which must not appear on a card.
const REVIEW: &str = "18c2f0a1b2c3d4e5";
const INVITATION: &str = "18c2f0a1b2c3d4e0";
const LUNCH: &str = "18c2f0a1b2c3d4e6";
const NEWS: &str = "18c2f0a1b2c3d4e7";

struct Office {
    world: World,
    report: String,
    call: String,
    focus: String,
    plan: String,
}

fn id(made: &Value, what: &str) -> String {
    made[what]["id"].as_str().unwrap().to_owned()
}

fn review() -> Event {
    let attendee = |name, address| Attendee {
        mailbox: Mailbox::new(name, address),
        attendance: Attendance::Accepted,
    };
    Event {
        own: true,
        attendees: vec![
            attendee("Ben", "ben@example.com"),
            attendee("Mallory", "mallory@evil.example"),
        ],
        ..fixtures::event(
            REVIEW,
            "Quarterly review",
            "2026-11-23T10:00:00+01:00",
            "2026-11-23T11:00:00+01:00",
        )
    }
}

fn invitation() -> Event {
    Event {
        organizer: Some(Mailbox::new("Ben", "ben@example.com")),
        attendees: vec![Attendee {
            mailbox: Mailbox::new("Ana", "ana@example.com"),
            attendance: Attendance::Unanswered,
        }],
        attendance: Attendance::Unanswered,
        ..fixtures::event(
            INVITATION,
            "Tasting",
            "2026-11-24T15:00:00+01:00",
            "2026-11-24T16:00:00+01:00",
        )
    }
}

async fn office() -> Office {
    let mut world = world().await;
    world.register("U2", "Ben", Role::Member).await;
    world.chat.add_channel(
        ChatChannel {
            id: "C1".into(),
            name: "general".into(),
            is_private: false,
            is_member: true,
        },
        &[],
    );
    let chiyo = Mailbox::new("Chiyo Tanaka", "chiyo@example.com");
    let news = Mailbox::new("Kestrel Weekly", "news@kestrel.example");
    let mails = vec![
        mail(LUNCH, chiyo, "Lunch?", false),
        mail(NEWS, news, "Ten tables", true),
    ];
    world.has_mails(mails);
    let events = vec![review(), invitation()];
    world.has_events(events, &[("ben@example.com", &[])]);
    world.has_documents().await;
    let plants = json!({"say": "Water the plants", "days": ["sat"], "time": "18:00"});
    world.ask(run("job_createJob", plants, "t1")).await;
    let report = id(&world.task("Write the report", 60).await, "task");
    let call = id(&world.task("Call Dana", 30).await, "task");
    let focus = world.block("tomorrow", "work 09:00-12:00 Focus").await;
    let plan = world.planned().await.id.to_string();
    Office {
        report,
        call,
        focus: id(&focus, "block"),
        plan,
        world,
    }
}

/// A call of every tool that can ask. `REPORT` and the like stand for ids.
const SAMPLES: &str = r##"
preference_updatePreferences {"workStartTime": "08:00", "lunchTime": "13:00"}
schedule_createTimeBlock {"date": "tomorrow", "type": "work", "title": "Mail", "startTime": "14:00", "endTime": "15:00"}
schedule_moveTimeBlock {"blockId": "FOCUS", "newStartTime": "13:00"}
schedule_deleteTimeBlock {"blockId": "FOCUS"}
schedule_fillWorkBlock {"blockId": "FOCUS"}
schedule_batchCreateBlocks {"date": "tomorrow", "blocks": [{"type": "blocked", "title": "Dentist", "startTime": "16:00", "endTime": "17:00"}]}
task_createTask {"title": "Book a room", "estimatedMinutes": 15, "dueDate": "tomorrow"}
task_deleteTask {"taskId": "REPORT"}
task_updateTask {"taskId": "REPORT", "title": "Write the summary", "estimatedMinutes": 90}
task_completeTask {"taskId": "REPORT", "notes": "Sent to Ben"}
task_assignToTimeBlock {"taskIds": ["REPORT", "CALL"], "blockId": "FOCUS"}
email_processEmail {"emailId": "LUNCH", "action": "send_reply", "replyText": "At one, then."}
email_processEmail {"emailId": "LUNCH", "action": "archive"}
email_processEmail {"emailId": "LUNCH", "action": "convert_to_task", "taskTitle": "Lunch"}
email_sendEmail {"to": ["@ben", "zoe@harbour.example"], "cc": ["chiyo@example.com"], "subject": "Tables", "text": "Five of them."}
email_draftReplies {"drafts": [{"emailId": "LUNCH", "text": "At one, then."}]}
email_discardDrafts {"drafts": [{"id": "r18c2f0a1b2c3d4e8", "version": "18c2f0a1b2c3d4e9"}]}
email_setTone {"formality": 4, "overallTone": ["warm", "brief"]}
email_archiveBatch {"emailIds": ["LUNCH", "NEWS"], "reason": "Done with"}
email_restoreBatch {"emails": [{"emailId": "LUNCH", "status": "unread"}, {"emailId": "NEWS", "status": "read"}]}
email_markBatch {"emailIds": ["LUNCH", "NEWS"]}
email_createTaskFromEmail {"emailId": "LUNCH", "customTitle": "Answer Chiyo"}
calendar_scheduleMeeting {"attendees": ["@ben"], "duration": 45, "needsPrepTime": true}
calendar_scheduleMeeting {"attendees": ["@ben"], "preferredTimes": ["2026-11-24T10:00"], "repeat": "FREQ=WEEKLY;COUNT=4"}
calendar_cancelMeeting {"eventId": "REVIEW"}
calendar_answerInvitation {"eventId": "INVITATION", "answer": "declined", "note": "I am away then."}
calendar_rescheduleMeeting {"eventId": "REVIEW", "newTime": "14:00", "reason": "The train is late"}
docs_createDocument {"title": "Agenda", "text": "- oak\n- ash"}
docs_appendToDocument {"documentId": "d1", "text": "- dinner: open"}
docs_updateDocument {"documentId": "d1", "oldText": "house: open", "newText": "house: Sintra\n- dinner: there"}
sheets_createSheet {"title": "Guests", "header": ["Name", "Comes"]}
sheets_appendRows {"sheetId": "s1", "rows": [["Train", "96.6", "TRUE"], ["=SUM(B1:B2)"]]}
sheets_updateCells {"sheetId": "s1", "range": "A1:B1", "values": [["Villa", "700"]]}
job_createJob {"say": "Call Ben", "inMinutes": 20}
job_createJob {"request": "What is new in my mail?", "days": ["mon", "fri"], "time": "08:00"}
job_updateJob {"jobId": "Water the plants", "time": "19:30"}
job_deleteJob {"jobId": "Water the plants"}
slack_sendMessage {"to": "U2", "text": "Lunch at noon?"}
slack_sendMessage {"to": "#general", "text": "Lunch at noon?", "threadTs": "1795251600.000100"}
web_search {"query": "museum hours", "allowedDomains": ["museum.example"]}
web_readPage {"url": "https://museum.example/hours?day=monday"}
system_confirmProposal {"proposalId": "PLAN", "approved": true, "approvedBlocks": ["12:00"]}
system_confirmProposal {"proposalId": "PLAN", "approved": false}
system_modifyProposal {"proposalId": "PLAN", "changes": {"lunchAt": "13:00"}}
system_resumeWorkflow {"workflowId": "PLAN"}
system_provideFeedback {"type": "suggestion", "category": "schedule", "message": "Lunch at one, from now on", "changes": {"lunchAt": "13:00"}}
system_clearContext {"scope": "all"}
system_undo {}
focus_makeRoom {"moves": [{"blockId": "FOCUS", "title": "Focus", "from": {"date": "2026-11-22", "start": "09:00", "end": "12:00"}, "to": {"date": "2026-11-22", "start": "13:00", "end": "16:00"}, "meetings": [{"id": "evt_1", "title": "Sales", "start": "10:00", "end": "11:00"}]}]}
workflow_schedule {"date": "2026-11-24"}
workflow_fillWorkBlock {"blockId": "FOCUS"}
workflow_fillEmailBlock {}
"##;

fn samples(office: &Office) -> Vec<(&'static str, Value)> {
    let ids = [
        ("REPORT", &*office.report),
        ("CALL", &office.call),
        ("FOCUS", &office.focus),
        ("PLAN", &office.plan),
        ("REVIEW", REVIEW),
        ("INVITATION", INVITATION),
        ("LUNCH", LUNCH),
        ("NEWS", NEWS),
    ];
    let named = |(tool, arguments): (&'static str, Value)| {
        let fill = |text: String, (name, id): (&str, &str)| {
            text.replace(&format!("\"{name}\""), &format!("\"{id}\""))
        };
        let text = ids.into_iter().fold(arguments.to_string(), fill);
        (tool, serde_json::from_str(&text).unwrap())
    };
    calls_of(SAMPLES).into_iter().map(named).collect()
}

/// The card of a call, without its deadline line.
async fn card(mut office: Office, tool: &str, arguments: Value) -> String {
    let mut config = Config::default();
    config.policy.tools = [(tool.to_owned(), Setting::Ask)].into();
    office.world.reconfigure(config);
    let before = office.world.chat.posted().len();
    office.world.ask(run(tool, arguments, "t0")).await;
    let posted = office.world.chat.posted().split_off(before);
    let is_card = |kept: &&Kept| {
        let key = kept.idempotency_key.as_deref().unwrap_or_default();
        key.starts_with("card:")
    };
    let Some(kept) = posted.iter().find(is_card) else {
        panic!("{tool} asked nothing: {:?}", office.world.answers().pop());
    };
    shown(kept)
}

/// A message, after checking that it contains nothing internal.
fn shown(kept: &Kept) -> String {
    let said = seen(&kept.text, &kept.blocks);
    is_for_people(&without_marks(&kept.text));
    is_for_people(&without_marks(&said));
    let lines = said.lines().filter(|line| !line.starts_with("Only <@"));
    lines.collect::<Vec<_>>().join("\n").replace("]\n[", "] [")
}

async fn cards(tools: &[&str]) -> String {
    let all = samples(&office().await);
    let mut cards = Vec::new();
    for (at, (tool, _)) in all.iter().enumerate() {
        if !tools.iter().any(|begin| tool.starts_with(begin)) {
            continue;
        }
        let office = office().await;
        let (_, arguments) = samples(&office).swap_remove(at);
        cards.push(format!(
            "== {tool}\n{}",
            card(office, tool, arguments).await
        ));
    }
    cards.join("\n\n")
}

#[tokio::test]
async fn every_tool_that_may_be_asked_about_has_a_card_here() {
    let all = samples(&office().await);
    let shown: BTreeSet<&str> = all.iter().map(|(tool, _)| *tool).collect();
    let tools = alfred_tools::catalogue();
    let asked = tools.iter().map(|tool| tool.def());
    let asked: BTreeSet<&str> = asked
        .filter(|def| def.effect != Effect::Read || def.reaches_out())
        .map(|def| &*def.name)
        .collect();
    assert_eq!(shown, asked);
    for tool in asked {
        let shown = CARDS.split(' ').any(|begin| tool.starts_with(begin));
        assert!(shown, "{tool} has no card below");
    }
}

/// Prefixes of the tools whose cards are tested below.
const CARDS: &str = "\
    calendar_answerInvitation calendar_cancelMeeting calendar_rescheduleMeeting calendar_scheduleMeeting docs \
    email_archiveBatch email_createTaskFromEmail email_discardDrafts email_draftReplies email_markBatch \
    email_processEmail email_restoreBatch email_sendEmail email_setTone focus job preference schedule sheets slack \
    system_clearContext system_confirmProposal system_modifyProposal system_provideFeedback system_resumeWorkflow \
    system_undo task web workflow_fillEmailBlock workflow_fillWorkBlock workflow_schedule";
