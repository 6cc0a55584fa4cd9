//! What holds all the way down a chain of workers: who is in it, what was remembered, how approvals are handled.

use alfred_agent::approval::card::action;
use alfred_agent::run::StepKind;
use alfred_core::policy::Mode;
use alfred_core::{Config, text};
use alfred_testkit::{calls, says};
use serde_json::json;

use crate::approvals::{click, value, waiting};
use crate::delegation::{Turns, cast, given, hand, may_call, program};
use crate::world::{World, dm, results};

/// Hands the same task to one worker and then to another one.
async fn two_of_them() -> World {
    let make = || -> Turns {
        let task = calls(&[("", "task_createTask", r#"{"title": "Call Ben"}"#)]);
        vec![task, says("Made.")]
    };
    let lead = vec![
        hand("a", "one", "Make it"),
        hand("b", "two", "Make it"),
        says("done"),
    ];
    let model = cast(vec![("lead", lead), ("one", make()), ("two", make())]);
    let mut world = World::new(model).await;
    let asks = "toolsets: {task: {approval: {default: ask}}}";
    let team = [
        ("lead", &*may_call("one, two")),
        ("one", asks),
        ("two", asks),
    ];
    world.employ(program("", &team));
    world
}

#[tokio::test]
async fn the_worker_that_a_run_is_given_to_is_in_its_circles_too() {
    let model = cast(vec![
        ("a", vec![hand("1", "b", "go on"), says("done")]),
        ("b", vec![hand("2", "a", "and back"), says("no")]),
    ]);
    let mut world = World::new(model).await;
    world.employ(program("", &[("a", &may_call("b")), ("b", &may_call("a"))]));
    world.say(dm("U1", "1.1", "go")).await;
    let run = world.root().await;
    let mut steps = world.steps(&run.id).await;
    steps.retain(|step| step.frame.depth() == 1);
    assert_eq!(
        results(&steps)[0]["error"],
        text::goes_in_circles(&["a", "b", "a"])
    );
}

#[tokio::test]
async fn what_is_remembered_of_one_worker_counts_for_the_others() {
    for (button, asked) in [(action::REMEMBER, 1), (action::APPROVE, 2)] {
        let mut world = two_of_them().await;
        world.ask(dm("U1", "1.1", "go")).await;
        while let Some(next) = waiting(&world).await.pop() {
            let trigger = world.next_trigger();
            world
                .ask(click("U1", button, &value(&next), &trigger))
                .await;
        }
        let run = world.root().await;
        let steps = world.steps(&run.id).await;
        let asks = steps
            .iter()
            .filter(|step| matches!(step.did, StepKind::Asked { .. }));
        assert_eq!(asks.count(), asked, "{button}");
        assert_eq!(world.tasks("U1").await, 2, "{button}");
    }
}

#[tokio::test]
async fn where_all_is_denied_it_is_denied_to_whoever_is_called() {
    let mut world = two_of_them().await;
    let mut config = Config::clone(&world.ports.config);
    config.policy.mode = Mode::AutoDeny;
    world.reconfigure(config);
    world.say(dm("U1", "1.1", "go")).await;
    let run = world.root().await;
    let mut steps = world.steps(&run.id).await;
    steps.retain(|step| step.frame.depth() == 1);
    let denied = text::auto_denied("task_createTask");
    let errors: Vec<_> = results(&steps)
        .into_iter()
        .map(|one| one["error"].clone())
        .collect();
    assert_eq!(errors, [&*denied, &*denied]);
    // A denial is no failure of the worker: it says what it made of it.
    assert_eq!(
        given(&world).await[0],
        json!({"success": true, "result": "Made."})
    );
    assert_eq!(world.tasks("U1").await, 0);
}

#[tokio::test]
async fn five_levels_fit_the_stack_and_the_sixth_is_refused() {
    let next = |to| vec![hand("", to, "go on"), says("done")];
    let parts = ["b", "c", "d", "e", "f", "g"];
    let names = ["a", "b", "c", "d", "e", "f"];
    let cast_of = names
        .into_iter()
        .zip(parts)
        .map(|(name, to)| (name, next(to)));
    let model = cast(cast_of.chain([("g", vec![says("unreached")])]).collect());
    let fronts: Vec<String> = parts.iter().map(|to| may_call(to)).collect();
    let workers = names.into_iter().zip(fronts.iter().map(String::as_str));
    let workers: Vec<(&str, &str)> = workers.chain([("g", "")]).collect();
    let mut world = World::new(model).await;
    world.employ(program("", &workers));
    world.say(dm("U1", "1.1", "go")).await;
    assert_eq!(world.said(), ["done"]);
    let run = world.root().await;
    let steps = world.steps(&run.id).await;
    let deepest: Vec<_> = steps
        .into_iter()
        .filter(|step| step.frame.depth() == 5)
        .collect();
    let path = ["a", "b", "c", "d", "e", "f"];
    assert_eq!(results(&deepest)[0]["error"], text::too_deep(5, &path));
}
