//! Patterns against the words of a message.

mod walk;

use serde_json::Value;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use crate::pattern::{AFTER, BEFORE, FILLER, Leads, OPEN, Phrasings, Says};
use crate::slot::Reader;
use crate::words::{Word, written};

/// Steps of ways that are followed for one message; more have only been made up to take time.
const STEPS: u32 = 5_000_000;
/// What a word of a free text costs, where one that is passed over costs 1.
const TEXT: usize = 4;
/// A word at the end is rather a message's than courtesy: "tell Ben thanks".
const POLITE: usize = 2 * TEXT;
/// What a change of a plan may cost more than another request.
const PLAN: usize = 2 * TEXT;

/// An argument by its path.
pub(crate) type Said = (Arc<str>, Arc<Value>);

/// One way to understand words.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reading {
    pub(crate) leads: Leads,
    pub(crate) said: String,
    /// Arguments by their paths, in the order of the words.
    pub(crate) filled: Vec<Said>,
    /// What the words cost that were taken as they are, or passed over.
    free: usize,
}

impl Reading {
    /// Whether it asks for nothing.
    pub(crate) fn is_remark(&self) -> bool {
        self.leads.says == Some(Says::Remark)
    }
}

/// What the words from some place on come to.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Requests by the word they end before, each with all ways to understand it, the best first.
    pub(crate) requests: Vec<(usize, Vec<Reading>)>,
    /// How many words some pattern got to.
    pub(crate) reached: usize,
}

/// How far a part of a pattern got, and with what.
#[derive(Clone, Debug, PartialEq)]
struct Way {
    at: usize,
    filled: Vec<Said>,
    free: usize,
}

/// The phrasings, and the words that are read with them.
pub(crate) struct Matcher<'a> {
    reader: Reader<'a>,
    /// What names stand for at each word: patterns share most of them.
    named: Vec<Option<Rc<Vec<Way>>>>,
    /// Where words without a meaning of their own end, by where they begin.
    fillers: Vec<usize>,
    found: HashMap<usize, Rc<Found>>,
    reached: usize,
    steps: u32,
}

impl<'a> Matcher<'a> {
    pub(crate) fn new(reader: Reader<'a>) -> Self {
        let words = reader.words;
        let mut matcher = Self {
            named: vec![None; (words.len() + 1) * reader.phrasings.places()],
            fillers: Vec::new(),
            found: HashMap::new(),
            reached: 0,
            steps: STEPS,
            reader,
        };
        let ends = |at: usize| {
            let ways = matcher.named(FILLER, at);
            ways.iter().map(|way| way.at).max().unwrap_or(at)
        };
        matcher.fillers = (0..words.len()).map(ends).collect();
        matcher
    }

    pub(crate) fn words(&self) -> &'a [Word] {
        self.reader.words
    }

    pub(crate) fn phrasings(&self) -> &'a Phrasings {
        self.reader.phrasings
    }

    /// Whether a request may end before this word.
    pub(crate) fn is_joint(&self, at: usize) -> bool {
        let (words, next) = (self.words(), self.words().get(at));
        at > 0
            && next.is_none_or(|next| words[at - 1].end.is_some() || self.reader.is("joints", next))
    }

    /// Whether what begins here takes back something of the request before: "…, but keep that of Ben".
    pub(crate) fn is_contrast(&self, at: usize) -> bool {
        let word = self.words().get(at);
        word.is_some_and(|word| self.reader.is("contrasts", word))
    }

    /// Reads the words from one on as one request.
    pub(crate) fn find(&mut self, from: usize) -> Rc<Found> {
        if let Some(found) = self.found.get(&from) {
            return Rc::clone(found);
        }
        self.reached = from;
        let mut found = Found::default();
        let phrasings = self.phrasings();
        let starts = self.named(BEFORE, from);
        for pattern in &phrasings.patterns {
            for way in self.walk(&pattern.nodes, starts.to_vec()) {
                for after in self.named(AFTER, way.at).iter() {
                    self.ends(&pattern.leads, (from, &way, after), &mut found);
                }
            }
        }
        if self.steps == 0 {
            // The best way may be among those that weren't tried.
            found.requests.clear();
        }
        // Words that fit a plan are about the one that is open, if one is: a look tells.
        let ahead = |reading: &Reading| usize::from(reading.leads.via == Some(OPEN)) * PLAN;
        for (_, readings) in &mut found.requests {
            readings.sort_by_key(|reading| (reading.free + PLAN).saturating_sub(ahead(reading)));
            // What asks for something is no remark.
            if readings.len() > 1 {
                readings.retain(|reading| !reading.is_remark());
            }
        }
        found.requests.sort_by_key(|(end, _)| *end);
        found.reached = self.reached;
        let found = Rc::new(found);
        self.found.insert(from, Rc::clone(&found));
        found
    }

    fn ends(&self, leads: &Leads, (from, way, after): (usize, &Way, &Way), found: &mut Found) {
        let end = after.at;
        if !self.is_joint(end) || contradicts(&way.filled) {
            return;
        }
        let reading = Reading {
            leads: *leads,
            said: written(&self.words()[from..end]),
            filled: way.filled.clone(),
            // What no tool is for is known by few of its words.
            free: match leads.tool {
                "talk" => (way.free + after.free) / 2,
                _ => way.free + after.free,
            },
        };
        match found.requests.iter_mut().find(|(at, _)| *at == end) {
            Some((_, readings)) if readings.contains(&reading) => {}
            Some((_, readings)) => readings.push(reading),
            None => found.requests.push((end, vec![reading])),
        }
    }
}

/// Whether one argument was said twice: "tomorrow … on friday".
fn contradicts(filled: &[Said]) -> bool {
    let mut said: HashMap<&str, &Value> = HashMap::new();
    let once = |path: &str| !path.is_empty() && !path.contains(['[', '+']);
    let mut filled = filled.iter().filter(|(path, _)| once(path));
    filled.any(|(path, value)| said.insert(path, value).is_some_and(|was| *was != **value))
}
