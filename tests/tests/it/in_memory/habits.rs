use alfred_agent::model::Approval;
use alfred_core::ports::{MailMessage, Mailbox};
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::time::Duration;

use crate::in_memory::accounts::ana;
use crate::in_memory::approvals::waiting;
use crate::in_memory::proposing::{
    lunch_of, mail, new_blocks, noted, places, submitted, suggestion, world,
};
use crate::in_memory::world::World;

const DAY: Duration = Duration::from_secs(24 * 3_600);

async fn plan(world: &mut World, arguments: Value) -> Approval {
    world.proposed("workflow_schedule", arguments).await
}

/// Plans four days; each time the person asks for lunch at one on the card.
async fn four_plans(world: &mut World) {
    for n in 0..4 {
        let first = plan(world, json!({"date": "tomorrow"})).await;
        assert_eq!(lunch_of(&first), "12:00", "three times are not enough");
        let all = places(&first);
        let modified = submitted(&first, &all, Some("lunch at one"), &format!("m{n}"));
        world.ask(modified).await;
        let second = waiting(world).await.pop().unwrap();
        world.decide(&second, "approval_approve").await;
        world.clock.advance(DAY);
    }
}

#[tokio::test]
async fn what_is_asked_for_on_the_card_four_times_is_proposed_the_fifth() {
    let mut world = world().await;
    four_plans(&mut world).await;
    let fifth = plan(&mut world, json!({"date": "tomorrow"})).await;
    assert_eq!(lunch_of(&fifth), "13:00");
    assert_snapshot!(noted(&fifth, "13:00: "), @"Lunch at 13:00: you asked for it 4 of 4 times.");
    world.decide(&fifth, "approval_reject").await;
    for more in [
        json!({"date": "tomorrow", "changes": {"lunchAt": "11:30"}}),
        json!({"date": "tomorrow", "preferences": {"lunchTime": "11:30"}}),
    ] {
        let other = plan(&mut world, more).await;
        assert_eq!(lunch_of(&other), "11:30");
        assert!(!other.preview.as_text().contains("you asked for it"));
        world.decide(&other, "approval_reject").await;
    }
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
    assert_snapshot!(noted(&found, "From what"), @"From what you said before: no e-mail.");
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
        world.decide(&second, "approval_approve").await;
        world.clock.advance(DAY);
    }
    mailbox.arrive(&ana(), new(5));
    let fifth = world.proposed("workflow_fillEmailBlock", json!({})).await;
    assert_eq!(
        fifth.payload["confirmation"]["approvedArchiveIds"],
        json!(["ad5"])
    );
    assert_snapshot!(noted(&fifth, "Not proposed"), @"Not proposed for the archive: mail from news@shop.example, which you kept 4 of 4 times.");
}

#[tokio::test]
async fn a_task_that_is_left_out_again_and_again_is_not_proposed_again() {
    let mut world = world().await;
    for title in ["Taxes", "Write the report"] {
        world.task(title, 30).await;
    }
    world.block("2026-11-30", "work 09:00-11:00 Focus").await;
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
        world.decide(&second, "approval_approve").await;
        let back = json!({"taskId": "Write the report", "status": "backlog"});
        world.called("task_updateTask", back).await;
    }
    let fifth = world
        .proposed("workflow_fillWorkBlock", json!({"blockId": "focus"}))
        .await;
    assert_snapshot!(noted(&fifth, "Not proposed"), @r#"Not proposed again: "Taxes", which you left out 4 of 4 times."#);
    assert_eq!(places(&fifth).len(), 1);
    world.decide(&fifth, "approval_reject").await;
    // A task the person names is proposed.
    let named = json!({"blockId": "focus", "changes": {"first": ["taxes"]}});
    let named = world.proposed("workflow_fillWorkBlock", named).await;
    assert_eq!(places(&named).len(), 2);
}

#[tokio::test]
async fn a_plan_has_lunch_when_it_is_on_other_days() {
    let mut world = world().await;
    for n in 23..=26 {
        let lunch = json!({
            "date": format!("2026-11-{n}"), "type": "break", "title": "Lunch",
            "startTime": "13:00", "endTime": "14:00",
        });
        world.called("schedule_createTimeBlock", lunch).await;
    }
    world.clock.advance(6 * DAY);
    let first = plan(&mut world, json!({"date": "tomorrow"})).await;
    assert_eq!(lunch_of(&first), "13:00");
    assert_snapshot!(noted(&first, "Lunch at"), @"Lunch at 13:00: it was so 4 of 4 times.");
    assert_eq!(noted(&first, "as you asked"), "", "nobody asked");
    world.decide(&first, "approval_reject").await;
    // The latest remark wins over habits.
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
        let task = world.task(&format!("Report {n}"), 30).await;
        let id = task["task"]["id"].clone();
        let assign = json!({"taskIds": [id], "blockId": block["block"]["id"]});
        world.called("task_assignToTimeBlock", assign).await;
        // 09:45 in Berlin.
        at(&world, &format!("2026-11-{n}T08:45:00Z"));
        world
            .called("task_completeTask", json!({"taskId": id}))
            .await;
    }
    world.block("2026-11-26", "work 09:00-10:30 Writing").await;
    for n in 0..3 {
        world.task(&format!("Task {n}"), 30).await;
    }
    let filled = json!({"blockId": "writing"});
    let filled = world.proposed("workflow_fillWorkBlock", filled).await;
    assert_snapshot!(noted(&filled, "are filled"), @"60 of 90 minutes are filled: your tasks took about 150 % of their estimates (4 of 4 of them).");
    assert_eq!(
        places(&filled).len(),
        2,
        "three would fit by their estimates"
    );
}
