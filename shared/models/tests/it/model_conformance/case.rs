//! A file of cases:
//!
//! ```text
//! ## what it is about
//! ask tools                       also: json; long BYTES; within MS; tools, then their results
//! < 200 text/event-stream crlf    an answer: status, type; crlf, bom, cut, silent, hanging, endless; name: value
//! | data: {}                      its body, line by line
//! = text "Noon."                  what a run sees, in order
//! ```

use alfred_testkit::stand_in::End;
use std::time::Duration;

#[derive(Clone)]
pub enum Ask {
    Tools,
    Json,
    /// A request of about so many bytes.
    Long(usize),
    Within(Duration),
}

pub struct Case {
    pub name: String,
    pub ask: Ask,
    pub turns: usize,
    pub answers: Vec<Answer>,
    pub seen: Vec<String>,
}

#[derive(Clone, Default)]
pub struct Answer {
    pub status: String,
    pub headers: Vec<String>,
    pub body: String,
    pub end: End,
    /// Sent byte by byte.
    pub bytewise: bool,
    crlf: bool,
    bom: bool,
}

impl Answer {
    fn new(line: &str) -> Self {
        let mut answer = Self::default();
        for (at, word) in line.split(' ').filter(|word| !word.is_empty()).enumerate() {
            match (at, word) {
                (0, status) => answer.status = status.into(),
                (_, "crlf") => answer.crlf = true,
                (_, "bom") => answer.bom = true,
                (_, "cut") => answer.end = End::Cut,
                (_, "silent") => answer.end = End::Silent,
                (_, "hanging") => answer.end = End::Hanging,
                (_, "endless") => answer.end = End::Endless,
                (_, header) if header.contains(':') => {
                    answer.headers.push(header.replace('_', " "))
                }
                (_, kind) => answer.headers.push(format!("content-type:{kind}")),
            }
        }
        answer
    }

    pub fn bytes(&self) -> Vec<u8> {
        let body = self.body.strip_suffix('\n').unwrap_or(&self.body);
        let body = if self.crlf {
            body.replace('\n', "\r\n")
        } else {
            body.into()
        };
        format!("{}{body}", if self.bom { "\u{feff}" } else { "" }).into_bytes()
    }
}

/// The cases of a file.
pub fn read(file: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for line in file.lines() {
        if let Some(name) = line.strip_prefix("## ") {
            cases.push(Case {
                name: name.into(),
                ask: Ask::Tools,
                turns: 1,
                answers: Vec::new(),
                seen: Vec::new(),
            });
            continue;
        }
        let Some(case) = cases.last_mut() else {
            continue;
        };
        if let Some(ask) = line.strip_prefix("ask ") {
            (case.ask, case.turns) = asked(ask);
        } else if let Some(answer) = line.strip_prefix("< ") {
            case.answers.push(Answer::new(answer));
        } else if let Some(body) = line.strip_prefix('|') {
            let into = &mut case.answers.last_mut().unwrap().body;
            into.push_str(body.strip_prefix(' ').unwrap_or(body));
            into.push('\n');
        } else if let Some(seen) = line.strip_prefix("= ") {
            case.seen.push(seen.into());
        } else {
            assert!(line.is_empty(), "{line:?} in {}", case.name);
        }
    }
    cases
}

fn asked(ask: &str) -> (Ask, usize) {
    let number = |text: &str| text.parse().unwrap();
    match ask.split_once(' ') {
        None if ask == "json" => (Ask::Json, 1),
        None => (Ask::Tools, 1),
        Some(("json", "twice")) => (Ask::Json, 2),
        Some(("long", bytes)) => (Ask::Long(number(bytes)), 1),
        Some(("within", ms)) => (Ask::Within(Duration::from_millis(number(ms) as u64)), 1),
        Some(_) => (Ask::Tools, 2),
    }
}
