//! Workers that call workers in one run: shared budget, stop, taint and approvals.

use alfred_agent::model::{Snapshot, Source};
use alfred_agent::slack::card::action;
use alfred_agent::{Program, RunState, StepKind};
use alfred_core::ports::{Message, Turn, TurnRequest, Usage};
use alfred_testkit::{STORE_FAULTS, ScriptedModel, calls, says};
use alfred_workers::Registry;
use serde_json::{Value, json};

use crate::in_memory::approvals::{click, value};
use crate::in_memory::world::{World, dm, results};

const OVER_BUDGET: &str =
    "I stopped because this request used up its budget. Could you make it smaller?";

/// A program of workers, each a name and its front matter.
pub fn program(settings: &str, workers: &[(&str, &str)]) -> Program {
    bound(&files(settings, workers))
}

pub fn bound(snapshot: &Snapshot) -> Program {
    let catalogue = alfred_tools::catalogue();
    alfred_workers::program(snapshot, &Registry::of(&catalogue)).unwrap()
}

pub fn files(settings: &str, workers: &[(&str, &str)]) -> Snapshot {
    let texts = workers.iter().map(|(name, front)| {
        format!("---\nname: {name}\ndescription: The {name}.\n{front}\n---\nYou are {name}.")
    });
    let texts: Vec<String> = texts.collect();
    let mut snapshot = Snapshot::of(
        "team",
        workers
            .iter()
            .zip(&texts)
            .map(|((name, _), text)| (*name, text.as_str())),
    );
    snapshot.settings = Some(Source {
        path: "alfred.yaml".into(),
        text: settings.into(),
    });
    snapshot
}

pub fn may_call(workers: &str) -> String {
    format!("toolsets: {{workers: {{allowed_workers: [{workers}]}}}}")
}

pub type Turns = Vec<Turn>;

/// Plays each worker: the instructions identify it, and each has its own turns.
pub fn cast(parts: Vec<(&'static str, Turns)>) -> ScriptedModel {
    ScriptedModel::answering(move |request| {
        let Some(part) = playing(request) else {
            return Ok(says("{\"result\": false}"));
        };
        let turns = &parts.iter().find(|(name, _)| *name == part).unwrap().1;
        let told = |message: &&Message| matches!(message, Message::Assistant { .. });
        Ok(turns[request.messages.iter().filter(told).count()].clone())
    })
}

pub fn playing(request: &TurnRequest) -> Option<String> {
    let Message::System { text } = &request.messages[0] else {
        return None;
    };
    let name = text.strip_prefix("You are ")?.split('.').next()?;
    Some(name.to_owned())
}

pub fn asked_of(world: &World, worker: &str) -> Vec<TurnRequest> {
    let mut requests = world.model.requests();
    requests.retain(|request| playing(request).as_deref() == Some(worker));
    requests
}

pub fn hand(id: &'static str, to: &'static str, input: &str) -> Turn {
    let input = json!({ "input": input }).to_string();
    calls(&[(id, to, &input)])
}

pub async fn at_work(model: ScriptedModel, program: Program) -> World {
    let mut world = World::new(model).await;
    world.employ(program);
    world
}

/// The tool results of the run's own agent, in order.
pub async fn given(world: &World) -> Vec<Value> {
    let run = world.root().await;
    let steps = world.steps(&run.id).await;
    let own: Vec<_> = steps
        .into_iter()
        .filter(|step| step.frame.is_own())
        .collect();
    results(&own)
}

#[tokio::test]
async fn a_worker_does_its_part_and_its_caller_goes_on_with_it() {
    let model = cast(vec![
        (
            "lead",
            vec![
                hand("a", "reader", "What day is it in Tokyo?"),
                says("It is Saturday there."),
            ],
        ),
        (
            "reader",
            vec![calls(&[("b", "time_now", "{}")]), says("Saturday.")],
        ),
    ]);
    let team = program(
        "",
        &[
            ("lead", &may_call("reader")),
            ("reader", "toolsets: {time: {}}"),
        ],
    );
    let mut world = at_work(model, team).await;
    world.say(dm("U1", "1.1", "what day is it in Tokyo?")).await;
    assert_eq!(world.said(), ["It is Saturday there."]);
    assert_eq!(
        given(&world).await,
        [json!({"success": true, "result": "Saturday."})]
    );
    let reader = asked_of(&world, "reader");
    let tools: Vec<&str> = reader[0].tools.iter().map(|tool| &*tool.name).collect();
    assert!(
        tools.iter().all(|name| name.starts_with("time_")),
        "{tools:?}"
    );
    assert_eq!(
        reader[0].messages.len(),
        2,
        "its task, and nothing of the conversation"
    );
    let run = world.root().await;
    let turns = world
        .steps(&run.id)
        .await
        .iter()
        .filter(|step| matches!(step.did, StepKind::Turn(_)))
        .count();
    assert_eq!((run.progress.iterations, turns), (4, 4));
}

#[tokio::test]
async fn depth_then_circles_then_the_number_of_delegations_end_it() {
    let says_of = |steps: Vec<Value>| steps[0]["error"].as_str().unwrap().to_owned();
    let chain = |last: Turn| {
        cast(vec![
            ("a", vec![hand("1", "b", "go on"), says("done")]),
            ("b", vec![hand("2", "c", "go on"), says("done")]),
            ("c", vec![last, says("done")]),
        ])
    };
    let (to_b, to_c) = (may_call("b"), may_call("c"));
    for (settings, workers, last, expected) in [
        (
            "delegation: {maxDepth: 2}",
            vec![("a", &*to_b), ("b", &*to_c), ("c", &*to_b)],
            hand("3", "b", "again"),
            "Maximum delegation depth (2) exceeded. Current path: a -> b -> c".to_owned(),
        ),
        (
            "",
            vec![("a", &*to_b), ("b", &*to_c), ("c", &*to_b)],
            hand("3", "b", "again"),
            "Circular delegation detected: a -> b -> c -> b".to_owned(),
        ),
    ] {
        let mut world = at_work(chain(last), program(settings, &workers)).await;
        world.say(dm("U1", "1.1", "go")).await;
        let run = world.root().await;
        let steps = world.steps(&run.id).await;
        let deepest: Vec<_> = steps
            .into_iter()
            .filter(|step| step.frame.depth() == 2)
            .collect();
        assert_eq!(says_of(results(&deepest)), expected);
        assert_eq!(world.said(), ["done"]);
    }
    let many = (0..31).map(|n| (format!("n{n}"), json!({"input": "x"}).to_string()));
    let many: Vec<(String, String)> = many.collect();
    let many: Vec<_> = many
        .iter()
        .map(|(id, input)| (&**id, "b", &**input))
        .collect();
    let model = cast(vec![
        ("a", vec![calls(&many), says("done")]),
        ("b", vec![says("x")]),
    ]);
    let mut world = at_work(model, program("", &[("a", &to_b), ("b", "")])).await;
    world.say(dm("U1", "1.1", "go")).await;
    let refused: Vec<Value> = given(&world)
        .await
        .into_iter()
        .filter(|one| one["success"] == false)
        .collect();
    assert_eq!(refused.len(), 1);
    assert_eq!(
        says_of(refused),
        "This request has called 30 workers already, and may call no more. Finish with what there is."
    );
}

#[tokio::test]
async fn what_is_asked_deep_inside_parks_the_whole_and_goes_on_there() {
    let model = cast(vec![
        (
            "lead",
            vec![
                hand("a", "keeper", "Remove the task Call Ben"),
                says("It is gone."),
            ],
        ),
        (
            "keeper",
            vec![hand("b", "hand", "Delete it"), says("Deleted.")],
        ),
        (
            "hand",
            vec![
                calls(&[("t", "task_createTask", r#"{"title": "Call Ben"}"#)]),
                calls(&[("c", "task_deleteTask", r#"{"taskId": "Call Ben"}"#)]),
                says("Deleted it."),
            ],
        ),
    ]);
    let team = program(
        "",
        &[
            ("lead", &may_call("keeper")),
            ("keeper", &may_call("hand")),
            ("hand", "toolsets: {task: {}}"),
        ],
    );
    let mut world = at_work(model, team).await;
    let asked = world.asked("remove the task").await;
    let run = world.root().await;
    assert_eq!(run.state, RunState::Asking { shown: true });
    let posted = world.chat.posted();
    let card = posted.last().unwrap();
    let card = alfred_tests::shown(&card.text, &card.blocks);
    assert!(
        card.contains("lead › keeper › hand wants to do this"),
        "{card}"
    );
    let steps = world.steps(&run.id).await.len();
    world
        .say(click("U1", action::APPROVE, &value(&asked), "t1"))
        .await;
    let run = world.root().await;
    assert!(
        matches!(run.state, RunState::Done { .. }),
        "{:?}",
        run.state
    );
    let mut behind = world.steps(&run.id).await;
    let behind = behind.split_off(steps);
    let frames: Vec<usize> = behind.iter().map(|step| step.frame.depth()).collect();
    assert_eq!(frames[1..], [2, 2, 1, 1, 0, 0]);
    assert_eq!(world.tasks("U1").await, 0);
}

#[tokio::test]
async fn a_worker_that_fails_is_a_result_that_says_what_was_done() {
    let loops = || calls(&[("", "task_createTask", r#"{"title": "Call Ben"}"#)]);
    let model = cast(vec![
        (
            "lead",
            vec![hand("a", "hand", "Do it"), says("It didn't work out.")],
        ),
        ("hand", vec![loops(), loops(), loops()]),
    ]);
    let hand_file = "toolsets: {task: {}}\nlimits: {max_iterations: 3}";
    let team = program("", &[("lead", &may_call("hand")), ("hand", hand_file)]);
    let mut world = at_work(model, team).await;
    world.say(dm("U1", "1.1", "go")).await;
    let given = given(&world).await;
    assert_eq!(
        given[0]["error"],
        "I stopped after 3 steps without finishing. Could you break the request into smaller parts?"
    );
    assert_eq!(given[0]["done"].as_array().unwrap().len(), 2, "{given:?}");
    let output = world.output().await;
    assert_eq!(
        output.effects.len(),
        2,
        "its receipts are the run's: {output:?}"
    );
}

#[tokio::test]
async fn whoever_is_called_spends_from_what_is_left() {
    let dear = |mut turn: Turn| {
        turn.usage = Usage {
            input_tokens: 600,
            ..turn.usage
        };
        turn
    };
    let model = cast(vec![
        (
            "lead",
            vec![dear(hand("a", "hand", "Do it")), says("unreached")],
        ),
        (
            "hand",
            vec![dear(calls(&[("b", "time_now", "{}")])), says("unreached")],
        ),
    ]);
    let lead = format!("{}\nlimits: {{max_tokens: 1000}}", may_call("hand"));
    let team = program(
        "",
        &[
            ("lead", &lead),
            ("hand", "toolsets: {time: {}}\nlimits: {max_tokens: 100000}"),
        ],
    );
    let mut world = at_work(model, team).await;
    world.say(dm("U1", "1.1", "go")).await;
    assert_eq!(given(&world).await[0]["error"], OVER_BUDGET);
    assert_eq!(world.output().await.error.unwrap(), OVER_BUDGET);
}

#[tokio::test]
async fn a_file_can_forbid_and_ask_but_spares_no_question_about_what_leaves() {
    let model = cast(vec![(
        "lead",
        vec![
            calls(&[
                ("a", "task_createTask", r#"{"title": "Call Ben"}"#),
                ("b", "slack_sendMessage", r#"{"to": "Ben", "text": "hi"}"#),
            ]),
            says("done"),
        ],
    )]);
    let file = "toolsets: {task: {approval: {default: blocked}}, slack: {approval: {default: preApproved}}}";
    let mut world = at_work(model, program("", &[("lead", file)])).await;
    world.register("U2", "Ben", alfred_core::Role::Member).await;
    world.asked("go").await;
    let given = given(&world).await;
    assert_eq!(
        given[0]["error"],
        "Not allowed: task_createTask is blocked here. Nothing was done."
    );
    assert!(matches!(world.root().await.state, RunState::Asking { .. }));
}

async fn three_deep() -> World {
    let model = cast(vec![
        (
            "lead",
            vec![hand("a", "middle", "Make it"), says("All done.")],
        ),
        ("middle", vec![hand("b", "hand", "Make it"), says("Made.")]),
        (
            "hand",
            vec![
                calls(&[("c", "task_createTask", r#"{"title": "Call Ben"}"#)]),
                says("Made it."),
            ],
        ),
    ]);
    let team = [
        ("lead", &*may_call("middle")),
        ("middle", &may_call("hand")),
        ("hand", "toolsets: {task: {}}"),
    ];
    at_work(model, program("", &team)).await
}

#[tokio::test]
async fn a_fault_at_every_call_three_deep_changes_nothing() {
    let mut plain = three_deep().await;
    plain.say(dm("U1", "1.1", "go")).await;
    for kind in ["store.get", "store.query", "store.commit"] {
        for number in 1..=plain.faults.calls(kind) {
            for (when, error) in STORE_FAULTS {
                let mut world = three_deep().await;
                world.faults.fail_at(kind, number, when, error());
                world.say(dm("U1", "1.1", "go")).await;
                let what = format!("{kind} {number} {when:?}");
                assert_eq!(world.dead.len(), 0, "{what}: {:?}", world.dead);
                assert_eq!(world.answers().len(), 1, "{what}: {:?}", world.answers());
                assert_eq!(world.tasks("U1").await, 1, "{what}");
                let run = world.root().await;
                let steps = world.steps(&run.id).await;
                let depths: Vec<usize> = steps.iter().map(|step| step.frame.depth()).collect();
                // The classification, then per worker a turn, a result and its outcome.
                assert_eq!(depths, [0, 0, 1, 2, 2, 2, 1, 1, 0, 0], "{what}");
            }
        }
    }
}
