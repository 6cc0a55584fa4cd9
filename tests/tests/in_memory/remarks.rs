//! Stored remarks that a plan can't follow, or that don't ask for what they name, through the front door.

use serde_json::{Value, json};

use crate::proposing::{called, decide, lunch, new_blocks, proposed, world};
use crate::world::World;

async fn remark(world: &mut World, kind: &str, message: &str, trigger: &str) -> Value {
    let remark = json!({"type": kind, "category": "schedule", "message": message});
    called(world, "system_provideFeedback", remark, trigger).await
}

async fn card(world: &mut World, wish: Value, trigger: &str) -> (String, String) {
    let plan = proposed(world, "workflow_schedule", wish, trigger).await;
    let lunch = lunch(new_blocks(&plan))["startTime"]
        .as_str()
        .unwrap()
        .to_owned();
    let card = plan.preview.as_text();
    decide(world, &plan, "approval_reject", &format!("{trigger}-no")).await;
    (lunch, card)
}

const TOMORROW: &str = "tomorrow";

#[tokio::test]
async fn a_remark_that_no_plan_can_follow_ends_none() {
    for (message, wish) in [
        ("two hour breaks", "breaks of 120 minutes"),
        ("focus blocks of 10 hours", "focus blocks of 600 minutes"),
        ("start at 6 pm", "start at 18:00"),
    ] {
        let mut world = world().await;
        let said = remark(&mut world, "suggestion", message, "t1").await;
        assert_eq!(said["kept"], true);
        let note = said["note"].as_str().unwrap();
        assert!(
            note.starts_with("message: kept, but plans don't follow it"),
            "{note}"
        );
        remark(&mut world, "suggestion", "lunch at one", "t2").await;
        let (lunch, card) = card(&mut world, json!({"date": TOMORROW}), "t3").await;
        assert_eq!(lunch, "13:00", "what can be followed is");
        assert!(
            card.contains("From what you said before: lunch at 13:00."),
            "{card}"
        );
        let aside = format!("You said \"{wish}\" before; this plan can't follow it");
        assert!(card.contains(&aside), "{card}");
    }
}

#[tokio::test]
async fn what_was_said_before_gives_way_to_what_is_wanted_now() {
    let mut world = world().await;
    let said = remark(&mut world, "suggestion", "start at 4 pm", "t1").await;
    assert_eq!(said.get("note"), None, "alone it can be followed");
    let early = json!({"date": TOMORROW, "feedback": "end at 3 pm"});
    let (lunch, card) = card(&mut world, early, "t2").await;
    assert_eq!(lunch, "12:00");
    assert!(
        card.contains("You said \"start at 16:00\" before"),
        "{card}"
    );
    // Of two that contradict each other the last words count.
    remark(&mut world, "suggestion", "end at 2 pm", "t3").await;
    let plan = proposed(
        &mut world,
        "workflow_schedule",
        json!({"date": TOMORROW}),
        "t4",
    )
    .await;
    let card = plan.preview.as_text();
    assert!(
        card.contains("From what you said before: end at 14:00."),
        "{card}"
    );
    assert!(
        card.contains("You said \"start at 16:00\" before"),
        "{card}"
    );
}

#[tokio::test]
async fn a_remark_is_followed_only_as_it_was_meant() {
    for (kind, message) in [
        ("suggestion", "On Mondays, lunch at 11"),
        ("suggestion", "lunch at 11 today"),
        ("negative", "Lunch at 11"),
        ("negative", "Lunch at 3 pm, that was annoying"),
    ] {
        let mut world = world().await;
        let said = remark(&mut world, kind, message, "t1").await;
        assert!(
            said["note"].as_str().unwrap().starts_with("message: kept"),
            "{said}"
        );
        let (lunch, card) = card(&mut world, json!({"date": TOMORROW}), "t2").await;
        assert_eq!(lunch, "12:00", "{message}");
        assert!(!card.contains("said"), "{card}");
    }
}
