//! Every card as a person sees it: what each tool asks before it does something, and what becomes of a card.

use alfred_agent::tool::Effect;
use alfred_core::Config;
use alfred_core::ports::{Accounts, Attendance, Attendee, ChatChannel, Event, Mailbox};
use alfred_core::{Role, policy::Setting};
use alfred_testkit::wording::{is_for_people, without_marks};
use alfred_testkit::{Kept, MemoryCalendar, MemoryMail, fixtures};
use alfred_tests::seen;
use jiff::tz::TimeZone;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;

mod states;
mod tools;
mod workflows;

use crate::accounts::ana;
use crate::proposing::{mail, run, world};
use crate::world::World;

/// Ids as providers and models use them: none of them may stand on a card.
const REVIEW: &str = "18c2f0a1b2c3d4e5";
const INVITATION: &str = "18c2f0a1b2c3d4e0";
const LUNCH: &str = "18c2f0a1b2c3d4e6";
const NEWS: &str = "18c2f0a1b2c3d4e7";

/// Ana, with something for each tool to work on.
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

/// Ben asks Ana along.
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
    let owner = || Mailbox::new("Ana", "ana@example.com");
    let berlin = TimeZone::get("Europe/Berlin").unwrap();
    world.connect(Accounts {
        mail: Arc::new(MemoryMail::new(world.ports.clock.clone()).with(&ana(), owner(), mails)),
        calendar: Arc::new(
            MemoryCalendar::default()
                .with(&ana(), owner(), berlin, vec![review(), invitation()])
                .with_colleague(&ana(), "ben@example.com", vec![]),
        ),
    });
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

/// A call of every tool that may be asked about, as models make it: things by their ids.
fn samples(office: &Office) -> Vec<(&'static str, Value)> {
    let Office {
        report,
        call,
        focus,
        plan,
        ..
    } = office;
    let day = json!({"date": "tomorrow", "type": "work", "title": "Mail", "startTime": "14:00", "endTime": "15:00"});
    let block =
        json!({"type": "blocked", "title": "Dentist", "startTime": "16:00", "endTime": "17:00"});
    vec![
        (
            "preference_updatePreferences",
            json!({"workStartTime": "08:00", "lunchTime": "13:00"}),
        ),
        ("schedule_createTimeBlock", day),
        (
            "schedule_moveTimeBlock",
            json!({"blockId": focus, "newStartTime": "13:00"}),
        ),
        ("schedule_deleteTimeBlock", json!({"blockId": focus})),
        ("schedule_fillWorkBlock", json!({"blockId": focus})),
        (
            "schedule_batchCreateBlocks",
            json!({"date": "tomorrow", "blocks": [block]}),
        ),
        (
            "task_createTask",
            json!({"title": "Book a room", "estimatedMinutes": 15, "dueDate": "tomorrow"}),
        ),
        ("task_deleteTask", json!({"taskId": report})),
        (
            "task_updateTask",
            json!({"taskId": report, "title": "Write the summary", "estimatedMinutes": 90}),
        ),
        (
            "task_completeTask",
            json!({"taskId": report, "notes": "Sent to Ben"}),
        ),
        (
            "task_assignToTimeBlock",
            json!({"taskIds": [report, call], "blockId": focus}),
        ),
        (
            "email_processEmail",
            json!({"emailId": LUNCH, "action": "send_reply", "replyText": "At one, then."}),
        ),
        (
            "email_processEmail",
            json!({"emailId": LUNCH, "action": "archive"}),
        ),
        (
            "email_processEmail",
            json!({"emailId": LUNCH, "action": "convert_to_task", "taskTitle": "Lunch"}),
        ),
        (
            "email_archiveBatch",
            json!({"emailIds": [LUNCH, NEWS], "reason": "Done with"}),
        ),
        (
            "email_restoreBatch",
            json!({"emails": [{"emailId": LUNCH, "status": "unread"}, {"emailId": NEWS, "status": "read"}]}),
        ),
        ("email_markBatch", json!({"emailIds": [LUNCH, NEWS]})),
        (
            "email_createTaskFromEmail",
            json!({"emailId": LUNCH, "customTitle": "Answer Chiyo"}),
        ),
        (
            "calendar_scheduleMeeting",
            json!({"attendees": ["@ben"], "duration": 45, "needsPrepTime": true}),
        ),
        (
            "calendar_scheduleMeeting",
            json!({"attendees": ["@ben"], "preferredTimes": ["2026-11-24T10:00"], "repeat": "FREQ=WEEKLY;COUNT=4"}),
        ),
        ("calendar_cancelMeeting", json!({"eventId": REVIEW})),
        (
            "calendar_answerInvitation",
            json!({"eventId": INVITATION, "answer": "declined", "note": "I am away then."}),
        ),
        (
            "calendar_rescheduleMeeting",
            json!({"eventId": REVIEW, "newTime": "14:00", "reason": "The train is late"}),
        ),
        (
            "slack_sendMessage",
            json!({"to": "U2", "text": "Lunch at noon?"}),
        ),
        (
            "slack_sendMessage",
            json!({"to": "#general", "text": "Lunch at noon?", "threadTs": "1795251600.000100"}),
        ),
        (
            "system_confirmProposal",
            json!({"proposalId": plan, "approved": true, "approvedBlocks": ["12:00"]}),
        ),
        (
            "system_confirmProposal",
            json!({"proposalId": plan, "approved": false}),
        ),
        (
            "system_modifyProposal",
            json!({"proposalId": plan, "feedback": "Lunch at one"}),
        ),
        ("system_resumeWorkflow", json!({"workflowId": plan})),
        (
            "system_provideFeedback",
            json!({"type": "suggestion", "category": "schedule", "message": "Lunch at one, from now on", "changes": {"lunchAt": "13:00"}}),
        ),
        ("system_clearContext", json!({"scope": "all"})),
        ("system_undo", json!({})),
        ("workflow_schedule", json!({"date": "2026-11-24"})),
        ("workflow_fillWorkBlock", json!({"blockId": focus})),
        ("workflow_fillEmailBlock", json!({})),
    ]
}

/// The card of a call, without who may decide until when, which all have.
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

/// A message of Alfred's, of which nothing is meant for a model or a programmer.
fn shown(kept: &Kept) -> String {
    let said = seen(&kept.text, &kept.blocks);
    is_for_people(&without_marks(&kept.text));
    is_for_people(&without_marks(&said));
    let lines = said.lines().filter(|line| !line.starts_with("Only <@"));
    lines.collect::<Vec<_>>().join("\n").replace("]\n[", "] [")
}

/// The cards of a toolset, one below the other.
async fn cards(toolset: &str) -> String {
    let all = samples(&office().await);
    let mut cards = Vec::new();
    for (at, (tool, _)) in all.iter().enumerate() {
        if !tool.starts_with(&format!("{toolset}_")) {
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
    let toolsets: BTreeSet<&str> = asked
        .iter()
        .filter_map(|name| Some(name.split_once('_')?.0))
        .collect();
    assert_eq!(
        toolsets,
        BTreeSet::from(TOOLSETS),
        "each has its cards below"
    );
}

/// Those whose cards stand below.
const TOOLSETS: [&str; 8] = [
    "calendar",
    "email",
    "preference",
    "schedule",
    "slack",
    "system",
    "task",
    "workflow",
];
