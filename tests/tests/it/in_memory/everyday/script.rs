//! The format of the scripts, and the model that follows them.
//!
//! `## TITLE` begins a dialogue and `> WORDS` a request. The lines after a request are, in any order:
//!
//! - `TOOL {…}`: the calls of one turn of the model, joined by ` & `;
//! - `: WORDS`: the turn that ends the request with these words;
//! - `= TEXT`: a message that was posted or changed contains this text;
//! - `< TEXT`: a tool result that the model read contains this text;
//! - `! TEXT`: neither of them contains this text.

use alfred_core::ports::{Message, Output, Turn, TurnRequest};
use alfred_testkit::{ScriptedModel, calls, says};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

pub struct Dialogue {
    pub title: String,
    pub two_bens: bool,
    /// The hour in Berlin at which the dialogue starts.
    pub hour: i64,
    pub exchanges: Vec<Exchange>,
}

#[derive(Default)]
pub struct Exchange {
    pub request: String,
    pub turns: Vec<String>,
    pub on_page: Vec<String>,
    pub in_results: Vec<String>,
    pub nowhere: Vec<String>,
}

pub fn dialogues(text: &str) -> Vec<Dialogue> {
    let mut all: Vec<Dialogue> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        if let Some(title) = line.strip_prefix("## ") {
            all.push(Dialogue {
                two_bens: title.contains("two Bens"),
                hour: hour(title),
                title: title.to_owned(),
                exchanges: Vec::new(),
            });
            continue;
        }
        let exchanges = &mut all.last_mut().unwrap().exchanges;
        let (mark, rest) = line.split_once(' ').unwrap();
        let rest = rest.to_owned();
        if mark == ">" {
            exchanges.push(Exchange {
                request: rest,
                ..Exchange::default()
            });
            continue;
        }
        let exchange = exchanges.last_mut().unwrap();
        match mark {
            "=" => exchange.on_page.push(rest),
            "<" => exchange.in_results.push(rest),
            "!" => exchange.nowhere.push(rest),
            _ => exchange.turns.push(line.to_owned()),
        }
    }
    all
}

/// Parses `(at 14)` in a title; the default is nine.
fn hour(title: &str) -> i64 {
    let at = title
        .split_once("(at ")
        .and_then(|(_, rest)| rest.split_once(')'));
    at.map_or(9, |(hour, _)| hour.parse().unwrap())
}

/// Takes the turns of an exchange, then ends with a stock phrase.
#[derive(Default)]
pub struct Model {
    turns: Mutex<VecDeque<String>>,
    results: Mutex<Vec<String>>,
}

impl Model {
    pub fn will(&self, exchange: &Exchange) {
        self.turns
            .lock()
            .unwrap()
            .extend(exchange.turns.iter().cloned());
    }

    pub fn unused_turns(&self) -> Vec<String> {
        self.turns.lock().unwrap().drain(..).collect()
    }

    pub fn model(self: Arc<Self>) -> ScriptedModel {
        ScriptedModel::answering(move |request| {
            Ok(match &request.output {
                Output::Json { .. } => says("{\"result\": false}"),
                Output::Text => self.next(request),
            })
        })
    }

    pub fn results(&self) -> Vec<String> {
        self.results.lock().unwrap().drain(..).collect()
    }

    fn next(&self, request: &TurnRequest) -> Turn {
        let last = request.messages.iter().rev();
        let results = last.map_while(|message| match message {
            Message::Tool { text, .. } => Some(text.to_string()),
            _ => None,
        });
        self.results.lock().unwrap().extend(results);
        let Some(line) = self.turns.lock().unwrap().pop_front() else {
            return says("There you are.");
        };
        if let Some(words) = line.strip_prefix(": ") {
            return says(words);
        }
        let parts = line.split(" & ").enumerate().map(|(n, call)| {
            let (tool, arguments) = call.split_once(' ').unwrap();
            (format!("c{n}"), tool.to_owned(), arguments.to_owned())
        });
        let parts: Vec<_> = parts.collect();
        let made: Vec<_> = parts
            .iter()
            .map(|(id, tool, arguments)| (&**id, &**tool, &**arguments))
            .collect();
        calls(&made)
    }
}
