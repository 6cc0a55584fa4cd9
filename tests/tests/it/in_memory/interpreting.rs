//! Words in any language become typed changes of a proposal: in the request, in the form of its card, or in a
//! message while it is open.

use alfred_agent::RunState;
use alfred_agent::approval::decide::{Decision, Outcome, decide as decided};
use alfred_agent::approval::pending;
use alfred_agent::model::{Approval, Status, Verdict};
use alfred_core::ports::{ModelError, Write};
use alfred_core::{Taint, keys};
use alfred_testkit::{ScriptedModel, When, says, unavailable};
use serde_json::json;
use std::time::Duration;

use crate::in_memory::approvals::{stored, waiting};
use crate::in_memory::model::simple;
use crate::in_memory::proposing::{lunch_of, new_blocks, places, reading, submitted, world};
use crate::in_memory::world::{World, results, team};

async fn modify(world: &mut World, plan: &Approval, words: &str, trigger: &str) {
    let all = places(plan);
    world.ask(submitted(plan, &all, Some(words), trigger)).await;
}

async fn modified(world: &mut World, plan: &Approval, words: &str, trigger: &str) -> Approval {
    modify(world, plan, words, trigger).await;
    waiting(world).await.pop().unwrap()
}

fn last_answer(world: &World) -> String {
    world.answers().pop().unwrap()
}

async fn still_waits(world: &World, plan: &Approval) {
    let now = stored(world, plan).await;
    assert_eq!((now.revision, now.status), (plan.revision, Status::Pending));
}

#[tokio::test]
async fn words_in_a_form_show_a_status_under_its_card_and_are_answered_there() {
    let mut world = world().await;
    let first = world.planned().await;
    let cards = world.chat.posted();
    let card = cards.last().unwrap();
    modify(&mut world, &first, "Wie geht es dir?", "t2").await;
    let status = world.chat.statuses().pop().unwrap();
    assert_eq!(status.1, card.ts);
    assert_eq!(world.chat.posted().last().unwrap().channel, card.channel);
}

/// Fails with this error first, then changes the proposal.
fn failing(error: ModelError) -> ScriptedModel {
    let left = std::sync::Mutex::new(Some(error));
    simple(move |request| match reading(request) {
        Some(turn) => match left.lock().unwrap().take() {
            Some(error) => Err(error),
            None => Ok(turn),
        },
        None => Ok(says("no model is needed")),
    })
}

#[tokio::test]
async fn without_a_model_the_proposal_waits_on_and_the_answer_says_why() {
    let mut world = world().await;
    let first = world.planned().await;
    world.replace_model(failing(ModelError::Unavailable {
        detail: "away".into(),
    }));
    modify(&mut world, &first, "lunch at one", "t2").await;
    still_waits(&world, &first).await;
    let answer = last_answer(&world);
    assert!(answer.contains("language model"), "{answer}");
    let second = modified(&mut world, &first, "lunch at one", "t3").await;
    assert_eq!((second.revision, lunch_of(&second)), (2, "13:00"));
}

#[tokio::test]
async fn a_model_that_asks_for_a_pause_reads_the_words_behind_it() {
    let mut world = world().await;
    let first = world.planned().await;
    world.replace_model(failing(ModelError::RateLimited {
        retry_after: Some(Duration::from_secs(120)),
        detail: "busy".into(),
    }));
    modify(&mut world, &first, "lunch at one", "t2").await;
    still_waits(&world, &first).await;
    world.clock.advance(Duration::from_secs(130));
    world.queue.forget_dedup();
    world.sweep().await;
    let second = waiting(&world).await.pop().unwrap();
    assert_eq!((second.revision, lunch_of(&second)), (2, "13:00"));
}

#[tokio::test]
async fn a_crash_while_words_are_read_ends_in_one_new_revision() {
    for left_out in [0, 1] {
        let count = reworded_with_a_fault(usize::MAX, left_out).await;
        assert!(count >= 4, "{count}");
        for at in 1..=count {
            reworded_with_a_fault(at, left_out).await;
        }
    }
}

/// A form with words and so many parts left out changes the plan and it is approved, while one commit is lost.
/// Returns the number of commits.
async fn reworded_with_a_fault(at: usize, left_out: usize) -> usize {
    let mut world = world().await;
    let first = world.planned().await;
    let before = world.faults.calls("store.commit");
    let lost = before.saturating_add(at);
    let error = unavailable();
    world
        .faults
        .fail_at("store.commit", lost, When::After, error);
    let kept = &places(&first)[left_out..];
    let form = submitted(&first, kept, Some("lunch at one"), "t2");
    world.ask(form).await;
    // The watchdog resumes abandoned runs.
    for _ in 0..3 {
        world.clock.advance(Duration::from_secs(400));
        world.queue.forget_dedup();
        world.sweep().await;
    }
    let count = world.faults.calls("store.commit") - before;
    let last = waiting(&world).await.pop().unwrap();
    let revision = if left_out == 0 { 2 } else { 3 };
    assert_eq!(
        (last.revision, lunch_of(&last)),
        (revision, "13:00"),
        "a fault at {at}"
    );
    let starts = new_blocks(&last).iter().map(|block| &block["startTime"]);
    assert_eq!(
        starts.filter(|start| **start == "09:00").count(),
        1 - left_out
    );
    world.decide(&last, "approval_approve").await;
    world.settle().await;
    let blocks = world.tomorrow().await;
    assert_eq!(blocks.len(), new_blocks(&last).len(), "a fault at {at}");
    count
}

/// Older releases stored the words as an argument.
#[tokio::test]
async fn a_proposal_of_an_earlier_release_ends() {
    let mut world = world().await;
    let first = world.planned().await;
    let words = json!({"date": "2026-11-22", "feedback": "lunch at one"});
    let decision = Decision {
        team: team(),
        by: Some("U1".into()),
        approval: first.id.clone(),
        revision: 1,
        verdict: Verdict::Edit,
        arguments: Some(words),
        note: None,
        trigger: "t2".into(),
        taint: Taint::default(),
    };
    let outcome = decided(&world.ports, &decision).await.unwrap();
    assert!(matches!(outcome, Outcome::Decided(_)), "{outcome:?}");
    world.drain().await;
    let second = waiting(&world).await.pop().unwrap();
    assert_eq!((second.revision, &second.payload), (2, &first.payload));
    let said = last_answer(&world);
    assert!(said.contains("from an older version of me"), "{said}");
    let found = pending::load(&*world.ports.store, &team(), &second.id).await;
    let (mut old, version) = found.unwrap().unwrap();
    old.payload["feedback"] = json!("lunch at one");
    let key = keys::approval(&team(), &old.id);
    let row = serde_json::to_value(&old).unwrap();
    world.write(vec![Write::replace(key, version, row)]).await;
    world.decide(&old, "approval_approve").await;
    let runs = world.runs().await;
    let run = runs.iter().find(|run| run.id == old.run).unwrap();
    let state = &run.state;
    assert!(matches!(state, RunState::Done { .. }), "{state:?}");
    let result = results(&world.steps(&run.id).await).pop().unwrap();
    assert_eq!(result["success"], false, "{result}");
}
