//! Matches patterns against all words of a message.

use serde_json::Value;
use std::rc::Rc;
use std::sync::Arc;

use crate::pattern::{AFTER, BEFORE, Leads, Node, Phrasings};
use crate::slot::{self, Reader};
use crate::words::{Word, written};

/// Matching gives up after this many steps: then the message counts as not understood.
const STEPS: u32 = 1_000_000;

/// An argument's path and value.
pub(crate) type Argument = (Arc<str>, Arc<Value>);

/// One way to understand a message.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reading {
    pub(crate) leads: Leads,
    /// The words of the request, without courtesy.
    pub(crate) request: String,
    /// In the order of the words.
    pub(crate) arguments: Vec<Argument>,
}

/// How far a part of a pattern matched, and the arguments so far.
#[derive(Clone, Debug, PartialEq)]
struct Progress {
    at: usize,
    arguments: Vec<Argument>,
}

/// The patterns, and the words that are matched against them.
pub(crate) struct Matcher<'a> {
    reader: Reader<'a>,
    /// The matches of each named part at each word: many patterns share the parts.
    named: Vec<Option<Rc<Vec<Progress>>>>,
    steps: u32,
}

impl<'a> Matcher<'a> {
    pub(crate) fn new(reader: Reader<'a>) -> Self {
        let places = (reader.words.len() + 1) * reader.phrasings.names();
        Self {
            named: vec![None; places],
            steps: STEPS,
            reader,
        }
    }

    fn words(&self) -> &'a [Word] {
        self.reader.words
    }

    fn phrasings(&self) -> &'a Phrasings {
        self.reader.phrasings
    }

    /// The different ways in which one pattern matches all the words, courtesy aside.
    pub(crate) fn readings(&mut self) -> Vec<Reading> {
        let mut readings = Vec::new();
        let starts = self.named(BEFORE, 0);
        for pattern in &self.phrasings().patterns {
            for start in starts.iter() {
                for end in self.sequence(&pattern.nodes, vec![start.clone()]) {
                    let rest = self.named(AFTER, end.at);
                    let whole = rest.iter().any(|rest| rest.at == self.words().len());
                    if whole && !repeats(&end.arguments) {
                        let reading = Reading {
                            leads: pattern.leads,
                            request: written(&self.words()[start.at..end.at]),
                            arguments: end.arguments,
                        };
                        let same = |known: &Reading| {
                            (known.leads, &known.arguments) == (reading.leads, &reading.arguments)
                        };
                        if !readings.iter().any(same) {
                            readings.push(reading);
                        }
                    }
                }
            }
        }
        if self.steps == 0 {
            readings.clear();
        }
        readings
    }

    /// Matches parts one after the other.
    fn sequence(&mut self, nodes: &'a [Node], from: Vec<Progress>) -> Vec<Progress> {
        nodes.iter().fold(from, |from, node| {
            let next = from.iter().flat_map(|progress| self.step(node, progress));
            unique(next.collect())
        })
    }

    fn step(&mut self, node: &'a Node, from: &Progress) -> Vec<Progress> {
        self.steps = self.steps.saturating_sub(1);
        if self.steps == 0 {
            return Vec::new();
        }
        match node {
            Node::Word(word, plural) => self.word(word, *plural, from).into_iter().collect(),
            Node::Comma => {
                let before = from.at.checked_sub(1).and_then(|at| self.words()[at].end);
                before
                    .filter(|end| *end == ',')
                    .map(|_| from.clone())
                    .into_iter()
                    .collect()
            }
            Node::Set(name, value) => {
                vec![from.and(from.at, &[(Arc::clone(name), Arc::clone(value))])]
            }
            Node::Any(choices) => {
                let each = choices.iter();
                each.flat_map(|choice| self.sequence(choice, vec![from.clone()]))
                    .collect()
            }
            Node::Named(name) => {
                let ends = self.named(*name, from.at);
                ends.iter()
                    .map(|end| from.and(end.at, &end.arguments))
                    .collect()
            }
            Node::Slot(kind, name) => {
                let past = Some(self.past_articles(from.at));
                let past = past.filter(|at| *at > from.at && !slot::is_free(kind));
                let places = [from.at].into_iter().chain(past);
                let read = |at: usize| {
                    let values = self.reader.read(kind, at);
                    let argument = |value| (Arc::clone(name), Arc::clone(value));
                    let ends = values
                        .iter()
                        .map(|(len, value)| from.and(at + len, &[argument(value)]));
                    ends.collect::<Vec<_>>()
                };
                places.flat_map(read).collect()
            }
        }
    }

    /// A word of a pattern, perhaps after articles.
    fn word(&self, word: &str, plural: bool, from: &Progress) -> Option<Progress> {
        let fits = |low: &str| match low.strip_prefix(word) {
            Some("") => true,
            Some("s") => plural,
            _ => false,
        };
        let is = |at: &usize| {
            let here = self.words().get(*at);
            here.is_some_and(|here| !here.quoted && fits(&here.low))
        };
        let at = [from.at, self.past_articles(from.at)]
            .into_iter()
            .find(is)?;
        Some(from.and(at + 1, &[]))
    }

    fn past_articles(&self, at: usize) -> usize {
        let next = self.words().get(at);
        at + usize::from(next.is_some_and(|word| self.reader.is("articles", word)))
    }

    fn named(&mut self, name: usize, at: usize) -> Rc<Vec<Progress>> {
        let place = name * (self.words().len() + 1) + at;
        if let Some(known) = &self.named[place] {
            return Rc::clone(known);
        }
        let start = Progress {
            at,
            arguments: Vec::new(),
        };
        let choices = self.phrasings().named(name).iter();
        let ends = choices.flat_map(|choice| self.sequence(choice, vec![start.clone()]));
        let ends = Rc::new(unique(ends.collect()));
        self.named[place] = Some(Rc::clone(&ends));
        ends
    }
}

impl Progress {
    fn and(&self, at: usize, more: &[Argument]) -> Self {
        let arguments = [&self.arguments, more].concat();
        Self { at, arguments }
    }
}

fn unique(all: Vec<Progress>) -> Vec<Progress> {
    let mut unique: Vec<Progress> = Vec::with_capacity(all.len());
    for one in all {
        if !unique.contains(&one) {
            unique.push(one);
        }
    }
    unique
}

/// Whether one argument is given twice, as in "tomorrow … on friday".
fn repeats(arguments: &[Argument]) -> bool {
    let once = |path: &str| !path.is_empty() && !path.contains(['[', '+']);
    arguments.iter().enumerate().any(|(at, (path, _))| {
        once(path) && arguments[..at].iter().any(|(before, _)| before == path)
    })
}
