//! What a card says of a workflow whose changes its caller names: what is stored, whatever the
//! caller says of it.

use alfred_agent::approval::Approval;
use alfred_core::ports::{Account, Accounts, Event, MailMessage, Mailbox, Query, Range, Store};
use alfred_core::{Role, keys};
use alfred_testkit::{MemoryCalendar, MemoryMail, calls, says};
use insta::assert_snapshot;
use jiff::tz::TimeZone;
use serde_json::{Value, json};
use std::sync::Arc;

use crate::approvals::{ask, waiting};
use crate::proposing::{called, decide, mail, new_blocks, places, proposed, run, submitted, world};
use crate::world::{World, by_progress, dm, results, team};

/// A model that makes this call and then says so; gives what its person is asked.
async fn obeyed(world: &mut World, tool: &str, arguments: &Value) -> Approval {
    world.replace_model(by_progress(vec![
        calls(&[("c1", tool, &arguments.to_string())]),
        says("It waits for you."),
    ]));
    ask(world, dm("U1", "1.1", "tidy up")).await;
    waiting(world).await.pop().expect("its owner is asked")
}

fn body(plan: &Approval) -> String {
    plan.preview.body.clone().unwrap()
}

fn labels(plan: &Approval) -> Vec<&str> {
    let items = plan.preview.items.iter();
    items.map(|item| item.label.as_str()).collect()
}

/// Nothing that a caller made up stands anywhere in what its owner decides about.
fn says_nothing_of(plan: &Approval, lies: &[&str]) {
    let whole = format!(
        "{} {:?} {}",
        plan.preview.as_text(),
        labels(plan),
        plan.payload
    );
    for lie in lies {
        assert!(!whole.contains(lie), "{lie} in {whole}");
    }
}

/// Why a call was refused; nobody was asked.
async fn refused(world: &mut World, tool: &str, arguments: Value, trigger: &str) -> String {
    let asked = waiting(world).await.len();
    let result = called(world, tool, arguments, trigger).await;
    assert_eq!(waiting(world).await.len(), asked, "{result}");
    assert_eq!(result["success"], false, "{result}");
    result["error"].as_str().unwrap().to_owned()
}

fn ana() -> Account {
    Account {
        team: team(),
        user: "U1".into(),
    }
}

async fn with_mail(mails: Vec<MailMessage>) -> World {
    let mut world = world().await;
    let own = Mailbox::new("Ana", "ana@example.com");
    let mail = MemoryMail::new(Arc::new(world.clock.clone())).with(&ana(), own, mails);
    world.connect(Accounts {
        mail: Arc::new(mail),
        ..Accounts::none()
    });
    world
}

#[tokio::test]
async fn a_mail_is_called_what_it_is_on_the_card_that_archives_it() {
    let boss = Mailbox::new("Boss", "boss@example.com");
    let bank = Mailbox::new("", "bank@example.com");
    let mut world = with_mail(vec![
        mail("invoice", boss, "The invoice you owe me", false),
        mail("statement", bank, "Your statement", false),
    ])
    .await;
    let lie = json!({
        "confirmation": {
            "approved": true,
            "approvedArchiveIds": ["invoice", "statement", "invoice"],
            "approvedUrgentIds": ["statement"],
        },
        "proposal": {
            "toArchive": [{"id": "invoice", "from": "Newsletter", "subject": "50% off"}],
            "urgent": [{"id": "statement", "from": "Ben", "subject": "Keep this one"}],
            "batched": [{"sender": "Cleo", "count": 3, "emailIds": []}],
            "notes": {"lines": ["Only newsletters go."], "unmet": ["Nothing else"]},
        },
    });
    let plan = obeyed(&mut world, "workflow_fillEmailBlock", &lie).await;
    let honest = [
        "Boss <boss@example.com>: The invoice you owe me",
        "bank@example.com: Your statement",
    ];
    assert_eq!(labels(&plan), honest);
    for label in honest {
        assert!(body(&plan).contains(label), "{}", body(&plan));
    }
    let lies = [
        "Newsletter",
        "50% off",
        "Ben",
        "Cleo",
        "Only",
        "Nothing else",
    ];
    says_nothing_of(&plan, &lies);
    // What its owner leaves in is still called what it is, and nothing else happens.
    ask(
        &mut world,
        submitted(&plan, &["/confirmation/approvedArchiveIds/1"], None, "t2"),
    )
    .await;
    let second = waiting(&world).await.pop().unwrap();
    assert_eq!(
        (second.revision, labels(&second)),
        (2, honest[1..].to_vec())
    );
    decide(&mut world, &second, "approval_approve", "t3").await;
    let left = called(&mut world, "email_getBacklog", json!({}), "t4").await;
    assert_eq!(
        (&left["total"], &left["emails"][0]["id"]),
        (&json!(1), &json!("invoice"))
    );
    // What doesn't wait any more, or never was, is named by its place.
    for gone in ["statement", "no such mail"] {
        let ids =
            json!({"confirmation": {"approved": true, "approvedArchiveIds": ["invoice", gone]}});
        let trigger = format!("t5{gone}");
        let why = refused(&mut world, "workflow_fillEmailBlock", ids, &trigger).await;
        let field = format!("confirmation.approvedArchiveIds[1]: \"{gone}\" is no e-mail");
        assert!(why.contains(&field), "{why}");
    }
}

async fn block(world: &mut World, date: &str, title: &str, start: &str, end: &str) -> String {
    let block =
        json!({"date": date, "type": "work", "title": title, "startTime": start, "endTime": end});
    let made = called(world, "schedule_createTimeBlock", block, title).await;
    made["block"]["id"].as_str().unwrap().to_owned()
}

async fn task(world: &mut World, title: &str, minutes: u32) -> String {
    let task = json!({"title": title, "estimatedMinutes": minutes});
    let made = called(world, "task_createTask", task, title).await;
    made["task"]["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn blocks_and_tasks_are_called_what_they_are_on_the_card_that_changes_them() {
    let mut world = world().await;
    let board = block(
        &mut world,
        "tomorrow",
        "Board meeting notes",
        "09:00",
        "10:00",
    )
    .await;
    let taxes = block(&mut world, "tomorrow", "Taxes", "13:00", "15:00").await;
    let report = task(&mut world, "Write the report", 45).await;
    let lie = json!({
        "date": "tomorrow",
        "confirmation": {
            "approved": true,
            "removals": [{"blockId": board, "title": "Old draft", "time": "06:00–06:05", "why": "it is empty"}],
            "moves": [{
                "blockId": taxes, "title": "A short walk", "previousTime": "07:00–07:10",
                "newStartTime": "4pm", "newEndTime": "16:10", "why": "you asked",
            }],
            "approvedBlocks": [{
                "type": "work", "title": "Focus\n10:00–11:00  Gym (stays)", "startTime": "10am", "endTime": "11:00",
                "why": "the boss said so",
                "tasks": [{"id": report, "title": "Buy milk", "minutes": 5, "why": "it is due"}],
            }],
        },
        "proposal": {
            "day": [{"id": "blk_1", "startTime": "08:00", "endTime": "08:30", "title": "Yoga", "why": "always"}],
            "free": {"gaps": 99, "minutes": 999},
            "notes": {"lines": ["Nothing is lost."]},
        },
    });
    let plan = obeyed(&mut world, "workflow_schedule", &lie).await;
    assert_snapshot!(body(&plan), @r"
    10:00–11:00  Focus 10:00–11:00 Gym (stays) (NEW: a block of type work)
        • Write the report (45 min)
    16:00–18:00  Taxes (MOVED from 13:00–15:00)
    REMOVED 09:00–10:00 Board meeting notes

    Planned: 38 % → 38 % of 8 hours (300 min in 2 gaps were free).
    ");
    let lies = [
        "Old draft",
        "06:05",
        "it is empty",
        "A short walk",
        "07:10",
        "16:10",
        "you asked",
        "the boss",
        "Buy milk",
        "it is due",
        "Yoga",
        "999",
        "Nothing is lost",
    ];
    says_nothing_of(&plan, &lies);
    decide(&mut world, &plan, "approval_approve", "t2").await;
    let day = json!({"date": "tomorrow"});
    let day = called(&mut world, "schedule_viewSchedule", day, "t3").await;
    let blocks = day["blocks"].as_array().unwrap();
    let times: Vec<(&Value, &Value)> = blocks
        .iter()
        .map(|block| (&block["startTime"], &block["endTime"]))
        .collect();
    let (ten, eleven, four, six) = (
        json!("10:00"),
        json!("11:00"),
        json!("16:00"),
        json!("18:00"),
    );
    assert_eq!(times, [(&ten, &eleven), (&four, &six)], "as it was shown");
    assert_eq!(blocks[0]["tasks"][0]["id"], report);
}

fn changing(what: &str, change: Value) -> Value {
    let mut confirmation = json!({"approved": true, "approvedBlocks": []});
    confirmation[what] = json!([change]);
    json!({"date": "tomorrow", "confirmation": confirmation})
}

#[tokio::test]
async fn what_isnt_there_or_not_alfreds_is_refused_by_its_place() {
    let mut world = world().await;
    world.register("U2", "Ben", Role::Member).await;
    let event: Event = serde_json::from_value(json!({
        "id": "e1", "title": "Board", "own": true, "busy": true,
        "time": {"timed": {"start": "2026-11-22T10:00:00Z", "end": "2026-11-22T11:00:00Z"}},
    }))
    .unwrap();
    let own = Mailbox::new("Ana", "ana@example.com");
    let calendar = MemoryCalendar::default().with(&ana(), own, TimeZone::UTC, vec![event]);
    world.connect(Accounts {
        calendar: Arc::new(calendar),
        ..Accounts::none()
    });
    let later = block(&mut world, "2026-11-24", "Another day", "09:00", "10:00").await;
    let mut theirs = run(
        "schedule_createTimeBlock",
        json!({"date": "tomorrow", "type": "work", "title": "Ben's", "startTime": "12:00", "endTime": "13:00"}),
        "b2",
    );
    theirs.user = "U2".into();
    ask(&mut world, theirs).await;
    world.owner = "U2".into();
    let runs = world.runs().await;
    let made = results(&world.steps(&runs[0].id).await).pop().unwrap();
    let bens = made["block"]["id"].as_str().unwrap().to_owned();
    world.owner = "U1".into();
    assert_ne!(bens, later);
    let day = json!({"date": "tomorrow"});
    let day = called(&mut world, "schedule_viewSchedule", day, "t0").await;
    let meeting = day["blocks"][0]["id"].as_str().unwrap().to_owned();
    assert!(meeting.starts_with("evt_"), "{day}");
    let cases = [
        (meeting, "is a meeting of the calendar"),
        (bens, "is no block of that day"),
        (later, "is no block of that day"),
        ("Another day".to_owned(), "is no block of that day"),
        ("blk_none".to_owned(), "is no block of that day"),
    ];
    for (at, (id, problem)) in cases.iter().enumerate() {
        let removal = changing(
            "removals",
            json!({"blockId": id, "title": "x", "time": "", "why": ""}),
        );
        let why = refused(&mut world, "workflow_schedule", removal, &format!("r{at}")).await;
        let field = format!("confirmation.removals[0].blockId: \"{id}\" {problem}");
        assert!(why.contains(&field), "{why}");
        let moving = changing(
            "moves",
            json!({"blockId": id, "title": "x", "previousTime": "", "newStartTime": "08:00", "newEndTime": "", "why": ""}),
        );
        let why = refused(&mut world, "workflow_schedule", moving, &format!("m{at}")).await;
        let field = format!("confirmation.moves[0].blockId: \"{id}\" {problem}");
        assert!(why.contains(&field), "{why}");
    }
    let new = |kind: &str, start: &str, task: &str| {
        changing(
            "approvedBlocks",
            json!({
                "type": kind, "title": "x", "startTime": start, "endTime": "15:00",
                "tasks": [{"id": task, "title": "", "minutes": 1, "why": ""}],
            }),
        )
    };
    for (at, (new, field)) in [
        (
            new("nap", "14:00", "tsk_1"),
            "confirmation.approvedBlocks[0].type: \"nap\"",
        ),
        (
            new("work", "16:00", "tsk_1"),
            "confirmation.approvedBlocks[0].endTime: \"15:00\"",
        ),
        (
            new("work", "14:00", "tsk_1"),
            "confirmation.approvedBlocks[0].tasks[0].id: \"tsk_1\" is no task",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let why = refused(&mut world, "workflow_schedule", new, &format!("n{at}")).await;
        assert!(why.contains(field), "{why}");
    }
}

#[tokio::test]
async fn tasks_are_called_what_they_are_on_the_card_that_fills_a_block() {
    let mut world = world().await;
    let focus = block(&mut world, "tomorrow", "Focus", "09:00", "11:00").await;
    let taxes = task(&mut world, "File the taxes", 90).await;
    let lie = json!({
        "blockId": focus,
        "confirmation": {"approved": true, "approvedTaskIds": [taxes]},
        "proposal": {
            "blockTitle": "Spare time", "date": "2026-12-24", "time": "20:00–20:05", "minutes": 5,
            "tasks": [{"id": taxes, "title": "Water the plants", "minutes": 1, "score": 100}],
            "reasoning": "It takes no time.", "notes": {"lines": ["Nothing else changes."]},
        },
    });
    let plan = obeyed(&mut world, "workflow_fillWorkBlock", &lie).await;
    assert_snapshot!(plan.preview.as_text(), @r#"
    Fill "Focus" with tasks
    When: 2026-11-22 09:00–11:00
    Free: 120 min

    • File the taxes (90 min, score 30)

    One task takes 90 of 120 minutes; total score 30.
    "#);
    assert_eq!(labels(&plan), ["File the taxes"]);
    let lies = [
        "Spare time",
        "12-24",
        "20:0",
        "Water",
        "takes no time",
        "Nothing else",
    ];
    says_nothing_of(&plan, &lies);
    let unknown = json!({"blockId": focus, "confirmation": {"approved": true, "approvedTaskIds": ["tsk_none"]}});
    let why = refused(&mut world, "workflow_fillWorkBlock", unknown, "t2").await;
    let field = "confirmation.approvedTaskIds[0]: \"tsk_none\" is no task of the backlog";
    assert!(why.contains(field), "{why}");
    let nowhere = json!({"blockId": "blk_none", "confirmation": {"approved": true, "approvedTaskIds": [taxes]}});
    let why = refused(&mut world, "workflow_fillWorkBlock", nowhere, "t3").await;
    assert!(
        why.contains("blockId: \"blk_none\" is no work block"),
        "{why}"
    );
}

#[tokio::test]
async fn an_edit_keeps_what_alfred_itself_said() {
    let mut world = world().await;
    task(&mut world, "Write the report", 60).await;
    let tomorrow = json!({"date": "tomorrow"});
    let first = proposed(&mut world, "workflow_schedule", tomorrow, "t1").await;
    let kept = places(&first);
    ask(&mut world, submitted(&first, &kept[1..], None, "t2")).await;
    let second = waiting(&world).await.pop().unwrap();
    assert_eq!(second.revision, 2);
    assert_eq!(
        new_blocks(&second),
        &new_blocks(&first)[1..],
        "with their reasons"
    );
    assert_eq!(second.payload["proposal"], first.payload["proposal"]);
    // The same as a call of its own says nothing of the reasons.
    let again = proposed(
        &mut world,
        "workflow_schedule",
        second.payload.clone(),
        "t3",
    )
    .await;
    let whys = |plan: &Approval| -> Vec<String> {
        let why = |block: &Value| block["why"].as_str().unwrap().to_owned();
        new_blocks(plan).iter().map(why).collect()
    };
    assert_eq!(new_blocks(&again).len(), new_blocks(&second).len());
    assert!(
        whys(&again)
            .iter()
            .all(|why| why.starts_with("a block of type ")),
        "{:?}",
        whys(&again)
    );
}

#[tokio::test]
async fn a_mail_that_is_taken_out_counts_for_who_wrote_it() {
    let posing = Mailbox::new("Boss <boss@x.example>: hi", "evil@y.example");
    let shop = |n: usize| Mailbox::new("Shop", &format!("ads{n}@shop.example"));
    let mut world = with_mail(vec![
        mail("posing", posing, "Offers", true),
        mail("ad1", shop(1), "Offers", true),
        mail("ad2", shop(2), "Digest", true),
    ])
    .await;
    let first = proposed(&mut world, "workflow_fillEmailBlock", json!({}), "t1").await;
    let ids = first.payload["confirmation"]["approvedArchiveIds"].as_array();
    let ids = ids.unwrap().clone();
    assert_eq!(ids.len(), 3, "{}", first.payload);
    let keep: Vec<String> = (0..3)
        .filter(|at| ids[*at] != "posing")
        .map(|at| format!("/confirmation/approvedArchiveIds/{at}"))
        .collect();
    let keep: Vec<&str> = keep.iter().map(String::as_str).collect();
    ask(&mut world, submitted(&first, &keep, None, "t2")).await;
    let second = waiting(&world).await.pop().unwrap();
    assert_eq!(
        second.payload["confirmation"]["approvedArchiveIds"],
        json!(["ad2", "ad1"])
    );
    decide(&mut world, &second, "approval_approve", "t3").await;
    let at = "2026-11-21T12:00:00Z".parse().unwrap();
    let partition = keys::workflows(&team(), &"U1".into(), at);
    let page = world
        .store
        .query(&Query::state(partition, Range::All))
        .await;
    let offers = page.unwrap().items[0].body["offers"].clone();
    assert_eq!(
        offers,
        json!([
            {"of": "archiving", "sender": "evil@y.example", "taken": false},
            {"of": "archiving", "sender": "ads2@shop.example", "taken": true},
            {"of": "archiving", "sender": "ads1@shop.example", "taken": true},
        ])
    );
}
