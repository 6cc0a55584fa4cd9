//! `/alfred run …`: a tool without a model, on the path of every other run.

use alfred_agent::run::{RunState, StepKind};
use alfred_core::envelope::Command;
use alfred_core::ports::{Query, Range, Store};
use alfred_core::{Envelope, Payload, ReplyAddress, ResponseType, Role, TraceId, keys};
use alfred_testkit::{Fault, ScriptedModel, StoreCall};

use crate::world::{World, dm, results, team};

/// A model that must not be asked.
fn nobody() -> ScriptedModel {
    ScriptedModel::answering(|request| panic!("a model was asked: {request:?}"))
}

fn command(user: &str, trigger: &str, text: &str) -> Envelope {
    let identity = format!("trg:{trigger}");
    Envelope {
        trace_id: TraceId::derive(&team(), &identity),
        identity,
        trigger: trigger.into(),
        payload: Payload::Command(Command {
            command: "/alfred".into(),
            text: text.into(),
            reply_to: ReplyAddress {
                channel: format!("D{user}").into(),
                thread_ts: None,
                response_type: ResponseType::Dm,
            },
        }),
        ..dm(user, "1.1", "")
    }
}

#[tokio::test]
async fn a_tool_runs_without_a_model_and_leaves_the_same_receipts() {
    let mut world = World::new(nobody()).await;
    // Slack escapes what people type.
    let text = "run task_createTask title=\"Call &lt;Ben&gt;\" estimatedMinutes=45";
    world.say(command("U1", "t1", text)).await;
    let run = world.root().await;
    let RunState::Done { output } = &run.state else {
        panic!("{:?}", run.state)
    };
    assert!(output.success && !output.requires_approval, "{output:?}");
    assert_eq!(output.actions_taken, ["Created task \"Call <Ben>\""]);
    let steps = world.steps(&run.id).await;
    let kinds: Vec<&str> = steps
        .iter()
        .map(|step| match &step.did {
            StepKind::Turn(turn) => turn.model.as_str(),
            StepKind::ToolResult { changed: true, .. } => "changed",
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(kinds, ["direct", "changed", "direct"]);
    let answer = &world.answers()[0];
    assert!(answer.contains("estimatedMinutes: 45"), "{answer}");
    assert!(
        answer.contains("✓") && answer.contains("Call &lt;Ben&gt;"),
        "{answer}"
    );
    // The same trigger again is the same call.
    world.say(command("U1", "t1", text)).await;
    assert_eq!(world.runs().await.len(), 1);
    assert_eq!(world.answers().len(), 1);
}

#[tokio::test]
async fn roles_hold_for_direct_calls() {
    let mut world = World::new(nobody()).await;
    world.register("U2", "Gil", Role::Guest).await;
    world
        .say(command("U2", "t1", "run task_createTask title=x"))
        .await;
    world.say(command("U2", "t2", "run time_now")).await;
    let answers = world.answers();
    assert!(
        answers[0].contains("Only a member may use task_createTask"),
        "{answers:?}"
    );
    assert!(
        answers[0].contains("Nothing was sent or changed"),
        "{answers:?}"
    );
    assert!(
        answers[1].contains("UTC") || answers[1].contains("Berlin"),
        "{answers:?}"
    );
    assert_eq!(tasks(&world, "U2").await, 0);
}

#[tokio::test]
async fn mistakes_are_answered_without_a_run_and_strangers_learn_nothing() {
    let mut world = World::new(nobody()).await;
    world
        .say(command("U1", "t1", "run task_creatTask title=x"))
        .await;
    world
        .say(command("U1", "t2", "run task_createTask titel=x"))
        .await;
    world.say(command("U9", "t3", "run task_creatTask")).await;
    world.say(command("U9", "t4", "run time_now")).await;
    assert!(world.runs().await.is_empty());
    let answers = world.answers();
    assert!(answers[0].contains("task_createTask"), "{answers:?}");
    assert!(answers[1].contains("titel"), "{answers:?}");
    assert!(answers[2].contains("don't recognise you"), "{answers:?}");
    assert_eq!(answers[2], answers[3]);
}

#[tokio::test]
async fn what_the_tool_finds_wrong_is_told() {
    let mut world = World::new(nobody()).await;
    world
        .say(command(
            "U1",
            "t1",
            "run schedule_viewSchedule date=someday",
        ))
        .await;
    let run = world.root().await;
    let RunState::Done { output } = &run.state else {
        panic!("{:?}", run.state)
    };
    assert!(!output.success);
    let error = output.error.as_ref().unwrap();
    assert!(
        error.contains("date") && error.contains("someday"),
        "{error}"
    );
    assert_eq!(results(&world.steps(&run.id).await).len(), 1);
}

#[tokio::test]
async fn a_fault_at_any_store_call_neither_loses_nor_repeats_the_call() {
    let once = || command("U1", "t1", "run task_createTask title=once");
    let mut plain = World::new(nobody()).await;
    plain.say(once()).await;
    for call in [StoreCall::Get, StoreCall::Query, StoreCall::Commit] {
        assert!(plain.store.calls(call) > 0, "{call:?}");
        for number in 1..=plain.store.calls(call) {
            for fault in [Fault::Before, Fault::After, Fault::Contended] {
                let mut world = World::new(nobody()).await;
                world.store.fail_at(call, number, fault);
                world.say(once()).await;
                let what = format!("{call:?} {number} {fault:?}");
                assert_eq!(tasks(&world, "U1").await, 1, "{what}");
                assert_eq!(world.answers().len(), 1, "{what}");
                assert!(
                    world.output().await.success && world.dead.is_empty(),
                    "{what}"
                );
            }
        }
    }
}

async fn tasks(world: &World, user: &str) -> usize {
    let query = Query::state(keys::tasks(&team(), &user.into()), Range::All);
    world.store.inner().query(&query).await.unwrap().items.len()
}
