//! Cost and time limits of a plan with all its runs, and the results of a team that is ended.

use alfred_agent::{Run, RunState};
use alfred_core::ports::{Message, Model, ModelError, Output, QueueName, Turn, TurnRequest, Usage};
use alfred_core::{Payload, text};
use alfred_testkit::{ManualClock, ScriptedModel, calls, says};
use alfred_tests::{event, own_dm};
use async_trait::async_trait;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::in_memory::approvals::{click, value, waiting};
use crate::in_memory::delegation::files;
use crate::in_memory::plans::{combines, planning, system};
use crate::in_memory::world::{World, dm, turns_taken};

const SIX: &str = r#"{"teams":[
    {"team":"research","task":"1","after":[]},{"team":"marketing","task":"2","after":[]},
    {"team":"research","task":"3","after":[0]},{"team":"marketing","task":"4","after":[0,1]},
    {"team":"research","task":"5","after":[]},{"team":"marketing","task":"6","after":[]}]}"#;
const CHAIN: &str = r#"{"teams":[{"team":"research","task":"1","after":[]},{"team":"marketing","task":"2","after":[0]},{"team":"research","task":"3","after":[1]},{"team":"marketing","task":"4","after":[2]}]}"#;
const ONE: &str = r#"{"teams":[{"team":"marketing","task":"write","after":[]}]}"#;

/// Uses each turn's full budget at this price and never ends by itself.
struct Greedy {
    price: u64,
    dice: Mutex<fastrand::Rng>,
    used: Mutex<Usage>,
}

#[async_trait]
impl Model for Greedy {
    async fn turn(&self, request: &TurnRequest, _: &mut Usage) -> Result<Turn, ModelError> {
        let mut turn = match &request.output {
            Output::Json {
                name: "predicate", ..
            } => says("{\"result\": true}"),
            Output::Json { .. } => says(SIX),
            Output::Text if combines(request) => says("Together."),
            Output::Text => Turn {
                text: "so far".into(),
                ..calls(&[("c1", "time_now", "{}")])
            },
        };
        let read: usize = request
            .messages
            .iter()
            .map(|message| format!("{message:?}").len() / 2)
            .sum();
        let written = u64::from(request.max_output_tokens);
        let share = self.dice.lock().unwrap().u64(50..=100);
        turn.usage = Usage {
            input_tokens: read as u64,
            output_tokens: written * share / 100,
            ..Usage::default()
        };
        turn.usage.cost_micros = self.costs_at_most(&turn.usage);
        let mut used = self.used.lock().unwrap();
        *used = used.plus(&turn.usage);
        Ok(turn)
    }

    fn name(&self) -> String {
        "greedy:model".into()
    }

    fn costs_at_most(&self, usage: &Usage) -> Option<u64> {
        Some((usage.input_tokens + usage.output_tokens) * self.price)
    }
}

#[tokio::test]
async fn a_request_with_six_teams_keeps_to_its_budget() {
    let (most_tokens, most_micros) = (1_500_000, 3_000_000);
    for (price, seed) in [(1, 1), (20, 2), (60, 3)] {
        let mut world = World::new(ScriptedModel::new([])).await;
        let greedy = Arc::new(Greedy {
            price,
            dice: Mutex::new(fastrand::Rng::with_seed(seed)),
            used: Mutex::default(),
        });
        world.ports.model = greedy.clone();
        world.reconfigure((*world.ports.config).clone());
        world.say(dm("U1", "1.1", "everything at once")).await;
        let used = *greedy.used.lock().unwrap();
        let cost = used.cost_micros.unwrap();
        println!("at {price}: {used:?}");
        assert!(
            used.input_tokens + used.output_tokens <= most_tokens,
            "{used:?}"
        );
        assert!(cost <= most_micros, "{used:?}");
        let runs = world.runs().await;
        let sum = runs
            .iter()
            .fold(Usage::default(), |sum, run| sum.plus(&run.progress.usage));
        assert_eq!(sum.cost_micros, Some(cost), "every turn is in a journal");
        let error = "I stopped because this request used up its budget. Could you make it smaller?";
        let over = |run: &&Run| {
            let output = run.output();
            output.is_some_and(|output| output.error.as_deref() == Some(error))
        };
        let ended = runs.iter().filter(over).count();
        assert_eq!(
            ended > 0,
            price > 1,
            "the budget ends teams where they are dear: {ended}"
        );
    }
}

/// A team whose turns take this long; its third run posts a progress message.
fn slow(clock: &ManualClock) -> ScriptedModel {
    let clock = clock.clone();
    planning(&[CHAIN], move |request| {
        let third = format!("{:?}", request.messages).contains("which was asked \\\"2\\\"");
        let seconds = if third { 45 } else { 270 };
        clock.advance(Duration::from_secs(seconds));
        Ok(match third && turns_taken(request) == 0 {
            true => Turn {
                text: "half of it".into(),
                ..calls(&[("c1", "time_now", "{}")])
            },
            false => says("made it"),
        })
    })
}

#[tokio::test]
async fn a_plan_whose_time_is_over_ends_with_what_there_is() {
    let clock = ManualClock::default();
    let mut world = World::by(slow(&clock), clock.clone(), Arc::new(clock.clone())).await;
    world.deadline = Some(Duration::from_secs(70));
    world.receive(&dm("U1", "1.1", "one after the other")).await;
    let held = loop {
        let (queue, envelope) = world.next().unwrap();
        let runs = world.runs().await;
        let handed_on = runs
            .iter()
            .find(|run| run.progress.iterations == 1 && run.state == RunState::Ready);
        match handed_on {
            Some(_) if queue == QueueName::Team => break (queue, envelope),
            _ => world.deliver(queue, &envelope).await.unwrap(),
        }
    };
    world.clock.advance(Duration::from_secs(20));
    world.sweep().await;
    let root = world.root().await;
    assert!(
        matches!(root.state, RunState::Done { .. }),
        "{:?}",
        root.state
    );
    assert_eq!(world.said().last().unwrap(), "Together.");
    let requests = world.model.requests();
    let together = requests.iter().find(|request| combines(request)).unwrap();
    let told = format!("{:?}", together.messages);
    for part in [
        "It wasn't finished when the time for the whole request was over.",
        "It wasn't started, since the time for the whole request was over.",
        "half of it",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    // The team whose run was ended takes no further turn.
    let asked = world.model.calls();
    world.deliver(held.0, &held.1).await.unwrap();
    world.drain().await;
    assert_eq!(
        (world.model.calls(), world.runs().await.len()),
        (asked, 4),
        "the last part never started"
    );
}

#[tokio::test]
async fn a_team_that_ran_out_of_its_own_time_leaves_what_it_made() {
    let clock = ManualClock::default();
    let ticking = clock.clone();
    let model = planning(&[ONE], move |_| {
        ticking.advance(Duration::from_secs(301));
        Ok(Turn {
            text: "The first half.".into(),
            ..calls(&[("c1", "time_now", "{}")])
        })
    });
    let mut world = World::by(model, clock.clone(), Arc::new(clock)).await;
    world.say(dm("U1", "1.1", "write")).await;
    assert_eq!(
        world.said().last().unwrap(),
        "That took longer than I can wait. Please try again in a moment.\n\nThis is what there was by then, unfinished:\n\nThe first half."
    );
}

const BOSS: &str = "toolsets: {workers: {allowed_workers: [sender]}}";
const SENDER: &str = "toolsets: {slack: {}}";

/// A manager whose worker sends a message, which asks the owner.
async fn asking() -> World {
    let model = planning(&[ONE], |request| {
        let is_told = |message: &Message| matches!(message, Message::Tool { .. });
        if request.messages.iter().any(is_told) {
            return Ok(says("made it"));
        }
        Ok(match system(request).starts_with("You are boss") {
            true => calls(&[(
                "d1",
                "sender",
                r#"{"input": "ask Ben", "instructions": null}"#,
            )]),
            false => calls(&[(
                "s1",
                "slack_sendMessage",
                r#"{"to": "U2", "text": "Lunch?"}"#,
            )]),
        })
    });
    let mut world = World::new(model).await;
    world.register("U2", "Ben", alfred_core::Role::Member).await;
    world.found([(
        "marketing".to_owned(),
        files("", &[("boss", BOSS), ("sender", SENDER)]),
    )]);
    world.ask(dm("U1", "1.1", "write to Ben")).await;
    assert_eq!(waiting(&world).await.len(), 1);
    world
}

#[tokio::test]
async fn time_that_a_team_waits_for_its_owner_does_not_count() {
    let mut world = asking().await;
    for _ in 0..5 {
        world.clock.advance(Duration::from_secs(10 * 60));
        world.sweep().await;
    }
    assert_eq!(
        waiting(&world).await.len(),
        1,
        "still asked after fifty minutes"
    );
    let approval = waiting(&world).await.remove(0);
    let yes = click(
        "U1",
        alfred_agent::slack::card::action::APPROVE,
        &value(&approval),
        "t9",
    );
    world.ask(yes).await;
    world.settle().await;
    assert_eq!(
        world
            .answers()
            .iter()
            .filter(|said| said.starts_with("made it"))
            .count(),
        1
    );
    let root = world.root().await;
    assert!(root.plan.is_some_and(|plan| !plan.out_of_time));
}

#[tokio::test]
async fn a_stop_ends_all_levels() {
    let mut world = asking().await;
    let reply_to = own_dm("U1");
    let stop = event("U1", "evt:Ev9", Payload::Stop { reply_to });
    world.say(stop).await;
    assert!(waiting(&world).await.is_empty());
    let runs = world.runs().await;
    assert_eq!(runs.len(), 2);
    for run in runs {
        assert!(
            matches!(run.state, RunState::Done { .. }),
            "{:?}",
            run.state
        );
    }
    assert!(world.answers().last().unwrap().starts_with(text::STOPPED));
    let asked = world.model.calls();
    world.clock.advance(Duration::from_secs(3_600));
    world.sweep().await;
    assert_eq!(world.model.calls(), asked, "nobody goes on");
}
