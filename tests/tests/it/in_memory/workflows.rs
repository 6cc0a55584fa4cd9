//! The three workflows: request, proposal on a card, changes, execution.

use alfred_agent::model::Approval;
use alfred_core::ports::Mailbox;
use alfred_testkit::{When, unavailable};
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::time::Duration;

use crate::in_memory::approvals::{click, value, waiting};
use crate::in_memory::proposing::{lunch, mail, new_blocks, places, run, submitted, world};
use crate::in_memory::world::{World, results};

#[tokio::test]
async fn a_day_is_planned_only_as_its_owner_approves_it() {
    let mut world = world().await;
    world
        .called(
            "task_createTask",
            json!({"title": "Write the report", "estimatedMinutes": 60, "priority": "high"}),
        )
        .await;
    let proposal = world.planned().await;
    assert_snapshot!(world.answers().pop().unwrap(), @r#"
Plan Sunday, 22 November 2026
│ 09:00–10:30  Focus work (new: a whole focus block)
│     • Write the report (60 min)
│ 10:30–10:45  Break (new: after 90 minutes of work)
│ 10:45–12:00  Focus work (new: focus until "Lunch")
│ 12:00–13:00  Lunch (new: lunch at your usual time)
│ 13:00–14:30  Focus work (new: a whole focus block)
│ 14:30–14:45  Break (new: after 90 minutes of work)
│ 14:45–15:15  Focus work (new: shorter, to keep 15 % of the day free)
│ 15:15–15:45  E-mail (new: e-mail in one go)
│ 
│ 15:45–17:00 stays free: 15 % of the day is kept for what comes up
│ It is a Sunday: planned because you asked for it.
│ No calendar is connected, so meetings that aren't in Alfred's plan are missing here.
│ Planned: 0 % → 84 % of 8 hours (480 min in one gap were free).
Why I ask: this is always asked
Only <@U1> can decide, until <!date^1795255200^{date_short_pretty} {time}|2026-11-21 10:00 UTC>. Saying "yes" or "no" counts too, as your next words here or in this card's thread.
"#);
    assert!(world.tomorrow().await.is_empty(), "nothing before the yes");
    let yes = click("U1", "approval_approve", &value(&proposal), "t3");
    world.ask(yes.clone()).await;
    let reply = world.answers().pop().unwrap();
    assert!(reply.contains("✓ Created"), "{reply}");
    let day = world.tomorrow().await;
    let planned = new_blocks(&proposal);
    assert_eq!(day.len(), planned.len());
    let with_task = |block: &Value| block["tasks"][0]["title"] == "Write the report";
    assert_eq!(day.iter().filter(|block| with_task(block)).count(), 1);
    world.ask(yes).await;
    world.decide(&proposal, "approval_approve").await;
    assert_eq!(world.tomorrow().await, day);
}

/// Four hours for a report: the first in existing blocks, the rest in a new one.
#[tokio::test]
async fn a_long_task_is_split_and_an_open_block_filled() {
    let mut world = world().await;
    for block in ["work 09:00-10:30 Focus time", "work 10:45-12:00 Focus time"] {
        world.block("tomorrow", block).await;
    }
    world.task("Write the report", 240).await;
    world.task("Call Ana", 15).await;
    let proposal = world.planned().await;
    assert_snapshot!(proposal.preview.body.clone().unwrap(), @r"
09:00–10:30  Focus time (stays: already planned)
    • Write the report (90 of 240 min)
10:45–12:00  Focus time (stays: already planned)
    • Write the report (75 of 240 min)
12:00–13:00  Lunch (new: lunch at your usual time)
13:00–14:30  Focus work (new: a whole focus block)
    • Write the report (75 of 240 min)
    • Call Ana (15 min)
14:30–14:45  Break (new: after 90 minutes of work)
14:45–15:30  Focus work (new: shorter, to keep 15 % of the day free)
15:30–16:00  E-mail (new: e-mail in one go)

16:00–17:00 stays free: 15 % of the day is kept for what comes up
It is a Sunday: planned because you asked for it.
No calendar is connected, so meetings that aren't in Alfred's plan are missing here.
Planned: 34 % → 84 % of 8 hours (300 min in one gap were free).
");
    world.decide(&proposal, "approval_approve").await;
    let day = world.tomorrow().await;
    let work = day.iter().filter(|block| block["type"] == "work");
    let lines = work.map(|block| {
        let tasks = block["tasks"].as_array().unwrap().iter();
        let titles: Vec<&str> = tasks.filter_map(|task| task["title"].as_str()).collect();
        let [start, title] = ["startTime", "title"].map(|field| block[field].as_str().unwrap());
        format!("{start} {title} [{}]", titles.join(", "))
    });
    let lines: Vec<String> = lines.collect();
    assert_snapshot!(lines.join("\n"), @"
09:00 Focus time [Write the report]
10:45 Focus time [Write the report]
13:00 Focus work [Write the report, Call Ana]
14:45 Focus work []
");
}

#[tokio::test]
async fn parts_can_be_left_out_and_words_plan_anew() {
    let mut world = world().await;
    let first = world.planned().await;
    let keep: Vec<&str> = places(&first).into_iter().take(2).collect();
    world.ask(submitted(&first, &keep, None, "t2")).await;
    let second = waiting(&world).await.pop().unwrap();
    assert_eq!((second.revision, places(&second).len()), (2, 2));
    // The card and the tool compute the same rest.
    let said = |plan: &Approval| {
        let body = plan.preview.body.clone().unwrap();
        let line = body.lines().find(|line| line.starts_with("Planned: "));
        line.unwrap().to_owned()
    };
    let minutes = |plan: &Approval| -> i64 {
        let clock = |time: &Value| -> jiff::civil::Time { time.as_str().unwrap().parse().unwrap() };
        let blocks = new_blocks(plan).iter();
        let length =
            |block: &Value| clock(&block["startTime"]).duration_until(clock(&block["endTime"]));
        blocks.map(|block| length(block).as_mins()).sum()
    };
    assert_ne!(minutes(&first), minutes(&second));
    for plan in [&first, &second] {
        let percent = (minutes(plan) * 100 + 240) / 480;
        let expected = format!("Planned: 0 % → {percent} % of 8 hours");
        assert!(
            said(plan).starts_with(&expected),
            "{expected}: {}",
            said(plan)
        );
    }
    let posted = world.answers();
    assert!(posted.iter().any(|card| card.contains(&said(&second))));
    world.decide(&first, "approval_approve").await;
    assert_eq!(waiting(&world).await.len(), 1);
    let all = places(&second);
    world
        .ask(submitted(&second, &all, Some("lunch at one"), "t4"))
        .await;
    let third = waiting(&world).await.pop().unwrap();
    let blocks = new_blocks(&third);
    let lunch = lunch(blocks);
    assert_eq!((third.revision, &lunch["startTime"]), (3, &json!("13:00")));
    world.decide(&third, "approval_approve").await;
    assert_eq!(world.tomorrow().await.len(), blocks.len());
}

/// The card mentions existing blocks that the plan would move or remove.
#[tokio::test]
async fn what_isnt_moved_after_all_stays_on_the_card() {
    let mut world = world().await;
    world.block("tomorrow", "work 09:00-11:00 Deep work").await;
    let wish = json!({"date": "tomorrow", "changes": {"noFocusBefore": "10:00"}});
    let first = world.proposed("workflow_schedule", wish).await;
    let body = |plan: &Approval| plan.preview.body.clone().unwrap();
    let touched = |place: &&str| place.contains("/moves/") || place.contains("/removals/");
    let all = places(&first);
    let kept: Vec<&str> = all
        .iter()
        .copied()
        .filter(|place| !touched(place))
        .collect();
    assert!(kept.len() < all.len(), "nothing moves: {}", body(&first));
    assert!(!body(&first).contains("09:00–11:00  Deep work (stays)"));
    world.ask(submitted(&first, &kept, None, "t2")).await;
    let second = waiting(&world).await.pop().unwrap();
    assert!(
        body(&second).contains("09:00–11:00  Deep work (stays)"),
        "{}",
        body(&second)
    );
}

#[tokio::test]
async fn a_proposal_is_approved_modified_or_cancelled() {
    let mut world = world().await;
    let wish = json!({"date": "tomorrow"});
    let plan = world.proposed("workflow_schedule", wish).await;
    let labels = |world: &World| {
        let posts = world.chat.messages();
        let blocks = posts.iter().rev().find_map(|kept| {
            let blocks = kept.blocks.iter();
            let mut actions = blocks.filter(|block| block["block_id"] == "decide");
            actions.next().cloned()
        });
        let buttons = blocks.unwrap()["elements"].as_array().cloned().unwrap();
        let label = |button: &Value| button["text"]["text"].as_str().unwrap().to_owned();
        buttons.iter().map(label).collect::<Vec<_>>()
    };
    assert_eq!(labels(&world), ["Approve", "Modify", "Cancel", "View full"]);
    let modal = alfred_agent::slack::edit::view(&plan).unwrap();
    assert_eq!(modal["title"]["text"], "Modify the proposal");
    world.decide(&plan, "approval_reject").await;
    assert!(waiting(&world).await.is_empty());
    let card = format!("{:?}", world.chat.messages());
    assert!(card.contains("Cancelled by <@U1>"), "{card}");
}

#[tokio::test]
async fn blocks_that_were_taken_meanwhile_are_reported_and_not_overwritten() {
    let mut world = world().await;
    let proposal = world.planned().await;
    world.block("tomorrow", "blocked 09:00-10:00 Dentist").await;
    world.decide(&proposal, "approval_approve").await;
    let result = world.runs().await;
    let planned = result
        .iter()
        .find(|run| run.input.prompt().contains("workflow_schedule"))
        .unwrap();
    let done = results(&world.steps(&planned.id).await).pop().unwrap();
    assert_eq!(done["conflicts"].as_array().unwrap().len(), 1, "{done}");
    let day = world.tomorrow().await;
    let titles: Vec<&Value> = day.iter().map(|block| &block["title"]).collect();
    assert!(titles.contains(&&json!("Dentist")), "{titles:?}");
}

#[tokio::test]
async fn a_crash_half_way_goes_on_where_it_stopped() {
    let count = {
        let mut world = world().await;
        planned_with_a_fault(&mut world, usize::MAX).await
    };
    assert!(count > 6, "{count}");
    for at in 1..=count {
        let mut world = world().await;
        planned_with_a_fault(&mut world, at).await;
    }
}

/// Plans a day with a task and approves it, while one commit is lost. Returns the number of commits.
async fn planned_with_a_fault(world: &mut World, at: usize) -> usize {
    world.task("Write the report", 60).await;
    world
        .ask(run("workflow_schedule", json!({"date": "tomorrow"}), "t1"))
        .await;
    let proposal = waiting(world).await.pop().unwrap();
    let before = world.faults.calls("store.commit");
    let (lost, error) = (before.saturating_add(at), unavailable());
    world
        .faults
        .fail_at("store.commit", lost, When::After, error);
    world.decide(&proposal, "approval_approve").await;
    world.settle().await;
    let count = world.faults.calls("store.commit") - before;
    let day = world.tomorrow().await;
    let planned = new_blocks(&proposal);
    assert_eq!(day.len(), planned.len(), "a fault at {at}");
    let tasks: usize = day
        .iter()
        .map(|block| block["tasks"].as_array().unwrap().len())
        .sum();
    assert_eq!(tasks, 1, "a fault at {at}");
    count
}

#[tokio::test]
async fn a_work_block_gets_the_tasks_its_owner_keeps() {
    let mut world = world().await;
    for title in ["Write the report", "Call the bank", "File the receipts"] {
        world.task(title, 30).await;
    }
    world.block("tomorrow", "work 09:00-11:00 Focus time").await;
    let first = world
        .proposed("workflow_fillWorkBlock", json!({"blockId": "focus"}))
        .await;
    assert_eq!(places(&first).len(), 3);
    let body = |plan: &Approval| plan.preview.body.clone().unwrap();
    assert!(
        body(&first).contains("90 of 120 minutes"),
        "{}",
        body(&first)
    );
    let keep: Vec<&str> = places(&first).into_iter().skip(1).collect();
    world.ask(submitted(&first, &keep, None, "t2")).await;
    let second = waiting(&world).await.pop().unwrap();
    assert!(
        body(&second).contains("2 tasks take 60 of 120 minutes"),
        "{}",
        body(&second)
    );
    world.decide(&second, "approval_approve").await;
    let day = world.tomorrow().await;
    assert_eq!(day[0]["tasks"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn mail_is_archived_as_approved_and_nothing_else() {
    let mut world = world().await;
    let from = |address: &str| Mailbox::new("", address);
    let mails = vec![
        mail("m1", from("news@shop.example"), "This week's offers", true),
        mail("m2", from("list@weekly.example"), "The weekly digest", true),
        mail(
            "m3",
            from("ben@example.com"),
            "Can you send me the figures by tomorrow?",
            false,
        ),
    ];
    world.has_mails(mails);
    let first = world.proposed("workflow_fillEmailBlock", json!({})).await;
    assert_eq!(
        first.payload["confirmation"]["approvedArchiveIds"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    world
        .ask(submitted(
            &first,
            &places(&first),
            Some("keep the weekly digest"),
            "t2",
        ))
        .await;
    let second = waiting(&world).await.pop().unwrap();
    assert_eq!(
        second.payload["confirmation"]["approvedArchiveIds"],
        json!(["m1"])
    );
    world.decide(&second, "approval_approve").await;
    let left = world.called("email_getBacklog", json!({})).await;
    let ids: Vec<&Value> = left["emails"]
        .as_array()
        .unwrap()
        .iter()
        .map(|mail| &mail["id"])
        .collect();
    assert_eq!(ids.len(), 2, "{left}");
    assert!(!ids.contains(&&json!("m1")));
    world.clock.advance(Duration::from_secs(1));
}
