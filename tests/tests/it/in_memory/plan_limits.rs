//! Cost and time limits of a plan with all its runs.

use alfred_agent::{Run, RunState};
use alfred_core::ports::{Message, Model, ModelError, Output, QueueName, Turn, TurnRequest, Usage};
use alfred_testkit::{ManualClock, ScriptedModel, calls, says};
use async_trait::async_trait;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::in_memory::world::{World, dm, turns_taken};

const SIX: &str = r#"{"teams":[
    {"team":"research","task":"1","after":[]},{"team":"marketing","task":"2","after":[]},
    {"team":"research","task":"3","after":[0]},{"team":"marketing","task":"4","after":[0,1]},
    {"team":"research","task":"5","after":[]},{"team":"marketing","task":"6","after":[]}]}"#;
const CHAIN: &str = r#"{"teams":[{"team":"research","task":"1","after":[]},{"team":"marketing","task":"2","after":[0]},{"team":"research","task":"3","after":[1]},{"team":"marketing","task":"4","after":[2]}]}"#;

pub fn system(request: &TurnRequest) -> &str {
    match &request.messages[0] {
        Message::System { text } => text,
        other => panic!("{other:?}"),
    }
}

fn combines(request: &TurnRequest) -> bool {
    system(request).starts_with("Several teams worked")
}

/// Classifies every request as complex, plans this, and works for every team as `team` does.
fn planning(
    plan: &'static str,
    team: impl Fn(&TurnRequest) -> Result<Turn, ModelError> + Send + Sync + 'static,
) -> ScriptedModel {
    ScriptedModel::answering(move |request| match &request.output {
        Output::Json { name, .. } if *name == "predicate" => Ok(says("{\"result\": true}")),
        Output::Json { .. } => Ok(says(plan)),
        Output::Text if combines(request) => Ok(says("Together.")),
        Output::Text => team(request),
    })
}

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
            Output::Json { name, .. } if *name == "predicate" => says("{\"result\": true}"),
            Output::Json { .. } => says(SIX),
            Output::Text if combines(request) => says("Together."),
            Output::Text => Turn {
                text: "so far".into(),
                ..calls(&[("c1", "time_now", "{}")])
            },
        };
        let texts = request.messages.iter().map(|one| format!("{one:?}"));
        let read: usize = texts.map(|text| text.len() / 2).sum();
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
        world.change_ports(|ports| ports.model = greedy.clone());
        world.say(dm("U1", "1.1", "everything at once")).await;
        let used = *greedy.used.lock().unwrap();
        let cost = used.cost_micros.unwrap();
        println!("at {price}: {used:?}");
        let tokens = used.input_tokens + used.output_tokens;
        assert!(tokens <= most_tokens, "{used:?}");
        assert!(cost <= most_micros, "{used:?}");
        let runs = world.runs().await;
        let usages = runs.iter().map(|run| &run.progress.usage);
        let sum = usages.fold(Usage::default(), |sum, used| sum.plus(used));
        assert_eq!(sum.cost_micros, Some(cost), "every turn is in a journal");
        let error = "I stopped because this request used up its budget. Could you make it smaller?";
        let over = |run: &&Run| {
            let output = run.output();
            output.is_some_and(|output| output.error.as_deref() == Some(error))
        };
        let ended = runs.iter().filter(over).count();
        let is_dear = price > 1;
        assert_eq!(ended > 0, is_dear, "the budget ends dear teams: {ended}");
    }
}

/// A team whose turns take this long; its third run posts a progress message.
fn slow(clock: &ManualClock) -> ScriptedModel {
    let clock = clock.clone();
    planning(CHAIN, move |request| {
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
        let handed_on = |run: &&Run| run.progress.iterations == 1 && run.state == RunState::Ready;
        match runs.iter().find(handed_on) {
            Some(_) if queue == QueueName::Team => break (queue, envelope),
            _ => world.deliver(queue, &envelope).await.unwrap(),
        }
    };
    world.clock.advance(Duration::from_secs(20));
    world.sweep().await;
    let state = world.root().await.state;
    assert!(matches!(state, RunState::Done { .. }), "{state:?}");
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
    assert_eq!(world.model.calls(), asked, "the last part never started");
    assert_eq!(world.runs().await.len(), 4);
}
