//! The confirmation flow as tools: which decisions they may make, and what is remembered.

use serde_json::json;
use std::time::Duration;

use crate::in_memory::approvals::waiting;
use crate::in_memory::proposing::{lunch, new_blocks, places, run, suggestion, world};
use crate::in_memory::world::{World, dm, script};

#[tokio::test]
async fn a_proposal_is_changed_called_off_and_confirmed_by_tools_only_as_far_as_they_may() {
    let mut world = world().await;
    world
        .ask(run("workflow_schedule", json!({"date": "tomorrow"}), "t1"))
        .await;
    let said = world.called("system_presentProposal", json!({})).await;
    assert!(said["text"].as_str().unwrap().contains("Lunch"), "{said}");
    let later = json!({"changes": {"lunchAt": "13:00"}});
    let changed = world.called("system_modifyProposal", later).await;
    assert_eq!(changed["revision"], 2, "{changed}");
    let second = waiting(&world).await.pop().unwrap();
    let blocks = new_blocks(&second);
    let lunch = lunch(blocks);
    assert_eq!((second.revision, &lunch["startTime"]), (2, &json!("13:00")));
    // A partial approval first shows the selected part as a new revision.
    let part = json!({"approved": true, "approvedBlocks": ["13:00"]});
    world.called("system_confirmProposal", part).await;
    let third = waiting(&world).await.pop().unwrap();
    assert_eq!((third.revision, places(&third).len()), (3, 1));
    let yes = json!({"proposalId": third.id, "approved": true});
    world.called("system_confirmProposal", yes).await;
    assert_eq!(world.tomorrow().await.len(), 1);
    let details = json!({"includeDetails": true});
    let history = world.called("system_showWorkflowHistory", details).await;
    assert_eq!(history["workflows"][0]["type"], "workflow_schedule");
    assert_eq!(history["workflows"][0]["status"], "completed");
    world
        .ask(run(
            "workflow_schedule",
            json!({"date": "2026-11-24"}),
            "t8",
        ))
        .await;
    assert_eq!(waiting(&world).await.len(), 1);
    world
        .called("system_confirmProposal", json!({"approved": false}))
        .await;
    assert!(waiting(&world).await.is_empty());
    let state = json!({"proposalId": third.id});
    let state = world.called("system_awaitConfirmation", state).await;
    assert_eq!(state["confirmed"], true);
}

#[tokio::test]
async fn no_model_says_yes_for_its_person() {
    let mut world = World::new(script(&[
        r#"workflow_schedule {"date": "tomorrow"}"#,
        ": It waits for you.",
    ]))
    .await;
    world.ask(dm("U1", "1.1", "plan tomorrow")).await;
    assert_eq!(waiting(&world).await.len(), 1);
    world.replace_model(script(&[
        r#"system_confirmProposal {"approved": true}"#,
        ": Please press the button of the card.",
    ]));
    world.ask(dm("U1", "1.2", "what is on the card?")).await;
    assert_eq!(waiting(&world).await.len(), 1, "it still waits");
}

#[tokio::test]
async fn what_was_said_of_plans_is_followed_by_the_next() {
    let mut world = world().await;
    let remark = suggestion(json!({"lunchAt": "13:00"}));
    world.called("system_provideFeedback", remark).await;
    let proposal = world.planned().await;
    let blocks = new_blocks(&proposal);
    let lunch = lunch(blocks);
    assert_eq!(lunch["startTime"], "13:00");
    let card = proposal.preview.as_text();
    assert!(card.contains("From what you said before"), "{card}");
    world.decide(&proposal, "approval_approve").await;
    for _ in 0..3 {
        world.clock.advance(Duration::from_secs(24 * 3_600));
        let plan = world.planned().await;
        world.decide(&plan, "approval_approve").await;
    }
    world.clock.advance(Duration::from_secs(24 * 3_600));
    let week = json!({"timeframe": "week"});
    let found = world.called("system_showPatterns", week).await;
    let lunches = found["patterns"].as_array().unwrap().iter();
    let lunches: Vec<_> = lunches.filter(|one| one["kind"] == "lunch_at").collect();
    assert_eq!(
        lunches[0]["pattern"], "Lunch is usually at 13:00.",
        "{found}"
    );
    assert_eq!(lunches[0]["agree"], 4, "{found}");
}

#[tokio::test]
async fn what_is_cleared_is_called_off_once_its_owner_agrees() {
    let mut world = world().await;
    world
        .ask(run("workflow_schedule", json!({"date": "tomorrow"}), "t1"))
        .await;
    world
        .ask(run(
            "system_clearContext",
            json!({"scope": "proposals"}),
            "t2",
        ))
        .await;
    let clearing = waiting(&world).await.pop().unwrap();
    assert_eq!(clearing.action_type, "system_clearContext");
    world.decide(&clearing, "approval_approve").await;
    assert!(waiting(&world).await.is_empty());
}
