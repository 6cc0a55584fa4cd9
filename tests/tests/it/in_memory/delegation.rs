//! Programs and models for tests of workers that call workers. What they do is in `stories/delegation.txt`.

use alfred_agent::Program;
use alfred_agent::model::{Snapshot, Source};
use alfred_core::ports::{Message, Turn, TurnRequest};
use alfred_testkit::{ScriptedModel, calls, says};
use alfred_workers::Registry;
use serde_json::{Value, json};

use crate::in_memory::world::{World, results};

pub fn bound(snapshot: &Snapshot) -> Program {
    let catalogue = alfred_tools::catalogue();
    alfred_workers::program(snapshot, &Registry::of(&catalogue)).unwrap()
}

pub fn files(settings: &str, workers: &[(&str, &str)]) -> Snapshot {
    let texts = workers.iter().map(|(name, front)| {
        format!("---\nname: {name}\ndescription: The {name}.\n{front}\n---\nYou are {name}.")
    });
    let texts: Vec<String> = texts.collect();
    let names = workers.iter().map(|(name, _)| *name);
    let mut snapshot = Snapshot::of("team", names.zip(texts.iter().map(String::as_str)));
    snapshot.settings = Some(Source {
        path: "alfred.yaml".into(),
        text: settings.into(),
    });
    snapshot
}

pub fn may_call(workers: &str) -> String {
    format!("toolsets: {{workers: {{allowed_workers: [{workers}]}}}}")
}

type Turns = Vec<Turn>;

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

fn playing(request: &TurnRequest) -> Option<String> {
    let Message::System { text } = &request.messages[0] else {
        return None;
    };
    let name = text.strip_prefix("You are ")?.split('.').next()?;
    Some(name.to_owned())
}

pub fn hand(id: &'static str, to: &'static str, input: &str) -> Turn {
    let input = json!({ "input": input }).to_string();
    calls(&[(id, to, &input)])
}

/// The tool results of the run's own agent, in order.
pub async fn given(world: &World) -> Vec<Value> {
    let run = world.root().await;
    let steps = world.steps(&run.id).await;
    let own = steps.into_iter().filter(|step| step.frame.is_own());
    results(&own.collect::<Vec<_>>())
}
