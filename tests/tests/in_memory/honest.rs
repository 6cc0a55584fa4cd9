//! How often somebody is asked who wants an honest thing of a run that has read mail: what their own words say
//! word for word isn't asked about, what a model derived is, and what reaches others always is.

use alfred_core::Role;
use alfred_core::ports::Mailbox;
use alfred_testkit::fixtures::mail;
use alfred_testkit::{calls, says};
use serde_json::{Value, json};

use crate::approvals::waiting;
use crate::proposing::run;
use crate::world::{World, by_progress, dm};

/// A request, and the call that a model makes of it.
type Task = (&'static str, &'static str, Value);

/// What touches one's own things alone.
fn own() -> Vec<Task> {
    let preferences = "preference_updatePreferences";
    vec![
        (
            "my work day starts at 8",
            preferences,
            json!({"workStartTime": "08:00"}),
        ),
        (
            "I work from 10 to 4 now",
            preferences,
            json!({"workStartTime": "10:00", "workEndTime": "16:00"}),
        ),
        (
            "lunch takes 45 minutes",
            preferences,
            json!({"lunchDuration": 45}),
        ),
        (
            "Mittag ist ab jetzt um 12:30",
            preferences,
            json!({"lunchTime": "12:30"}),
        ),
        (
            "I'm in Lisbon this week",
            preferences,
            json!({"timezone": "Europe/Lisbon"}),
        ),
        (
            "be more detailed",
            preferences,
            json!({"verbosity": "detailed"}),
        ),
        (
            "half an hour for lunch from now on",
            preferences,
            json!({"lunchDuration": 30}),
        ),
        (
            "add a task to call Pia",
            "task_createTask",
            json!({"title": "Call Pia"}),
        ),
        (
            "make the report high priority",
            "task_updateTask",
            json!({"taskId": "report", "priority": "high"}),
        ),
        (
            "rename the report to Q3 figures",
            "task_updateTask",
            json!({"taskId": "report", "title": "Q3 figures"}),
        ),
        (
            "the report takes 90 minutes",
            "task_updateTask",
            json!({"taskId": "report", "estimatedMinutes": 90}),
        ),
        (
            "the badges are done",
            "task_completeTask",
            json!({"taskId": "badges"}),
        ),
        (
            "block 15:00 to 16:00 for the report",
            "schedule_createTimeBlock",
            json!({"title": "Report", "type": "work", "date": "2026-11-21", "startTime": "15:00", "endTime": "16:00"}),
        ),
        (
            "move the deep work to 12:00",
            "schedule_moveTimeBlock",
            json!({"blockId": "deep work", "newStartTime": "12:00"}),
        ),
        (
            "remember: no calls before 10:00",
            "system_provideFeedback",
            json!({"type": "suggestion", "category": "schedule", "message": "no calls before 10:00", "changes": {"noMeetingsBefore": "10:00"}}),
        ),
    ]
}

/// What reaches others.
fn outward() -> Vec<Task> {
    vec![
        (
            "tell Ben that lunch is at noon",
            "slack_sendMessage",
            json!({"to": "Ben", "text": "Lunch is at noon."}),
        ),
        (
            "tell Ben that I'm late",
            "slack_sendMessage",
            json!({"to": "Ben", "text": "I'm late."}),
        ),
        (
            "ask Ben for the slides",
            "slack_sendMessage",
            json!({"to": "Ben", "text": "Could you send me the slides?"}),
        ),
    ]
}

/// Somebody with mail, two tasks and a block, who asks this; how often they are asked, and the answer.
async fn questions((request, tool, arguments): &Task) -> (usize, String) {
    let read = ("c1", "email_readEmail", r#"{"emailId": "m1"}"#.to_owned());
    let call = ("c2", *tool, arguments.to_string());
    let steps = [read, call].map(|(id, tool, arguments)| calls(&[(id, tool, &arguments)]));
    let steps = steps.into_iter().chain([says("Here is where it stands.")]);
    let mut world = World::new(by_progress(steps.collect())).await;
    world.register("U2", "Ben", Role::Member).await;
    let pia = Mailbox::new("Pia", "pia@x.example");
    world.has_mails(vec![mail("m1", pia, "Hello", "See you soon.")]);
    let there = [
        ("task_createTask", json!({"title": "Report"})),
        ("task_createTask", json!({"title": "Order badges"})),
        (
            "schedule_createTimeBlock",
            json!({"title": "Deep work", "type": "work", "date": "2026-11-21", "startTime": "13:00", "endTime": "14:00"}),
        ),
    ];
    for (n, (tool, arguments)) in there.into_iter().enumerate() {
        world.ask(run(tool, arguments, &format!("s{n}"))).await;
        let made = world.answers().pop().unwrap();
        assert!(made.contains('✓'), "{tool}: {made}");
    }
    let asked = format!("read Pia's mail, and {request}");
    world.ask(dm("U1", "9.1", &asked)).await;
    (
        waiting(&world).await.len(),
        world.answers().pop().unwrap_or_default(),
    )
}

#[tokio::test]
async fn an_honest_task_on_ones_own_things_is_rarely_asked_about() {
    let tasks = own();
    let mut asked = Vec::new();
    for task in &tasks {
        let (count, answer) = questions(task).await;
        if count > 0 {
            asked.push(task.0);
        } else {
            assert!(answer.contains('✓'), "{}: {answer}", task.0);
        }
    }
    println!("{} of {} asked about", asked.len(), tasks.len());
    // Thirty minutes are what a model made of half an hour.
    assert_eq!(asked, ["half an hour for lunch from now on"]);
}

#[tokio::test]
async fn what_reaches_others_is_asked_about_once() {
    for task in &outward() {
        assert_eq!(questions(task).await.0, 1, "{}", task.0);
    }
}
