//! A caller that passes on a worker's answer without another turn.

use alfred_core::ports::Turn;
use alfred_testkit::{STORE_FAULTS, ScriptedModel, calls, says};
use serde_json::json;

use crate::in_memory::delegation::{bound, cast, files};
use crate::in_memory::world::{World, dm};

/// A lead that only calls a reader, or says "By the lead." if it gets another turn.
fn lead(first: Turn, reader: Vec<Turn>) -> ScriptedModel {
    cast(vec![
        ("lead", vec![first, says("By the lead.")]),
        ("reader", reader),
    ])
}

fn hand_all(ids: &[&str]) -> Turn {
    let whole = json!({"input": "look", "answer": true}).to_string();
    let each: Vec<_> = ids.iter().map(|id| (*id, "reader", &*whole)).collect();
    calls(&each)
}

async fn world(model: ScriptedModel, pass_on: bool) -> World {
    let may = format!("toolsets: {{workers: {{allowed_workers: [reader], pass_on: {pass_on}}}}}");
    let team = files(
        "",
        &[
            ("lead", &may),
            (
                "reader",
                "toolsets: {time: {}}\nlimits: {max_iterations: 2}",
            ),
        ],
    );
    let mut world = World::new(model).await;
    world.employ(bound(&team));
    world
}

#[tokio::test]
async fn an_answer_goes_out_unread_where_one_call_was_all_and_it_holds() {
    let now = || calls(&[("t1", "time_now", "{}")]);
    let read = || vec![now(), says("It is ten.")];
    for (what, first, reader, pass_on, said) in [
        ("passed on", hand_all(&["a"]), read(), true, "It is ten."),
        (
            "not asked to",
            crate::in_memory::delegation::hand("a", "reader", "look"),
            read(),
            true,
            "By the lead.",
        ),
        ("may not", hand_all(&["a"]), read(), false, "By the lead."),
        (
            "two at once",
            hand_all(&["a", "b"]),
            read(),
            true,
            "By the lead.",
        ),
        (
            "failed",
            hand_all(&["a"]),
            vec![now(), now()],
            true,
            "By the lead.",
        ),
    ] {
        let mut world = world(lead(first, reader), pass_on).await;
        world.say(dm("U1", "1.1", "what time is it?")).await;
        assert_eq!(world.said(), [said], "{what}");
    }
}

#[tokio::test]
async fn it_goes_out_once_wherever_the_store_fails() {
    let model = || {
        lead(
            hand_all(&["a"]),
            vec![calls(&[("t1", "time_now", "{}")]), says("It is ten.")],
        )
    };
    let mut calm = world(model(), true).await;
    calm.say(dm("U1", "1.1", "go")).await;
    for number in 1..=calm.faults.calls("store.commit") {
        for (when, error) in STORE_FAULTS {
            let mut world = world(model(), true).await;
            world.faults.fail_at("store.commit", number, when, error());
            world.say(dm("U1", "1.1", "go")).await;
            assert_eq!(world.said(), ["It is ten."], "{number} {when:?}");
        }
    }
}
