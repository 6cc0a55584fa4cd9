use alfred_agent::StepKind;
use alfred_agent::model::Snapshot;
use alfred_core::ports::Turn;
use alfred_testkit::{STORE_FAULTS, ScriptedModel, calls, says};
use serde_json::json;
use std::sync::Arc;

use crate::in_memory::delegation::{cast, files, given, hand, may_call};
use crate::in_memory::world::World;

const LARGE: (&str, Option<u64>) = ("a:large", Some(100));
const SMALL: &str = "b:small";

fn priced((model, cost): (&str, Option<u64>), turns: Vec<Turn>) -> Vec<Turn> {
    let mut turns = turns;
    for turn in &mut turns {
        model.clone_into(&mut turn.model);
        turn.usage.cost_micros = cost;
    }
    turns
}

/// The run names the lead's model, the reader's file names its own.
fn program(limits: &str) -> Snapshot {
    let reader = format!("toolsets: {{time: {{}}}}\nmodel: {SMALL}\n{limits}");
    let mut program = files("", &[("lead", &may_call("reader")), ("reader", &reader)]);
    program.models = [("lead".to_owned(), LARGE.0.to_owned())].into();
    program
}

/// Panics if any other model is asked.
async fn begun(program: &Snapshot, price: Option<u64>) -> World {
    let ask = hand("a", "reader", "What day is it?");
    let lead = priced(LARGE, vec![ask, says("It's Saturday.")]);
    let look = calls(&[("b", "time_now", "{}")]);
    let reader = priced((SMALL, price), vec![look, says("Saturday.")]);
    let model = ScriptedModel::new([])
        .beside(LARGE.0, Arc::new(cast(vec![("lead", lead)])))
        .beside(SMALL, Arc::new(cast(vec![("reader", reader)])));
    let mut world = World::new(model).await;
    world.begin(program, false, "what day is it?").await;
    world
}

#[tokio::test]
async fn a_fault_at_every_call_leaves_each_worker_its_model_and_its_price() {
    let program = program("");
    let kinds = ["store.get", "store.query", "store.commit"];
    let mut plain = begun(&program, Some(7)).await;
    let before = kinds.map(|kind| plain.faults.calls(kind));
    plain.settle().await;
    let mut injected = 0;
    for (kind, before) in kinds.into_iter().zip(before) {
        for number in before + 1..=plain.faults.calls(kind) {
            for (when, error) in STORE_FAULTS {
                let mut world = begun(&program, Some(7)).await;
                world.faults.fail_at(kind, number, when, error());
                world.settle().await;
                let what = format!("{kind} {number} {when:?}");
                assert!(world.dead.is_empty(), "{what}: {:?}", world.dead);
                assert_eq!(world.said(), ["It's Saturday."], "{what}");
                let run = world.root().await;
                let steps = world.steps(&run.id).await;
                let asked = steps.iter().filter_map(|step| match &step.did {
                    StepKind::Turn(turn) => Some((step.frame.depth(), &*turn.model)),
                    _ => None,
                });
                let expected = [(0, LARGE.0), (1, SMALL), (1, SMALL), (0, LARGE.0)];
                assert_eq!(asked.collect::<Vec<_>>(), expected, "{what}");
                assert_eq!(run.progress.usage.cost_micros, Some(214), "{what}");
                injected += 1;
            }
        }
    }
    assert!(injected > 20, "{injected}");
}

#[tokio::test]
async fn limits_count_by_the_model_that_answered_and_by_tokens_where_it_has_no_price() {
    let cents = "limits: {max_cost_usd: 0.0005}";
    for (limits, price, ends) in [
        (cents, Some(7), false),
        (cents, Some(600), true),
        (cents, None, false),
        ("limits: {max_tokens: 100}", None, true),
    ] {
        let mut world = begun(&program(limits), price).await;
        world.settle().await;
        let given = given(&world).await;
        let told = "I stopped because this request used up its budget. Could you make it smaller?";
        let expected = json!(ends.then_some(told));
        assert_eq!(given[0]["error"], expected, "{limits} at {price:?}");
    }
}

#[tokio::test]
async fn a_model_that_nobody_has_here_is_told_and_no_other_one_answers() {
    let mut world = World::new(ScriptedModel::new([])).await;
    world.begin(&program(""), false, "what day is it?").await;
    world.settle().await;
    assert_eq!(
        world.output().await.error.unwrap(),
        "My language model's provider rejects my requests. The cause is the API key, the credit or the settings, not your message. Please tell an administrator; the log has the details."
    );
}
