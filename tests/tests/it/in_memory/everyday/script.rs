//! How a dialogue is written down.

use alfred_core::ports::{Message, Output, Turn, TurnRequest};
use alfred_testkit::{ScriptedModel, calls, says};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

/// `## MARK TITLE`, then what is said and called.
pub struct Dialogue {
    pub mark: char,
    pub title: String,
    /// Two people are called Ben.
    pub two_bens: bool,
    /// The hour at which it begins in Berlin.
    pub hour: i64,
    pub exchanges: Vec<Exchange>,
}

/// `> WORDS`, then a line for each turn of the model: `TOOL {…}`, several calls of one turn joined by ` & `,
/// `: WORDS` to end with, or `* {…}` for what a model makes of words about a proposal.
pub struct Exchange {
    pub said: String,
    pub turns: Vec<String>,
}

/// The dialogues of a file.
pub fn dialogues(text: &str) -> Vec<Dialogue> {
    let mut all: Vec<Dialogue> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        if let Some(head) = line.strip_prefix("## ") {
            let (mark, title) = head.split_once(' ').unwrap();
            all.push(Dialogue {
                mark: mark.chars().next().unwrap(),
                two_bens: title.contains("two Bens"),
                hour: hour(title),
                title: title.to_owned(),
                exchanges: Vec::new(),
            });
            continue;
        }
        let exchanges = &mut all.last_mut().unwrap().exchanges;
        match line.strip_prefix("> ") {
            Some(said) => exchanges.push(Exchange {
                said: said.to_owned(),
                turns: Vec::new(),
            }),
            None => exchanges.last_mut().unwrap().turns.push(line.to_owned()),
        }
    }
    all
}

/// `(at 14)` in a title; nine when left out.
fn hour(title: &str) -> i64 {
    let at = title
        .split_once("(at ")
        .and_then(|(_, rest)| rest.split_once(')'));
    at.map_or(9, |(hour, _)| hour.parse().unwrap())
}

/// A model that takes the turns of an exchange, and says little once they are over.
#[derive(Default)]
pub struct Model {
    turns: Mutex<VecDeque<String>>,
    failures: Mutex<Vec<String>>,
}

impl Model {
    pub fn will(&self, exchange: &Exchange) {
        self.turns
            .lock()
            .unwrap()
            .extend(exchange.turns.iter().cloned());
    }

    /// The turns that nobody asked for, which go.
    pub fn left(&self) -> Vec<String> {
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

    /// What it was told of calls that failed.
    pub fn failures(&self) -> Vec<String> {
        self.failures.lock().unwrap().drain(..).collect()
    }

    fn next(&self, request: &TurnRequest) -> Turn {
        let last = request.messages.iter().rev();
        let results = last.map_while(|message| match message {
            Message::Tool { text, .. } => Some(text.to_string()),
            _ => None,
        });
        let failed = results.filter(|text| text.contains("\"error\""));
        self.failures.lock().unwrap().extend(failed);
        let interprets = matches!(
            request.messages.last(),
            Some(Message::User { text }) if text.starts_with("About the open proposal")
        );
        let mut turns = self.turns.lock().unwrap();
        let is_meant = |line: &String| line.starts_with("* ") == interprets;
        let at = turns.iter().position(is_meant);
        let Some(line) = at.and_then(|at| turns.remove(at)) else {
            return says("There you are.");
        };
        if let Some(words) = line.strip_prefix(": ") {
            return says(words);
        }
        let parts = line.split(" & ").enumerate().map(|(n, call)| {
            let (tool, arguments) = call.split_once(' ').unwrap();
            // The one tool of a model that reads words about a proposal.
            let tool = if tool == "*" {
                &*request.tools[0].name
            } else {
                tool
            };
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
