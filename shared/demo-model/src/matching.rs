//! Patterns against the words of a message.

use std::cell::RefCell;
use std::collections::HashMap;

use jiff::civil::Date;
use serde_json::Value;

use crate::follow::OPEN;
use crate::pattern::{Leads, Node, Phrasings};
use crate::slot::{Read, Reader, longest};
use crate::words::{Word, written};

/// Ways that are tried for one message; more have only been made up to take time.
const STEPS: u32 = 400_000;

/// A word at the end is rather a message's than courtesy: "tell Ben thanks".
const POLITE: usize = 2;

/// Words that a change of a plan may have more than another request.
const PLAN: usize = 2;

/// One way to understand words.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reading {
    pub(crate) leads: Leads,
    pub(crate) said: String,
    /// Arguments by their paths, in the order of the words.
    pub(crate) filled: Vec<(String, Value)>,
    /// Words that were taken as they are.
    free: usize,
}

/// What words come to.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// All ways to understand all of them, the best first.
    pub(crate) readings: Vec<Reading>,
    /// How many words from the first one on are a request of their own.
    pub(crate) whole: usize,
    /// How many words some pattern got to.
    pub(crate) reached: usize,
}

/// The phrasings, and what a message is read with.
pub(crate) struct Matcher<'a> {
    reader: Reader<'a>,
    /// Courtesy around a request.
    before: [Node; 1],
    after: [Node; 1],
}

/// What is still to be matched.
enum Rest<'r, 'a> {
    Nothing,
    Then(&'a [Node], &'r Rest<'r, 'a>),
}

struct Search<'a> {
    reader: &'a Reader<'a>,
    words: &'a [Word],
    leads: &'a Leads,
    /// What slots hold at each word.
    read: HashMap<(&'static str, usize), Read>,
    filled: Vec<(String, Value)>,
    free: usize,
    /// Whether a word of the pattern itself was there.
    anchored: bool,
    steps: u32,
    found: Found,
}

impl<'a> Matcher<'a> {
    pub(crate) fn new(phrasings: &'a Phrasings, today: Date) -> Self {
        Self {
            reader: Reader {
                today,
                phrasings,
                places: RefCell::default(),
            },
            before: [Node::Named("words.before".into())],
            after: [Node::Named("words.after".into())],
        }
    }

    /// Reads all of these words as one request.
    pub(crate) fn find(&self, words: &[Word]) -> Found {
        let mut search = Search {
            reader: &self.reader,
            words,
            leads: &Leads::default(),
            read: HashMap::new(),
            filled: Vec::new(),
            free: 0,
            anchored: false,
            steps: STEPS,
            found: Found::default(),
        };
        for pattern in &self.reader.phrasings.patterns {
            search.leads = &pattern.leads;
            let after = Rest::Then(&self.after, &Rest::Nothing);
            search.go(&self.before, &Rest::Then(&pattern.nodes, &after), 0);
        }
        let mut found = search.found;
        if search.steps == 0 {
            // The best way may be among those that weren't tried.
            found.readings.clear();
        }
        // Words that fit a plan are about the one that is open, if one is: a look tells.
        let ahead = |reading: &Reading| usize::from(reading.leads.via == Some(OPEN)) * PLAN;
        found
            .readings
            .sort_by_key(|reading| (reading.free + PLAN).saturating_sub(ahead(reading)));
        found
    }
}

impl<'a> Search<'a> {
    fn go(&mut self, nodes: &'a [Node], rest: &Rest<'_, 'a>, at: usize) {
        if self.steps == 0 {
            return;
        }
        self.steps -= 1;
        let Some((node, tail)) = nodes.split_first() else {
            return match rest {
                Rest::Nothing => self.ends(at),
                Rest::Then(nodes, rest) => self.go(nodes, rest, at),
            };
        };
        match node {
            Node::Word(word) => {
                let here = self.words.get(at).filter(|here| !here.quoted);
                if here.is_some_and(|here| here.low == *word) {
                    self.found.reached = self.found.reached.max(at + 1);
                    let before = std::mem::replace(&mut self.anchored, true);
                    self.go(tail, rest, at + 1);
                    self.anchored = before;
                }
            }
            Node::Set(name, value) => {
                self.filled.push((name.clone(), value.clone()));
                self.go(tail, rest, at);
                self.filled.pop();
            }
            Node::Any(ways) => {
                for way in ways {
                    self.go(way, &Rest::Then(tail, rest), at);
                }
            }
            Node::Named(name) => {
                if let Some(nodes) = self.reader.phrasings.named(name) {
                    let cost = if name == "words.thanks" { POLITE } else { 0 };
                    self.free += cost;
                    self.go(nodes, &Rest::Then(tail, rest), at);
                    self.free -= cost;
                }
            }
            Node::Slot(kind, name) => {
                let Some(here) = self.words.get(at..).filter(|here| !here.is_empty()) else {
                    return;
                };
                let read = self.read.entry((kind, at));
                for (len, value) in read.or_insert_with(|| self.reader.read(kind, here)).clone() {
                    let free = if longest(kind) > 0 { len } else { 0 };
                    self.free += free;
                    self.filled.push((name.clone(), value));
                    self.go(tail, rest, at + len);
                    self.filled.pop();
                    self.free -= free;
                }
            }
        }
    }

    fn ends(&mut self, at: usize) {
        if !self.anchored {
            return;
        }
        self.found.whole = self.found.whole.max(at);
        if at < self.words.len() || self.contradicts() {
            return;
        }
        let reading = Reading {
            leads: *self.leads,
            said: written(self.words),
            filled: self.filled.clone(),
            free: self.free,
        };
        if !self.found.readings.contains(&reading) {
            self.found.readings.push(reading);
        }
    }

    /// Whether one argument was said twice: "tomorrow … on friday".
    fn contradicts(&self) -> bool {
        let mut said: HashMap<&str, &Value> = HashMap::new();
        let once = |path: &str| !path.is_empty() && !path.contains('[');
        let mut filled = self.filled.iter().filter(|(path, _)| once(path));
        filled.any(|(path, value)| said.insert(path, value).is_some_and(|was| was != value))
    }
}
