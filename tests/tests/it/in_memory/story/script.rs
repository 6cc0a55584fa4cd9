//! The model: its turns by request, and by how many it has taken, so that a turn that a crash lost is repeated.

use alfred_agent::turn::conversation;
use alfred_core::ports::{Message, Output, Turn, TurnRequest};
use alfred_testkit::{ScriptedModel, calls, says};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

#[derive(Default)]
pub struct Script {
    /// By the person's words. Turns of a step in which nobody writes are kept under no words.
    turns: Mutex<BTreeMap<String, Vec<Turn>>>,
    otherwise: Mutex<Option<Turn>>,
}

impl Script {
    pub fn expect(&self, words: &str, turns: &[&str]) {
        if !turns.is_empty() {
            let turns = turns.iter().map(|turn| parse(turn)).collect();
            self.turns.lock().unwrap().insert(words.to_owned(), turns);
        }
    }

    pub fn otherwise(&self, answer: &str) {
        *self.otherwise.lock().unwrap() = Some(parse(answer));
    }

    pub fn model(self: Arc<Self>) -> ScriptedModel {
        ScriptedModel::answering(move |request| {
            Ok(match &request.output {
                Output::Json {
                    name: "predicate", ..
                } => says("{\"result\": false}"),
                Output::Json { name, .. } => panic!("nobody scripted {name}"),
                Output::Text => self.turn(request),
            })
        })
    }

    fn turn(&self, request: &TurnRequest) -> Turn {
        let (at, words) = conversation::request(&request.messages).unwrap();
        let is_turn = |message: &&Message| matches!(message, Message::Assistant { .. });
        let taken = request.messages[at..].iter().filter(is_turn).count();
        let turns = self.turns.lock().unwrap();
        let turns = turns.get(words).or_else(|| turns.get(""));
        let turn = turns.and_then(|turns| turns.get(taken)).cloned();
        let turn = turn.or_else(|| self.otherwise.lock().unwrap().clone());
        turn.unwrap_or_else(|| panic!("turn {} of {words:?} isn't scripted", taken + 1))
    }
}

/// Parses `TOOL {…} & TOOL {…}` or `: words`. A tool alone is called without arguments. `TOOL {…} ×20` stands for twenty calls, with their number for `«n»`.
fn parse(turn: &str) -> Turn {
    if let Some(words) = turn.strip_prefix(": ") {
        return says(words);
    }
    let mut parts: Vec<String> = turn.split(" & ").map(str::to_owned).collect();
    if let Some((call, times)) = turn.rsplit_once(" ×") {
        let times = 1..=times.parse::<u32>().unwrap();
        parts = times.map(|n| call.replace("«n»", &n.to_string())).collect();
    }
    let ids: Vec<String> = (1..=parts.len()).map(|n| format!("c{n}")).collect();
    let made = parts.iter().zip(&ids).map(|(call, id)| {
        let (tool, arguments) = call.split_once(' ').unwrap_or((call, ""));
        (id.as_str(), tool, arguments)
    });
    calls(&made.collect::<Vec<_>>())
}
