//! Stored remarks that a plan can't follow, or that don't ask for what they name, through the front door.

use serde_json::{Value, json};

use crate::proposing::{lunch, new_blocks, suggestion, world};
use crate::world::World;

async fn remark(world: &mut World, changes: Value) -> Value {
    world
        .called("system_provideFeedback", suggestion(changes))
        .await
}

async fn card(world: &mut World, wish: Value, trigger: &str) -> (String, String) {
    let plan = world.proposed("workflow_schedule", wish).await;
    let lunch = lunch(new_blocks(&plan))["startTime"]
        .as_str()
        .unwrap()
        .to_owned();
    let card = plan.preview.as_text();
    world
        .decide(&plan, "approval_reject", &format!("{trigger}-no"))
        .await;
    (lunch, card)
}

const TOMORROW: &str = "tomorrow";

#[tokio::test]
async fn a_remark_that_no_plan_can_follow_ends_none() {
    for (changes, wish) in [
        (json!({"breakMinutes": 120}), "breaks of 120 minutes"),
        (json!({"focusMinutes": 600}), "focus blocks of 600 minutes"),
        (json!({"startAt": "18:00"}), "start at 18:00"),
    ] {
        let mut world = world().await;
        let said = remark(&mut world, changes).await;
        assert_eq!(said["kept"], true);
        let note = said["note"].as_str().unwrap();
        assert!(
            note.starts_with("Kept, but plans don't follow it: changes."),
            "{note}"
        );
        remark(&mut world, json!({"lunchAt": "13:00"})).await;
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
    let said = remark(&mut world, json!({"startAt": "16:00"})).await;
    assert_eq!(said.get("note"), None, "alone it can be followed");
    let early = json!({"date": TOMORROW, "changes": {"endAt": "15:00"}});
    let (lunch, card) = card(&mut world, early, "t2").await;
    assert_eq!(lunch, "12:00");
    assert!(
        card.contains("You said \"start at 16:00\" before"),
        "{card}"
    );
    // Of two that contradict each other the last words count.
    remark(&mut world, json!({"endAt": "14:00"})).await;
    let plan = world
        .proposed("workflow_schedule", json!({"date": TOMORROW}))
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
async fn a_remark_is_followed_only_as_a_suggestion_with_changes() {
    let mut blame = suggestion(json!({"lunchAt": "11:00"}));
    blame["type"] = json!("negative");
    let mut words = suggestion(json!({}));
    words["message"] = json!("Lunch at 11 on Mondays");
    for said in [blame, words] {
        let mut world = world().await;
        let kept = world.called("system_provideFeedback", said.clone()).await;
        assert!(kept["note"].as_str().unwrap().starts_with("Kept"), "{kept}");
        let (lunch, card) = card(&mut world, json!({"date": TOMORROW}), "t2").await;
        assert_eq!(lunch, "12:00", "{said}");
        assert!(!card.contains("said"), "{card}");
    }
}
