//! `/alfred run …`: a tool call without a model, executed like any run.

use alfred_agent::{RunState, StepKind};
use alfred_core::Role;
use alfred_testkit::{STORE_FAULTS, ScriptedModel};
use alfred_tests::command;
use insta::assert_snapshot;

use crate::in_memory::world::{World, results};

fn nobody() -> ScriptedModel {
    ScriptedModel::answering(|request| panic!("a model was asked: {request:?}"))
}

#[tokio::test]
async fn a_tool_runs_without_a_model_and_leaves_the_same_receipts() {
    let mut world = World::new(nobody()).await;
    // Slack escapes typed text.
    let text = "run task_createTask title=\"Call &lt;Ben&gt;\" estimatedMinutes=45";
    world.say(command("U1", text, "t1")).await;
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
            StepKind::ToolResult(result) if result.changed => "changed",
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(kinds, ["direct", "changed", "direct"]);
    assert_snapshot!(world.answers()[0], @r#"
    ```
    task:
      createdAt: 2026-11-21T09:00:00Z
      description: 
      dueDate: –
      estimatedMinutes: 45
      id: tsk_00000000000070008000000000000005
      priority: medium
      score: 30
      scoreBreakdown:
        age: 0
        priority: 30
        urgency: 0
      source: chat
      status: backlog
      title: Call &lt;Ben&gt;
    ```
    ✓ Created task "Call <Ben>" (your backlog)
    "#);
    world.say(command("U1", text, "t1")).await;
    assert_eq!(world.runs().await.len(), 1);
    assert_eq!(world.answers().len(), 1);
}

#[tokio::test]
async fn roles_hold_for_direct_calls() {
    let mut world = World::new(nobody()).await;
    world.register("U2", "Gil", Role::Guest).await;
    world
        .say(command("U2", "run task_createTask title=x", "t1"))
        .await;
    world.say(command("U2", "run time_now", "t2")).await;
    assert_snapshot!(world.answers().join("\n"), @r"
    Only a member may use task_createTask. You can run the tools that only read, such as schedule_viewSchedule.
    ✗ Not done: Used task_createTask (not allowed)
    Nothing was sent or changed.
    ```
    abbreviation: CET
    date: 2026-11-21
    dateTime: 2026-11-21T10:00:00+01:00
    time: 10:00
    timezone: Europe/Berlin
    utcOffset: +01:00
    weekday: Saturday
    ```
    Nothing was sent or changed.
    ");
    assert_eq!(world.tasks("U2").await, 0);
}

#[tokio::test]
async fn mistakes_are_answered_without_a_run_and_strangers_learn_nothing() {
    let mut world = World::new(nobody()).await;
    world
        .say(command("U1", "run task_creatTask title=x", "t1"))
        .await;
    world
        .say(command("U1", "run task_createTask titel=x", "t2"))
        .await;
    world.say(command("U9", "run task_creatTask", "t3")).await;
    world.say(command("U9", "run time_now", "t4")).await;
    assert!(world.runs().await.is_empty());
    assert_snapshot!(world.answers().join("\n"), @r#"
    There is no tool called task_creatTask. Did you mean task_createTask, task_updateTask, task_completeTask?
    task_createTask can't take that: Additional properties are not allowed ('titel' was unexpected); "title" is a required property.
    I don't recognise you yet. Please ask an administrator to register you, then write to me again.
    I don't recognise you yet. Please ask an administrator to register you, then write to me again.
    "#);
}

#[tokio::test]
async fn what_the_tool_finds_wrong_is_told() {
    let mut world = World::new(nobody()).await;
    let text = "run schedule_viewSchedule date=someday";
    world.say(command("U1", text, "t1")).await;
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
    let once = || command("U1", "run task_createTask title=once", "t1");
    let mut plain = World::new(nobody()).await;
    plain.say(once()).await;
    for call in ["store.get", "store.query", "store.commit"] {
        assert!(plain.faults.calls(call) > 0, "{call}");
        for number in 1..=plain.faults.calls(call) {
            for (when, error) in STORE_FAULTS {
                let mut world = World::new(nobody()).await;
                world.faults.fail_at(call, number, when, error());
                world.say(once()).await;
                let what = format!("{call} {number} {when:?}");
                assert_eq!(world.tasks("U1").await, 1, "{what}");
                assert_eq!(world.answers().len(), 1, "{what}");
                assert!(
                    world.output().await.success && world.dead.is_empty(),
                    "{what}"
                );
            }
        }
    }
}
