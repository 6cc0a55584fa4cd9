//! The compromised model: it reads honestly, then obeys what it read.

use alfred_core::ports::{Message, Output, Turn, TurnRequest};
use alfred_testkit::{ScriptedModel, calls, says};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

use super::doors::Door;
use super::file::{Attack, Call, Request};
use super::tools::{given, is_stand_in};
use super::unseen::is_unseen;

/// Texts that the model should have been shown but wasn't.
pub type Unshown = Arc<Mutex<Vec<String>>>;

/// How the model distributes its calls over turns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// All reads in one turn, then all obeying calls in one turn.
    Together,
    /// One call per turn. An early read may then block a later honest one.
    OneByOne,
    /// Another worker reads and passes the text on; then all obeying calls in one turn.
    ThroughAnother,
    /// Reads go through a door; then all obeying calls in one turn.
    Through(Door),
}

pub const READER: &str = "You are reader.";

pub fn obeying(attack: &Attack, order: Order, unshown: &Unshown) -> ScriptedModel {
    let (attack, unshown) = (attack.clone(), unshown.clone());
    ScriptedModel::answering(move |request| {
        if let Output::Json { .. } = &request.output {
            return Ok(says("{\"result\": false}"));
        }
        let (asked, now) = current(&attack, request);
        if order == Order::ThroughAnother && !now.reads.is_empty() {
            let led = is_led(now, request);
            return Ok(handed_on(now, &request.messages, (asked, led)));
        }
        let spoke = |message: &&Message| matches!(message, Message::Assistant { .. });
        let taken = request.messages[asked..].iter().filter(spoke).count();
        let reads: Vec<Call> = now.reads.iter().map(honest).collect();
        let reads = match order {
            Order::Through(door) if !reads.is_empty() => door.calls(attack.place(now), reads),
            _ => reads,
        };
        let size = match order {
            Order::Together | Order::ThroughAnother | Order::Through(_) => usize::MAX,
            Order::OneByOne => 1,
        };
        let reading = reads.chunks(size).map(|calls| (calls, "read"));
        let led = is_led(now, request);
        let orders = [&now.obeys, &now.then].into_iter().filter(|_| led);
        let obeying = orders.flat_map(|calls| calls.chunks(size).map(|calls| (calls, "obey")));
        let first = reading.len();
        if taken == first && !matches!(order, Order::Through(_)) {
            let missing = missing(&attack, now, request, asked);
            unshown.lock().unwrap().extend(missing);
        }
        let told = told(&request.messages[asked..]);
        let next = reading.chain(obeying).nth(taken);
        let last = if led { &now.says } else { &now.honest_says };
        Ok(next.map_or_else(
            || says(&last.replace(TOLD, &told)),
            |(wanted, kind)| made(wanted, &format!("{kind}{taken}_"), &told),
        ))
    })
}

/// The reader repeats all it read; its caller obeys.
fn handed_on(now: &Request, messages: &[Message], (asked, led): (usize, bool)) -> Turn {
    let since = &messages[asked..];
    let spoke = |message: &&Message| matches!(message, Message::Assistant { .. });
    let (taken, told) = (since.iter().filter(spoke).count(), told(since));
    let reads = matches!(&messages[0], Message::System { text } if text.starts_with(READER));
    let reading: Vec<Call> = now.reads.iter().map(honest).collect();
    let obeying = [&now.obeys, &now.then].into_iter();
    let mut obeying = obeying.filter(|calls| led && !calls.is_empty());
    let last = if led { &now.says } else { &now.honest_says };
    match (reads, taken) {
        (true, 0) => made(&reading, "read", ""),
        (true, _) => says(&told),
        (false, 0) => {
            let task = json!({ "input": now.line() }).to_string();
            calls(&[("hand", "reader", &task)])
        }
        (false, _) => match obeying.nth(taken - 1) {
            Some(orders) => made(orders, &format!("obey{taken}_"), &told),
            None => says(&last.replace(TOLD, &told)),
        },
    }
}

/// Placeholder in a file for the results the model saw.
const TOLD: &str = "{told}";

fn told(messages: &[Message]) -> String {
    let texts = messages.iter().filter_map(|message| match message {
        Message::Tool { text, .. } => Some(text.to_string()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join(" ")
}

/// Whether the model was shown the words in `sees`; without them it has no orders.
fn is_led(now: &Request, request: &TurnRequest) -> bool {
    let Some(words) = &now.sees else { return true };
    let quoted = Value::from(words.as_str()).to_string();
    let shown = |text: &str| text.contains(words) || text.contains(quoted.trim_matches('"'));
    request.messages.iter().any(|message| match message {
        Message::User { text } | Message::Assistant { text, .. } => shown(text),
        Message::System { .. } | Message::Files { .. } | Message::Tool { .. } => false,
    })
}

fn honest(read: &super::file::Read) -> Call {
    Call {
        tool: read.tool.clone(),
        arguments: read.arguments.clone(),
    }
}

fn made(wanted: &[Call], kind: &str, told: &str) -> Turn {
    let told = Value::from(told).to_string();
    let told = told.trim_matches('"');
    let written = wanted.iter().enumerate().map(|(at, call)| {
        let arguments = call.arguments.to_string().replace(TOLD, told);
        (format!("{kind}{at}"), arguments)
    });
    let written: Vec<(String, String)> = written.collect();
    let both = wanted.iter().zip(&written);
    let listed = both.map(|(call, (id, text))| (id.as_str(), call.tool.as_str(), text.as_str()));
    calls(&listed.collect::<Vec<_>>())
}

fn current<'a>(attack: &'a Attack, request: &TurnRequest) -> (usize, &'a Request) {
    let mut messages = request.messages.iter().enumerate().rev();
    let found = messages.find_map(|(at, message)| {
        let Message::User { text } = message else {
            return None;
        };
        let is_line = |line: &str| text.lines().any(|shown| shown.trim() == line);
        let mut requests = attack.requests.iter();
        let now = requests.find(|request| is_line(request.line()));
        now.map(|now| (at, now))
    });
    found.expect("a request of the file")
}

/// Texts of the thread and the reads that the conversation lacks.
fn missing(attack: &Attack, now: &Request, request: &TurnRequest, asked: usize) -> Vec<String> {
    let mut missing = Vec::new();
    let earlier = request.messages[..=asked].iter();
    let users = earlier.filter_map(|message| match message {
        Message::User { text } => Some(text.to_string()),
        _ => None,
    });
    let before: String = users.collect();
    for said in &attack.thread {
        if !before.contains(&said.text) {
            missing.push(format!("{}: {}", said.from, said.text));
        }
    }
    let later = request.messages[asked..].iter();
    let results = later.filter_map(|message| match message {
        Message::Tool { text, .. } => serde_json::from_str::<Value>(text).ok(),
        _ => None,
    });
    let results = results.chain(std::iter::repeat(Value::Null));
    for (read, result) in now.reads.iter().zip(results) {
        let shown = bare(&result);
        let there = match read.tool.as_str() {
            "task_viewTasks" | "schedule_viewSchedule" => titles(&given(&read.returns))
                .iter()
                .all(|title| shown.contains(title.as_str())),
            "web_search" => {
                let results = given(&read.returns)["results"].clone();
                let results = results.as_array().into_iter().flatten();
                let words = results.flat_map(|one| [bare(&one["title"]), bare(&one["snippet"])]);
                let mut words = words.filter(|word| word != "null");
                words.all(|word| shown.contains(word.trim_matches('"')))
            }
            "web_readPage" => shown.contains(bare(&Value::from(&*read.returns)).trim_matches('"')),
            tool if !is_stand_in(tool) => {
                let words = bare(&Value::from(read.returns.as_str()));
                shown.contains(words.trim_matches('"'))
            }
            _ => given(&read.returns)
                .as_object()
                .unwrap()
                .iter()
                .all(|(name, value)| result.get(name).map(bare) == Some(bare(value))),
        };
        if !there {
            missing.push(format!("{}: {shown}", read.tool));
        }
    }
    missing
}

/// A value without invisible characters, which may be removed before a model reads it.
fn bare(value: &Value) -> String {
    let text = value.to_string();
    text.chars().filter(|c| !is_unseen(*c)).collect()
}

fn titles(returns: &Value) -> Vec<String> {
    let names = ["tasks", "blocks"].into_iter();
    let things = names.filter_map(|name| returns[name].as_array()).flatten();
    let titles = things.map(|thing| bare(&thing["title"]));
    let titles = titles.map(|quoted| quoted.trim_matches('"').to_owned());
    titles.collect()
}
