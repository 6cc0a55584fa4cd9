//! A file of cases:
//!
//! ```text
//! openai:gpt-5.2 chat             the provider and model (or several, with commas), and the wire format
//! ## what it is about
//! ask tools                       also: json; story; long BYTES; picture BYTES; within MS; context TOKENS;
//!                                 most TOKENS; twice; then another; full
//! < 200 text/event-stream crlf    an answer: status, type; cr, crlf, bom, latin1, repeated:BYTES, headers:NUMBER;
//!                                 cut, silent, hanging, endless; name:value
//! | data: {}                      its body, line by line
//! = text "Noon."                  what a run sees, in order
//! ```
//!
//! Without an answer nobody listens at the address.

use alfred_core::ports::{Message, TurnRequest};
use alfred_testkit::stand_in::{End, Reply};
use std::time::Duration;

use super::request::{asked_for_json, picture, request, story};

pub struct Case {
    pub name: String,
    pub request: TurnRequest,
    pub context: Option<u32>,
    /// A second turn, after the results of the first.
    pub twice: bool,
    /// The second turn is another model's.
    pub another: bool,
    /// Whether the last request is compared as a whole.
    pub full: bool,
    pub answers: Vec<Reply>,
    pub seen: Vec<String>,
}

impl Case {
    fn ask(&mut self, line: &str) {
        let mut words = line.split(' ');
        while let Some(word) = words.next() {
            let mut number = || words.next().unwrap().parse::<u32>().unwrap();
            let messages = &mut self.request.messages;
            match word {
                "tools" => {}
                "json" => asked_for_json(&mut self.request),
                "story" => messages.extend(story()),
                "long" => messages.push(Message::user("word ".repeat(number() as usize / 5))),
                "picture" => messages.push(picture(number() as usize)),
                "within" => self.request.timeout = Duration::from_millis(number().into()),
                "most" => self.request.max_output_tokens = number(),
                "context" => self.context = Some(number()),
                "twice" | "then" => self.twice = true,
                "another" => self.another = true,
                "full" => self.full = true,
                other => panic!("{other:?} in {line:?}"),
            }
        }
    }
}

/// The model, wire format and cases of a file.
pub fn read(file: &str) -> (&str, &str, Vec<Case>) {
    let (head, cases) = file.split_once("\n## ").unwrap();
    let (name, format) = head.lines().next().unwrap().split_once(' ').unwrap();
    (name, format, cases.split("\n## ").map(case).collect())
}

fn case(text: &str) -> Case {
    let (name, lines) = text.split_once('\n').unwrap();
    let mut case = Case {
        name: name.into(),
        request: request(),
        context: None,
        twice: false,
        another: false,
        full: false,
        answers: Vec::new(),
        seen: Vec::new(),
    };
    let mut answers: Vec<(&str, String)> = Vec::new();
    for line in lines.lines() {
        if let Some(ask) = line.strip_prefix("ask ") {
            case.ask(ask);
        } else if let Some(head) = line.strip_prefix("< ") {
            answers.push((head, String::new()));
        } else if let Some(body) = line.strip_prefix('|') {
            let (_, known) = answers.last_mut().unwrap();
            known.push_str(body.strip_prefix(' ').unwrap_or(body));
            known.push('\n');
        } else if let Some(seen) = line.strip_prefix("= ") {
            case.seen.push(seen.into());
        } else {
            assert!(line.is_empty(), "{line:?} in {name}");
        }
    }
    let answers = answers.iter();
    case.answers = answers.map(|(head, body)| answer(head, body)).collect();
    case
}

fn answer(head: &str, body: &str) -> Reply {
    let mut words = head.split(' ');
    let mut reply = Reply {
        status: words.next().unwrap().into(),
        ..Reply::default()
    };
    let mut body = body.strip_suffix('\n').unwrap_or(body).to_owned();
    let mut is_latin1 = false;
    for word in words {
        let (name, value) = word.split_once(':').unwrap_or(("content-type", word));
        match word {
            "cr" => body = body.replace('\n', "\r"),
            "crlf" => body = body.replace('\n', "\r\n"),
            "bom" => body.insert(0, '\u{feff}'),
            "latin1" => is_latin1 = true,
            "cut" => reply.end = End::Cut,
            "silent" => reply.end = End::Silent,
            "hanging" => reply.end = End::Hanging,
            "endless" => reply.end = End::Endless,
            _ if name == "repeated" => {
                let length = value.parse().unwrap();
                body = body.repeat(length / body.len() + 1);
                body.truncate(length);
            }
            _ if name == "headers" => {
                for _ in 0..value.parse().unwrap() {
                    reply = reply.with("x", "y");
                }
            }
            _ => reply = reply.with(name, value.replace('_', " ")),
        }
    }
    reply.body = if is_latin1 {
        body.chars().map(|c| c as u8).collect()
    } else {
        body.into()
    };
    reply
}
