//! A called worker is bound by its caller: mode, memory, and allowed workers.

use alfred_agent::RunState;
use alfred_core::Config;
use alfred_core::policy::{Mode, Policy, Setting};
use alfred_core::ports::{Message, TurnRequest};
use alfred_testkit::{ScriptedModel, calls, says};
use serde_json::{Value, json};
use std::time::Duration;

use crate::in_memory::approvals::{click, value, waiting};
use crate::in_memory::delegation::{at_work, cast, files, given, hand, may_call, playing, program};
use crate::in_memory::world::{World, dm, results, shown};

const REASON_WORKER_ASKS: &str = "this worker asks before it does that";

#[tokio::test]
async fn the_mode_of_a_run_is_that_of_whomever_it_calls() {
    for (mode, error, left) in [
        (Mode::Interactive, None, 1),
        (
            Mode::AutoDeny,
            Some("Denied: task_deleteTask needs an approval, and here approvals are always denied. Nothing was done.".to_owned()),
            1,
        ),
        (Mode::ApproveAll, None, 0),
    ] {
        let model = cast(vec![
            ("lead", vec![hand("a", "hand", "Remove it"), says("done")]),
            (
                "hand",
                vec![
                    calls(&[("t", "task_createTask", r#"{"title": "Call Ben"}"#)]),
                    calls(&[("c", "task_deleteTask", r#"{"taskId": "Call Ben"}"#)]),
                    says("done"),
                ],
            ),
        ]);
        let mut world = World::new(model).await;
        let policy = Policy {
            mode,
            ..Policy::default()
        };
        world.reconfigure(Config {
            policy,
            real_slack: false,
            ..Config::default()
        });
        let (lead, tasks) = (may_call("hand"), "toolsets: {task: {}}");
        world.employ(program("", &[("lead", &lead), ("hand", tasks)]));
        world.ask(dm("U1", "1.1", "go")).await;
        let run = world.root().await;
        let asks = matches!(run.state, RunState::Asking { .. });
        assert_eq!(asks, mode == Mode::Interactive, "{mode:?}");
        let steps = world.steps(&run.id).await;
        let errors = results(&steps).into_iter();
        let mut errors = errors.filter_map(|one| one["error"].as_str().map(str::to_owned));
        assert_eq!(errors.next(), error, "{mode:?}");
        assert_eq!(world.tasks("U1").await, left, "{mode:?}");
    }
}

/// Obeys "make: TITLE" itself, and "hand on: TITLE" through its colleague.
fn obeying() -> ScriptedModel {
    ScriptedModel::answering(|request| {
        if playing(request).is_none() {
            return Ok(says("{\"result\": false}"));
        }
        let known = matches!(request.messages.last(), Some(Message::Tool { .. }));
        Ok(match asked(request).split_once(": ") {
            Some(("hand on", title)) if !known => hand("", "hand", &format!("make: {title}")),
            Some(("make", title)) if !known => calls(&[(
                "",
                "task_createTask",
                &json!({ "title": title }).to_string(),
            )]),
            _ => says("done"),
        })
    })
}

fn asked(request: &TurnRequest) -> &str {
    let words = request
        .messages
        .iter()
        .rev()
        .find_map(|message| match message {
            Message::User { text } => Some(&**text),
            _ => None,
        });
    words.unwrap_or_default()
}

#[tokio::test]
async fn what_is_remembered_counts_for_this_call_in_this_conversation_whoever_makes_it() {
    let tasks = "task: {approval: {default: ask}}";
    let lead = format!("toolsets: {{workers: {{allowed_workers: [hand]}}, {tasks}}}");
    let own = format!("toolsets: {{{tasks}}}");
    let team = program("", &[("lead", &lead), ("hand", &own)]);
    let mut world = at_work(obeying(), team).await;
    let minute = Duration::from_secs(60);
    for (n, (after, words, asks)) in [
        (minute, "hand on: Call Ben", true),
        (minute, "make: Call Ben", false),
        (minute, "hand on: Call Cleo", true),
        (minute * (12 * 60 - 4), "hand on: Call Ben", false),
        (minute * 3, "hand on: Call Ben", true),
    ]
    .into_iter()
    .enumerate()
    {
        world.clock.advance(after);
        world.ask(dm("U1", &format!("1.{n}"), words)).await;
        let cards = waiting(&world).await;
        assert_eq!(cards.len(), usize::from(asks), "{n}: {words}");
        let Some(card) = cards.first() else { continue };
        let posted = world.chat.posted().pop().unwrap();
        let said = shown(&posted.text, &posted.blocks);
        assert!(said.contains(REASON_WORKER_ASKS), "{said}");
        let action = match n {
            0 => "approval_remember",
            _ => "approval_reject",
        };
        let trigger = world.next_trigger();
        world.ask(click("U1", action, &value(card), &trigger)).await;
    }
}

#[tokio::test]
async fn an_administrators_word_is_told_as_such() {
    for by in [None, Some("lead"), Some("team/lead")] {
        let model = cast(vec![(
            "lead",
            vec![calls(&[(
                "t",
                "task_createTask",
                r#"{"title": "Call Ben"}"#,
            )])],
        )]);
        let mut world = World::new(model).await;
        let mut policy = Policy::default();
        let asks = [("task_createTask".to_owned(), Setting::Ask)];
        policy.workers = by
            .map(|by| (by.to_owned(), asks.into()))
            .into_iter()
            .collect();
        world.reconfigure(Config {
            policy,
            ..Config::default()
        });
        let file = "toolsets: {task: {approval: {default: ask}}}";
        world.employ(program("", &[("lead", file)]));
        world.ask(dm("U1", "1.1", "go")).await;
        let posted = world.chat.posted().pop().unwrap();
        let card = shown(&posted.text, &posted.blocks);
        let why = match by {
            Some("team/lead") => "an administrator wants it asked",
            _ => REASON_WORKER_ASKS,
        };
        assert!(card.contains(why), "{by:?}: {card}");
    }
}

#[tokio::test]
async fn only_who_is_on_the_list_is_called_and_never_who_began() {
    for (from, call, expected) in [
        ("lead", hand("x", "other", "go"), "Tool not found: other"),
        (
            "hand",
            hand("x", "lead", "go"),
            "Circular delegation detected: lead -> hand -> lead",
        ),
        (
            "lead",
            hand("x", "hand", " "),
            "input: must say what is to be done",
        ),
    ] {
        let first = match from {
            "lead" => call.clone(),
            _ => hand("a", "hand", "go"),
        };
        let model = cast(vec![
            ("lead", vec![first, says("done")]),
            ("hand", vec![call, says("done")]),
            ("other", vec![says("unreached")]),
        ]);
        let (to_hand, to_both) = (may_call("hand"), may_call("lead, other"));
        let workers = [("lead", &*to_hand), ("hand", &*to_both), ("other", "")];
        let mut world = at_work(model, program("", &workers)).await;
        world.say(dm("U1", "1.1", "go")).await;
        let run = world.root().await;
        let steps = world.steps(&run.id).await;
        assert_eq!(results(&steps).remove(0)["error"], expected);
        assert_eq!(world.said(), ["done"], "nobody's end");
    }
}

#[tokio::test]
async fn guidance_goes_along_and_a_worker_of_chats_gives_one_result() {
    let input = json!({"input": "Sum it up", "instructions": "Be brief."}).to_string();
    let model = cast(vec![
        ("lead", vec![calls(&[("a", "hand", &input)]), says("done")]),
        ("hand", vec![says("In short: boats.")]),
    ]);
    let snapshot = files("", &[("lead", &may_call("hand")), ("hand", "mode: chat")]);
    let mut world = at_work(model, crate::in_memory::delegation::bound(&snapshot)).await;
    world.say(dm("U1", "1.1", "go")).await;
    let result: Value = given(&world).await.remove(0);
    assert_eq!(
        result,
        json!({"success": true, "result": "In short: boats."})
    );
    let requests = world.model.requests();
    let of = |name: &str| {
        let mut found = requests
            .iter()
            .filter(|one| playing(one).as_deref() == Some(name));
        found.next().unwrap()
    };
    assert_eq!(asked(of("hand")), "Sum it up\n\nGuidance: Be brief.");
    let [tool] = &*of("lead").tools else {
        panic!("{:?}", of("lead").tools)
    };
    assert_eq!((&*tool.name, &*tool.description), ("hand", "The hand."));
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
    assert_eq!(
        results(&deepest)[0]["error"],
        "Maximum delegation depth (5) exceeded. Current path: a -> b -> c -> d -> e -> f"
    );
}
