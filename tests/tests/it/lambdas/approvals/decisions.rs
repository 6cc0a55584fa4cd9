//! Decisions other than a yes: an edit, a no, another user's click, and none.

use alfred_agent::RunState;
use alfred_agent::model::Status;
use alfred_core::text;
use alfred_slack_local::View;
use alfred_slack_local::seed::{ANA, ANA_DM, BEN, BEN_DM};
use jiff::SignedDuration;
use serde_json::json;

use super::{
    Asked, approval, ask, click, open_card, press, replied, seen, shown, stored, to_ana, to_ben,
    whispered,
};
use crate::lambdas::run;
use crate::lambdas::world::World;

/// The template's value.
const APPROVAL_LASTS: SignedDuration = SignedDuration::from_mins(60);

#[test]
fn what_was_edited_is_what_is_sent_and_the_first_version_is_void() {
    run(async {
        let world = &*World::exclusive().await;
        let first = ask(world, "[edit]").await;
        assert!(click(world, &first.card, "approval_edit").await);
        let field = |view: &View| {
            let blocks = view.view["blocks"].as_array()?;
            let mut ids = blocks.iter().filter_map(|block| block["block_id"].as_str());
            ids.find(|id| id.starts_with("text#")).map(str::to_owned)
        };
        let (view, field) = seen(world, "filled modal", || {
            let mut views = world.slack().views(ANA).unwrap().into_iter();
            views.find_map(|view| field(&view).map(|field| (view, field)))
        })
        .await;
        let values = json!({ field: {"value": "Dinner at eight [edit]?"} });
        let answer = world.slack().submit_view(ANA, &view.id, &values).await;
        assert_eq!(answer.unwrap().body, json!(null));
        let card = seen(world, "card of the edit", || {
            open_card(world, "[edit]").filter(|card| shown(card).contains("Dinner at eight"))
        })
        .await;
        world.quiet().await;
        let second = approval(world, &first.run).await;
        assert_eq!(second.id, first.approval.id);
        assert_eq!((first.approval.revision, second.revision), (1, 2));
        assert_ne!(first.approval.digest, second.digest);
        let old = world.slack().message(ANA_DM, &first.card.ts).unwrap();
        let void = "This version can't be approved";
        assert!(shown(&old).contains(void), "{old:?}");

        press(world, ANA, ANA_DM, "approval_approve", &first.approval).await;
        let told = whispered(world, ANA);
        assert_eq!(told.as_deref(), Some(text::ALREADY_DECIDED));
        let none = to_ben(world, "[edit]").is_empty();
        assert!(none, "the first version is void");
        assert_eq!(stored(world, &second.id).await.status, Status::Pending);

        assert!(click(world, &card, "approval_approve").await);
        let reply = replied(world, "[edit]").await;
        assert!(reply.contains("Sent to Ben Okafor: "), "{reply}");
        let sent = to_ben(world, "[edit]");
        assert_eq!(sent.len(), 1, "{sent:?}");
        let said = shown(&sent[0]);
        assert!(said.contains("Dinner at eight [edit]?"), "{said}");
        assert!(!said.contains("Lunch"), "{said}");
    });
}

#[test]
fn what_was_rejected_is_not_sent() {
    run(async {
        let world = World::shared().await;
        let asked = ask(world, "[reject]").await;
        assert!(click(world, &asked.card, "approval_reject").await);
        let reply = replied(world, "[reject]").await;
        assert!(reply.contains("✗"), "{reply}");
        assert!(reply.contains("Nothing was sent or changed."), "{reply}");
        assert_nothing_came_of(world, &asked, "[reject]", Status::Rejected).await;
        press(world, ANA, ANA_DM, "approval_approve", &asked.approval).await;
        let told = whispered(world, ANA);
        assert_eq!(told.as_deref(), Some(text::ALREADY_DECIDED));
        assert_nothing_came_of(world, &asked, "[reject]", Status::Rejected).await;
    });
}

#[test]
fn a_click_of_somebody_else_changes_nothing() {
    run(async {
        let world = World::shared().await;
        let asked = ask(world, "[theirs]").await;
        let unchanged = async || {
            let now = approval(world, &asked.run).await;
            assert_eq!(now, asked.approval);
            let run = world.journal(&asked.run).await.run;
            assert_eq!(run.state, RunState::Asking { shown: true });
            assert!(to_ben(world, "[theirs]").is_empty());
        };
        press(world, BEN, BEN_DM, "approval_approve", &asked.approval).await;
        assert_eq!(whispered(world, BEN), Some(text::NOT_RECOGNISED.to_owned()));
        unchanged().await;
        let add = format!("users add <@{BEN}> admin");
        world.command(ANA, ANA_DM, &add).await;
        let buttons = ["approve", "remember", "reject", "edit", "full", "renew"];
        for button in buttons {
            let action = format!("approval_{button}");
            press(world, BEN, BEN_DM, &action, &asked.approval).await;
            let words = whispered(world, BEN);
            assert_eq!(words, Some(text::NOT_YOUR_DECISION.to_owned()), "{action}");
            unchanged().await;
        }
        assert_eq!(world.slack().ephemerals(BEN).len(), 1 + buttons.len());
        assert!(click(world, &asked.card, "approval_approve").await);
        replied(world, "[theirs]").await;
        assert_eq!(to_ben(world, "[theirs]").len(), 1);
    });
}

#[test]
fn what_nobody_decides_expires_and_can_be_renewed() {
    run(async {
        let world = &*World::exclusive().await;
        let asked = ask(world, "[expiry]").await;
        let minute = SignedDuration::from_mins(1);
        world.elapse(APPROVAL_LASTS - minute).await;
        let now = stored(world, &asked.approval.id).await;
        assert_eq!(now, asked.approval, "a minute is left");
        world.elapse(SignedDuration::from_mins(2)).await;
        let reply = replied(world, "[expiry]").await;
        assert!(reply.contains("the approval expired"), "{reply}");
        assert_nothing_came_of(world, &asked, "[expiry]", Status::Expired).await;
        press(world, ANA, ANA_DM, "approval_approve", &asked.approval).await;
        assert_eq!(whispered(world, ANA), Some(text::TOO_LATE.to_owned()));
        assert_nothing_came_of(world, &asked, "[expiry]", Status::Expired).await;

        assert!(click(world, &asked.card, "approval_renew").await);
        let card = seen(world, "renewed card", || open_card(world, "[expiry]")).await;
        world.quiet().await;
        assert_ne!(card.ts, asked.card.ts);
        assert!(to_ben(world, "[expiry]").is_empty());
        assert!(click(world, &card, "approval_approve").await);
        seen(world, "message to Ben", || to_ben(world, "[expiry]").pop()).await;
        world.quiet().await;
        assert_eq!(to_ben(world, "[expiry]").len(), 1);
    });
}

/// Nothing was started or sent, and the card can't be decided any more.
async fn assert_nothing_came_of(world: &World, asked: &Asked, mark: &str, status: Status) {
    assert_eq!(stored(world, &asked.approval.id).await.status, status);
    let loaded = world.journal(&asked.run).await;
    let story = alfred_tests::story(&loaded.steps);
    for begun in ["intent", "slack_sendMessage"] {
        assert!(!story.contains(begun), "{story}");
    }
    assert!(matches!(loaded.run.state, RunState::Done { .. }));
    assert!(to_ben(world, mark).is_empty());
    assert_eq!(open_card(world, mark), None);
    let card = world.slack().message(ANA_DM, &asked.card.ts).unwrap();
    let nothing = "Nothing was sent or changed.";
    assert!(shown(&card).contains(nothing), "{card:?}");
    assert!(!to_ana(world, mark).is_empty());
}
