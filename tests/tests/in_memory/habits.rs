//! What was said and done before, as later proposals follow it, through the front door.

use alfred_agent::approval::Approval;
use alfred_core::ports::{MailMessage, Mailbox};
use serde_json::{Value, json};
use std::time::Duration;

use crate::accounts::ana;
use crate::approvals::waiting;
use crate::proposing::{lunch, mail, new_blocks, places, submitted, suggestion, world};
use crate::world::World;

const DAY: Duration = Duration::from_secs(24 * 3_600);

async fn plan(world: &mut World, arguments: Value) -> Approval {
    world.proposed("workflow_schedule", arguments).await
}

fn lunch_of(plan: &Approval) -> String {
    let lunch = lunch(new_blocks(plan));
    lunch["startTime"].as_str().unwrap().to_owned()
}

/// Plans four days for which the person asks for lunch at one in the card's own words.
async fn four_plans(world: &mut World) {
    for n in 0..4 {
        let first = plan(world, json!({"date": "tomorrow"})).await;
        assert_eq!(lunch_of(&first), "12:00", "three times are not enough");
        let all = places(&first);
        let modified = submitted(&first, &all, Some("lunch at one"), &format!("m{n}"));
        world.ask(modified).await;
        let second = waiting(world).await.pop().unwrap();
        world
            .decide(&second, "approval_approve", &format!("d{n}"))
            .await;
        world.clock.advance(DAY);
    }
}

#[tokio::test]
async fn what_is_asked_for_on_the_card_four_times_is_proposed_the_fifth() {
    let mut world = world().await;
    four_plans(&mut world).await;
    let fifth = plan(&mut world, json!({"date": "tomorrow"})).await;
    assert_eq!(lunch_of(&fifth), "13:00");
    let card = fifth.preview.as_text();
    assert!(
        card.contains("Lunch at 13:00: you asked for it 4 of 4 times."),
        "{card}"
    );
    assert_eq!(
        card.matches("13:00: ").count(),
        1,
        "said in one line: {card}"
    );
    // Words of this request come first, and so does a preference for this plan.
    world.decide(&fifth, "approval_reject", "t6").await;
    for (n, more) in [
        json!({"date": "tomorrow", "changes": {"lunchAt": "11:30"}}),
        json!({"date": "tomorrow", "preferences": {"lunchTime": "11:30"}}),
    ]
    .into_iter()
    .enumerate()
    {
        let other = plan(&mut world, more).await;
        assert_eq!(lunch_of(&other), "11:30");
        assert!(!other.preview.as_text().contains("you asked for it"));
        world
            .decide(&other, "approval_reject", &format!("v{n}"))
            .await;
    }
    // So does what the person set for good.
    world
        .called(
            "preference_updatePreferences",
            json!({"lunchTime": "12:30"}),
        )
        .await;
    let set = plan(&mut world, json!({"date": "tomorrow"})).await;
    assert_eq!(lunch_of(&set), "12:30");
}

#[tokio::test]
async fn feedback_does_not_override_a_preference_that_was_set() {
    let mut world = world().await;
    let remark = suggestion(json!({"lunchAt": "13:00", "noEmail": true}));
    world.called("system_provideFeedback", remark).await;
    world
        .called(
            "preference_updatePreferences",
            json!({"lunchTime": "12:30"}),
        )
        .await;
    let found = plan(&mut world, json!({"date": "tomorrow"})).await;
    assert_eq!(lunch_of(&found), "12:30");
    let card = found.preview.as_text();
    assert!(
        card.contains("From what you said before: no e-mail."),
        "{card}"
    );
    let kinds: Vec<&Value> = new_blocks(&found)
        .iter()
        .map(|block| &block["type"])
        .collect();
    assert!(!kinds.contains(&&json!("email")), "{kinds:?}");
}

fn offer(id: &str, from: &str) -> MailMessage {
    mail(id, Mailbox::new("Shop", from), &format!("Offer {id}"), true)
}

#[tokio::test]
async fn a_sender_whose_mail_is_kept_again_and_again_is_not_proposed_for_the_archive() {
    let mut world = world().await;
    let mails = vec![offer("kept", "News@Shop.example")];
    let mailbox = world.has_mails(mails);
    let new = |n: usize| offer(&format!("ad{n}"), &format!("ads{n}@x.example"));
    for n in 0..4 {
        mailbox.arrive(&ana(), new(n));
        let first = world.proposed("workflow_fillEmailBlock", json!({})).await;
        let ids = &first.payload["confirmation"]["approvedArchiveIds"];
        let place = |id: &str| {
            ids.as_array()
                .unwrap()
                .iter()
                .position(|one| one == id)
                .unwrap()
        };
        assert_ne!(place("kept"), place(&format!("ad{n}")), "both are proposed");
        let keep = format!(
            "/confirmation/approvedArchiveIds/{}",
            place(&format!("ad{n}"))
        );
        world
            .ask(submitted(&first, &[&keep], None, &format!("m{n}")))
            .await;
        let second = waiting(&world).await.pop().unwrap();
        world
            .decide(&second, "approval_approve", &format!("d{n}"))
            .await;
        world.clock.advance(DAY);
    }
    mailbox.arrive(&ana(), new(5));
    let fifth = world.proposed("workflow_fillEmailBlock", json!({})).await;
    assert_eq!(
        fifth.payload["confirmation"]["approvedArchiveIds"],
        json!(["ad5"])
    );
    let card = fifth.preview.as_text();
    assert!(
        card.contains("Not proposed for the archive: mail from news@shop.example, which you kept 4 of 4 times."),
        "{card}"
    );
}

#[tokio::test]
async fn a_task_that_is_left_out_again_and_again_is_not_proposed_again() {
    let mut world = world().await;
    for title in ["Taxes", "Write the report"] {
        let task = json!({"title": title, "estimatedMinutes": 30});
        world.called("task_createTask", task).await;
    }
    let block = json!({"date": "2026-11-30", "type": "work", "title": "Focus", "startTime": "09:00", "endTime": "11:00"});
    world.called("schedule_createTimeBlock", block).await;
    for n in 0..4 {
        let first = world
            .proposed("workflow_fillWorkBlock", json!({"blockId": "focus"}))
            .await;
        let tasks = first.payload["proposal"]["tasks"].as_array().unwrap();
        let report = tasks
            .iter()
            .position(|task| task["title"] == "Write the report")
            .unwrap_or_else(|| panic!("{n}: {}", first.payload));
        let keep = format!("/confirmation/approvedTaskIds/{report}");
        world
            .ask(submitted(&first, &[&keep], None, &format!("m{n}")))
            .await;
        let second = waiting(&world).await.pop().unwrap();
        world
            .decide(&second, "approval_approve", &format!("d{n}"))
            .await;
        let back = json!({"taskId": "Write the report", "status": "backlog"});
        world.called("task_updateTask", back).await;
    }
    let fifth = world
        .proposed("workflow_fillWorkBlock", json!({"blockId": "focus"}))
        .await;
    let card = fifth.preview.as_text();
    assert!(
        card.contains("Not proposed again: \"Taxes\", which you left out 4 of 4 times."),
        "{card}"
    );
    assert_eq!(places(&fifth).len(), 1);
    world.decide(&fifth, "approval_reject", "t6").await;
    // Named by the person it is proposed.
    let named = json!({"blockId": "focus", "changes": {"first": ["taxes"]}});
    let named = world.proposed("workflow_fillWorkBlock", named).await;
    assert_eq!(places(&named).len(), 2);
}

#[tokio::test]
async fn a_plan_has_lunch_when_it_is_on_other_days() {
    let mut world = world().await;
    for n in 17..=20 {
        let lunch = json!({
            "date": format!("2026-11-{n}"), "type": "break", "title": "Lunch",
            "startTime": "13:00", "endTime": "14:00",
        });
        world.called("schedule_createTimeBlock", lunch).await;
    }
    let first = plan(&mut world, json!({"date": "tomorrow"})).await;
    assert_eq!(lunch_of(&first), "13:00");
    let card = first.preview.as_text();
    assert!(
        card.contains("Lunch at 13:00: it was so 4 of 4 times."),
        "{card}"
    );
    assert!(!card.contains("as you asked"), "nobody asked: {card}");
    world.decide(&first, "approval_reject", "t2").await;
    // What was said last comes before what was so.
    let remark = suggestion(json!({"lunchAt": "11:30"}));
    world.called("system_provideFeedback", remark).await;
    let second = plan(&mut world, json!({"date": "tomorrow"})).await;
    assert_eq!(lunch_of(&second), "11:30");
    assert!(!second.preview.as_text().contains("it was so"));
}

#[tokio::test]
async fn a_block_is_filled_less_where_tasks_take_longer_than_estimated() {
    let mut world = world().await;
    let at = |world: &World, time: &str| world.clock.set(time.parse().unwrap());
    for n in 22..=25 {
        at(&world, &format!("2026-11-{n}T07:00:00Z"));
        let date = format!("2026-11-{n}");
        let block = json!({"date": date, "type": "work", "title": "Focus", "startTime": "09:00", "endTime": "11:00"});
        let block = world.called("schedule_createTimeBlock", block).await;
        let task = json!({"title": format!("Report {n}"), "estimatedMinutes": 30});
        let task = world.called("task_createTask", task).await;
        let id = task["task"]["id"].clone();
        let assign = json!({"taskIds": [id], "blockId": block["block"]["id"]});
        world.called("task_assignToTimeBlock", assign).await;
        // 09:45 in Berlin.
        at(&world, &format!("2026-11-{n}T08:45:00Z"));
        world
            .called("task_completeTask", json!({"taskId": id}))
            .await;
    }
    let block = json!({"date": "2026-11-26", "type": "work", "title": "Writing", "startTime": "09:00", "endTime": "10:30"});
    world.called("schedule_createTimeBlock", block).await;
    for n in 0..3 {
        let task = json!({"title": format!("Task {n}"), "estimatedMinutes": 30});
        world.called("task_createTask", task).await;
    }
    let filled = json!({"blockId": "writing"});
    let filled = world.proposed("workflow_fillWorkBlock", filled).await;
    let card = filled.preview.as_text();
    assert!(
        card.contains("60 of 90 minutes are filled: your tasks took about 150 % of their estimates (4 of 4 of them)."),
        "{card}"
    );
    assert_eq!(
        places(&filled).len(),
        2,
        "three would fit by their estimates"
    );
}
