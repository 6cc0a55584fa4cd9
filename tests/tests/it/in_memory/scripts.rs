//! JavaScript tools: the worker system's calculator example, and failures.

use alfred_agent::Program;
use alfred_agent::model::Snapshot;
use alfred_testkit::calls;
use alfred_workers::{Below, Registry};
use serde_json::{Value, json};
use std::path::Path;

use crate::in_memory::approvals::{click, value, waiting};
use crate::in_memory::world::{World, calling, dm, results};

fn calculator() -> Program {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs/calculator");
    let below = Below {
        folder: &folder,
        always: true,
        data: None,
    };
    bound(&alfred_workers::find(&folder, below).unwrap())
}

fn with(tool: &str, approval: &str) -> Program {
    let custom = format!("{{module: m, tools: [f], approval: {{default: {approval}}}}}");
    let front = format!("name: a\ntoolsets: {{custom: {custom}}}\ninstructions: x");
    let mut snapshot = Snapshot::of("p", [("a.worker", &*front)]);
    snapshot.beside = Snapshot::of(
        "p",
        [(
            "m.js",
            &*format!("export const f = {tool}, fSchema = {{type: 'object'}}"),
        )],
    )
    .workers;
    bound(&snapshot)
}

fn bound(snapshot: &Snapshot) -> Program {
    alfred_workers::program(snapshot, &Registry::of(&[]).with_modules_of_programs()).unwrap()
}

async fn at_work(program: Program, asked: &[(&'static str, &'static str, &str)]) -> World {
    let mut world = World::new(calling(calls(asked))).await;
    world.employ(program);
    world.ask(dm("U1", "1.1", "calculate")).await;
    world
}

async fn given(world: &World) -> Vec<Value> {
    let run = world.root().await;
    results(&world.steps(&run.id).await)
}

#[tokio::test]
async fn the_calculator_calculates() {
    let asked = [
        ("a", "calculateFibonacci", r#"{"n": 10}"#),
        ("b", "calculatePrimeFactors", r#"{"n": 84}"#),
        ("c", "calculateFibonacci", r#"{"n": -1}"#),
        ("d", "calculateFibonacci", r#"{"n": 1, "m": 2}"#),
    ];
    let world = at_work(calculator(), &asked).await;
    // Schema errors are reported first; the other calls end in any order.
    let given = given(&world).await;
    let factors = json!({"number": 84, "factors": [2, 2, 3, 7], "isComposite": true});
    for result in [json!(55), factors] {
        let told = json!({"success": true, "result": result});
        assert!(given.contains(&told), "{told} in {given:?}");
    }
    for (wrong, field) in [(&given[0], "n: "), (&given[1], "m")] {
        let error = wrong["error"].as_str().unwrap();
        assert!(
            error.starts_with("bad arguments: ") && error.contains(field),
            "{error}"
        );
    }
    let run = world.root().await;
    assert!(
        run.taint.private.is_empty() && run.taint.untrusted.is_empty(),
        "{:?}",
        run.taint
    );
}

#[tokio::test]
async fn what_its_file_asks_about_waits_for_its_owner() {
    let mut world = at_work(calculator(), &[("a", "calculateFactorial", r#"{"n": 20}"#)]).await;
    let asked = waiting(&world).await;
    assert!(given(&world).await.is_empty());
    world
        .ask(click("U1", "approval_approve", &value(&asked[0]), "t1"))
        .await;
    assert_eq!(
        given(&world).await,
        [json!({"success": true, "result": "2432902008176640000"})]
    );
}

#[tokio::test]
async fn a_function_that_fails_is_told_to_the_model() {
    for (tool, expected) in [
        ("() => { for (;;); }", "f: stopped after 1000 ms"),
        (
            "() => { const all = []; for (;;) all.push([all]) }",
            "f: stopped at 16384 KB of memory",
        ),
        (
            "() => { throw new Error('no such day') }",
            "f: m:1:36: Error: no such day",
        ),
    ] {
        let world = at_work(with(tool, "preApproved"), &[("a", "f", "{}")]).await;
        assert_eq!(
            given(&world).await,
            [json!({"success": false, "error": expected, "say": "I couldn't calculate that."})]
        );
        assert!(
            !world.said().concat().contains(expected),
            "{:?}",
            world.said()
        );
    }
}

#[tokio::test]
async fn what_a_file_blocks_does_not_run() {
    let world = at_work(with("() => 1", "blocked"), &[("a", "f", "{}")]).await;
    assert_eq!(
        given(&world).await[0]["error"],
        "Not allowed: f is blocked here. Nothing was done."
    );
}
