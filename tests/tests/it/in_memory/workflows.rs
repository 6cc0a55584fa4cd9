//! The three workflows: request, proposal on a card, changes, execution.

use serde_json::{Value, json};

use crate::in_memory::approvals::waiting;
use crate::in_memory::proposing::world;
use crate::in_memory::world::World;

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
