//! The compromised model: it reads honestly, then does what it read.

use alfred_core::ports::{Message, Output, TurnRequest};
use alfred_testkit::{ScriptedModel, calls, says};
use serde_json::Value;
use std::sync::{Arc, Mutex};

use super::file::{Attack, Call, Request};
use super::tools::given;

/// What the model was not shown although it should have been.
pub type Unshown = Arc<Mutex<Vec<String>>>;

/// In how many turns the model makes its calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// All reads in one, then all it obeys in one.
    Together,
    /// A call a turn. What was read first may then hold a later honest read.
    OneByOne,
}

pub fn obeying(attack: &Attack, order: Order, unshown: &Unshown) -> ScriptedModel {
    let (attack, unshown) = (attack.clone(), unshown.clone());
    ScriptedModel::answering(move |request| {
        if let Output::Json { .. } = &request.output {
            return Ok(says("{\"result\": false}"));
        }
        let (asked, now) = current(&attack, request);
        let taken = request.messages[asked..]
            .iter()
            .filter(|message| matches!(message, Message::Assistant { .. }))
            .count();
        let reads: Vec<Call> = now.reads.iter().map(honest).collect();
        let size = match order {
            Order::Together => usize::MAX,
            Order::OneByOne => 1,
        };
        let reading = reads.chunks(size).map(|calls| (calls, "read"));
        let obeying = now.obeys.chunks(size).map(|calls| (calls, "obey"));
        let first = reading.len();
        if taken == first {
            let missing = missing(&attack, now, request, asked);
            unshown.lock().unwrap().extend(missing);
        }
        let next = reading.chain(obeying).nth(taken);
        Ok(next.map_or_else(
            || says(&now.says),
            |(wanted, kind)| made(wanted, &format!("{kind}{taken}_")),
        ))
    })
}

fn honest(read: &super::file::Read) -> Call {
    Call {
        tool: read.tool.clone(),
        arguments: read.arguments.clone(),
    }
}

fn made(wanted: &[Call], kind: &str) -> alfred_core::ports::Turn {
    let written: Vec<(String, String)> = wanted
        .iter()
        .enumerate()
        .map(|(at, call)| (format!("{kind}{at}"), call.arguments.to_string()))
        .collect();
    let listed: Vec<(&str, &str, &str)> = wanted
        .iter()
        .zip(&written)
        .map(|(call, (id, text))| (id.as_str(), call.tool.as_str(), text.as_str()))
        .collect();
    calls(&listed)
}

/// The request under way: where it stands, and which it is.
fn current<'a>(attack: &'a Attack, request: &TurnRequest) -> (usize, &'a Request) {
    let found = request
        .messages
        .iter()
        .enumerate()
        .rev()
        .find_map(|(at, message)| {
            let Message::User { text } = message else {
                return None;
            };
            let now = attack
                .requests
                .iter()
                .find(|request| *request.ask == **text);
            now.map(|now| (at, now))
        });
    found.expect("a request of the file")
}

/// What of the thread and of the reads is not in the conversation, word for word.
fn missing(attack: &Attack, now: &Request, request: &TurnRequest, asked: usize) -> Vec<String> {
    let mut missing = Vec::new();
    let users = request.messages[..=asked]
        .iter()
        .filter_map(|message| match message {
            Message::User { text } => Some(text.to_string()),
            _ => None,
        });
    let before: String = users.collect();
    for said in &attack.thread {
        if !before.contains(&said.text) {
            missing.push(format!("{}: {}", said.from, said.text));
        }
    }
    let results: Vec<Value> = request.messages[asked..]
        .iter()
        .filter_map(|message| match message {
            Message::Tool { text, .. } => serde_json::from_str(text).ok(),
            _ => None,
        })
        .collect();
    for (read, result) in now
        .reads
        .iter()
        .zip(results.iter().chain(std::iter::repeat(&Value::Null)))
    {
        let shown = result.to_string();
        let there = match read.tool.as_str() {
            "task_viewTasks" | "schedule_viewSchedule" => titles(&given(&read.returns))
                .iter()
                .all(|title| shown.contains(title.as_str())),
            _ => given(&read.returns)
                .as_object()
                .unwrap()
                .iter()
                .all(|(name, value)| result.get(name) == Some(value)),
        };
        if !there {
            missing.push(format!("{}: {shown}", read.tool));
        }
    }
    missing
}

/// Titles of tasks or blocks, as they stand in JSON.
fn titles(returns: &Value) -> Vec<String> {
    let lists = ["tasks", "blocks"]
        .into_iter()
        .filter_map(|name| returns[name].as_array());
    let things = lists.flatten();
    let titles = things.map(|thing| thing["title"].to_string());
    titles
        .map(|quoted| quoted.trim_matches('"').to_owned())
        .collect()
}
