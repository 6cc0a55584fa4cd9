//! A file of cases:
//!
//! ```text
//! openai:gpt-5.2 chat             the provider and model, and the wire format
//! ## what it is about
//! ask tools                       also: json; story; long BYTES; within MS; twice; then another; full
//! < 200 text/event-stream crlf    an answer: status, type; cr, crlf, bom, cut, silent, hanging, endless; name: value
//! | data: {}                      its body, line by line
//! = text "Noon."                  what a run sees, in order
//! ```

use alfred_testkit::stand_in::{End, Reply};
use std::time::Duration;

#[derive(Default)]
pub struct Case {
    pub name: String,
    pub ask: Ask,
    pub answers: Vec<Reply>,
    pub seen: Vec<String>,
}

#[derive(Default)]
pub struct Ask {
    pub json: bool,
    /// A conversation with all kinds of messages.
    pub story: bool,
    /// Bytes of one more message.
    pub long: usize,
    pub within: Option<Duration>,
    /// A second turn, after the results of the first.
    pub twice: bool,
    /// The second turn is another model's.
    pub another: bool,
    /// Whether the last request is compared as a whole.
    pub full: bool,
}

impl Ask {
    fn read(line: &str) -> Self {
        let mut ask = Self::default();
        let mut words = line.split(' ');
        while let Some(word) = words.next() {
            let mut number = || words.next().unwrap().parse::<u64>().unwrap();
            match word {
                "tools" => {}
                "json" => ask.json = true,
                "story" => ask.story = true,
                "long" => ask.long = number() as usize,
                "within" => ask.within = Some(Duration::from_millis(number())),
                "twice" | "then" => ask.twice = true,
                "another" => ask.another = true,
                "full" => ask.full = true,
                other => panic!("{other:?} in {line:?}"),
            }
        }
        ask
    }
}

/// The model, wire format and cases of a file.
pub fn read(file: &str) -> (&str, &str, Vec<Case>) {
    let (name, format) = file.lines().next().unwrap().split_once(' ').unwrap();
    (
        name,
        format,
        file.split("\n## ").skip(1).map(case).collect(),
    )
}

fn case(text: &str) -> Case {
    let (name, lines) = text.split_once('\n').unwrap();
    let mut case = Case {
        name: name.into(),
        ..Case::default()
    };
    let mut answers: Vec<(&str, String)> = Vec::new();
    for line in lines.lines() {
        if let Some(ask) = line.strip_prefix("ask ") {
            case.ask = Ask::read(ask);
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
    for word in words {
        match word {
            "cr" => body = body.replace('\n', "\r"),
            "crlf" => body = body.replace('\n', "\r\n"),
            "bom" => body.insert(0, '\u{feff}'),
            "cut" => reply.end = End::Cut,
            "silent" => reply.end = End::Silent,
            "hanging" => reply.end = End::Hanging,
            "endless" => reply.end = End::Endless,
            header => {
                let (name, value) = header.split_once(':').unwrap_or(("content-type", header));
                reply = reply.with(name, value.replace('_', " "));
            }
        }
    }
    reply.body = body.into();
    reply
}
