//! Stored remarks that a plan can't follow, or that don't apply.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::in_memory::proposing::{lunch_of, noted, suggestion, world};
use crate::in_memory::world::World;

async fn remark(world: &mut World, changes: Value) -> Value {
    world
        .called("system_provideFeedback", suggestion(changes))
        .await
}

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
        let kept = "Kept, but plans don't follow it: changes.";
        assert!(note.starts_with(kept), "{note}");
        remark(&mut world, json!({"lunchAt": "13:00"})).await;
        let plan = world.planned().await;
        assert_eq!(lunch_of(&plan), "13:00", "what can be followed is");
        let followed = "From what you said before: lunch at 13:00.";
        assert_eq!(noted(&plan, "From what"), followed);
        let aside = format!("You said \"{wish}\" before; this plan can't follow it");
        assert_ne!(noted(&plan, &aside), "", "{}", plan.preview.as_text());
    }
}

#[tokio::test]
async fn what_was_said_before_gives_way_to_what_is_wanted_now() {
    let mut world = world().await;
    let said = remark(&mut world, json!({"startAt": "16:00"})).await;
    assert_eq!(said.get("note"), None, "alone it can be followed");
    let early = json!({"date": "tomorrow", "changes": {"endAt": "15:00"}});
    let plan = world.proposed("workflow_schedule", early).await;
    assert_eq!(lunch_of(&plan), "12:00");
    assert_snapshot!(noted(&plan, "You said"), @r#"You said "start at 16:00" before; this plan can't follow it, so I left it aside."#);
    world.decide(&plan, "approval_reject").await;
    remark(&mut world, json!({"endAt": "14:00"})).await;
    let plan = world.planned().await;
    assert_snapshot!(noted(&plan, "From what"), @"From what you said before: end at 14:00.");
    assert_snapshot!(noted(&plan, "You said"), @r#"You said "start at 16:00" before; this plan can't follow it, so I left it aside."#);
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
        let plan = world.planned().await;
        assert_eq!(lunch_of(&plan), "12:00", "{said}");
        assert_eq!(noted(&plan, "said"), "");
    }
}
