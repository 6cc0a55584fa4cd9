//! Patterns against the words of a message.

use serde_json::Value;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use crate::pattern::{AFTER, BEFORE, FILLER, Leads, Node, OPEN, Part, Phrasings, THANKS};
use crate::slot::{Reader, is_parsed, longest};
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

    /// Whether these words are a remark beside a request: a statement that asks for nothing,
    /// and sets no time, number or condition.
    pub(crate) fn is_aside(&self, from: usize, to: usize) -> bool {
        let words = &self.words()[from..to];
        let heavy = |at: usize| {
            let word = &self.words()[at];
            let lists = ["beginnings", "conditions"];
            let digit = word.text.contains(|c: char| c.is_ascii_digit());
            word.quoted
                || digit
                || lists.iter().any(|list| self.reader.is(list, word))
                || ["day", "time", "duration"]
                    .iter()
                    .any(|kind| !self.reader.read(kind, at).is_empty())
        };
        let has = |list: &str| words.iter().any(|word| self.reader.is(list, word));
        self.reader.is("statements", &words[0]) && has("verbs") && !(from..to).any(heavy)
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
            for way in self.walk(&pattern.nodes, &starts) {
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

    fn walk(&mut self, nodes: &'a [Node], ways: &[Way]) -> Vec<Way> {
        let Some((first, rest)) = nodes.split_first() else {
            return ways.to_vec();
        };
        let mut ways = self.step(first, ways);
        for node in rest {
            if ways.is_empty() || self.steps == 0 {
                return Vec::new();
            }
            ways = self.step(node, &ways);
        }
        ways
    }

    fn step(&mut self, node: &'a Node, ways: &[Way]) -> Vec<Way> {
        let made = u32::try_from(ways.len()).unwrap_or(STEPS);
        self.steps = self.steps.saturating_sub(made);
        match node {
            Node::Word(word) => ways.iter().filter_map(|way| self.word(word, way)).collect(),
            Node::Set(name, value) => {
                let set = |way: &Way| way.on(way.at, 0, [(Arc::clone(name), Arc::clone(value))]);
                ways.iter().map(set).collect()
            }
            Node::Any(choices) => {
                let mut all = Vec::new();
                for choice in choices {
                    all.extend(self.walk(choice, ways));
                }
                unique(all)
            }
            Node::Free(parts, stops) => {
                let mut all = Vec::new();
                for way in ways {
                    all.extend(self.free(parts, *stops, way));
                }
                unique(all)
            }
            Node::Named(name) => {
                let mut all = Vec::new();
                for way in ways {
                    let on = |end: &Way| way.on(end.at, end.free, end.filled.iter().cloned());
                    all.extend(self.named(*name, way.at).iter().map(on));
                }
                unique(all)
            }
            Node::Slot(kind, name) => {
                let mut all = Vec::new();
                for way in ways {
                    let free = longest(kind) > 0;
                    let passed = self.filler(way.at);
                    let also = (passed > way.at && is_parsed(kind)).then_some(passed);
                    for at in [way.at].into_iter().chain(also) {
                        let on = |(len, value): &(usize, Arc<Value>)| {
                            let cost = if free { len * TEXT } else { at - way.at };
                            way.on(at + len, cost, [(Arc::clone(name), Arc::clone(value))])
                        };
                        all.extend(self.reader.read(kind, at).iter().map(on));
                    }
                }
                all
            }
        }
    }

    /// Parts in any order, within one sentence.
    fn free(&mut self, parts: &'a [Part], stops: bool, start: &Way) -> Vec<Way> {
        let all = start.at..self.words().len();
        let mut needed = parts.iter().filter(|part| part.needed);
        let there = |part: &Part| all.clone().any(|at| !self.named(part.named, at).is_empty());
        if !needed.all(there) {
            return Vec::new();
        }
        let mut open = vec![(start.clone(), 0_u32)];
        let mut next = 0;
        while let Some((way, had)) = open.get(next).cloned() {
            next += 1;
            let last = self.words()[start.at..way.at].last();
            let ended = last.and_then(|last| last.end);
            if ended.is_some_and(|end| ".!?;".contains(end)) || self.steps == 0 {
                continue;
            }
            let passed = match self.filler(way.at) {
                at if at > way.at => at,
                at => at + usize::from(stops && self.is_stop(at)),
            };
            let mut more = Vec::new();
            if passed > way.at {
                more.push((way.on(passed, passed - way.at, []), had));
            }
            for (place, part) in parts.iter().enumerate() {
                let bit = 1 << place;
                if had & bit == 0 || part.again {
                    let ends = self.named(part.named, way.at);
                    let on = ends.iter().filter(|end| end.at > way.at).map(|end| {
                        let filled = end.filled.iter().cloned();
                        (way.on(end.at, end.free, filled), had | bit)
                    });
                    more.extend(on);
                }
            }
            self.steps = self.steps.saturating_sub(parts.len() as u32);
            for (way, had) in more {
                let same = |(at, was): &&mut (Way, u32)| *was == had && at.is(&way);
                match open.iter_mut().find(same) {
                    Some((known, _)) => known.free = known.free.min(way.free),
                    None => open.push((way, had)),
                }
            }
        }
        let parts = parts.iter().enumerate();
        let needed = parts.fold(0, |all, (n, part)| all | u32::from(part.needed) << n);
        open.retain(|(_, had)| had & needed == needed);
        open.into_iter().map(|(way, _)| way).collect()
    }

    fn is_stop(&self, at: usize) -> bool {
        let word = self.words().get(at);
        word.is_some_and(|word| self.reader.is("stop", word))
    }

    /// A word of a pattern, perhaps behind words without a meaning.
    fn word(&mut self, word: &str, way: &Way) -> Option<Way> {
        let is = |at: usize| {
            self.words().get(at).is_some_and(|here| {
                !here.quoted
                    && here
                        .low
                        .strip_prefix(word)
                        .is_some_and(|end| matches!(end, "" | "s"))
            })
        };
        let at = [way.at, self.filler(way.at)]
            .into_iter()
            .find(|at| is(*at))?;
        self.reached = self.reached.max(at + 1);
        Some(way.on(at + 1, at - way.at, []))
    }

    fn filler(&self, at: usize) -> usize {
        self.fillers.get(at).copied().unwrap_or(at)
    }

    fn named(&mut self, name: usize, at: usize) -> Rc<Vec<Way>> {
        let place = name * (self.words().len() + 1) + at;
        if let Some(known) = &self.named[place] {
            return Rc::clone(known);
        }
        let (filled, free) = (Vec::new(), if name == THANKS { POLITE } else { 0 });
        let start = Way { at, filled, free };
        let choices = self.phrasings().named(name);
        let mut ways = Vec::new();
        for choice in choices {
            ways.extend(self.walk(choice, std::slice::from_ref(&start)));
        }
        let ways = Rc::new(unique(ways));
        self.named[place] = Some(Rc::clone(&ways));
        ways
    }
}

impl Way {
    /// Whether it is the other one, at whatever cost.
    fn is(&self, other: &Self) -> bool {
        self.at == other.at && self.filled == other.filled
    }

    fn on(&self, at: usize, free: usize, more: impl IntoIterator<Item = Said>) -> Self {
        Self {
            at,
            filled: self.filled.iter().cloned().chain(more).collect(),
            free: self.free + free,
        }
    }
}

/// Each once, since most ways to leave something out come to the same.
fn unique(ways: Vec<Way>) -> Vec<Way> {
    let mut kept: Vec<Way> = Vec::with_capacity(ways.len());
    for way in ways {
        match kept.iter_mut().find(|known| known.is(&way)) {
            Some(known) => known.free = known.free.min(way.free),
            None => kept.push(way),
        }
    }
    kept
}

/// Whether one argument was said twice: "tomorrow … on friday".
fn contradicts(filled: &[Said]) -> bool {
    let mut said: HashMap<&str, &Value> = HashMap::new();
    let once = |path: &str| !path.is_empty() && !path.contains('[');
    let mut filled = filled.iter().filter(|(path, _)| once(path));
    filled.any(|(path, value)| said.insert(path, value).is_some_and(|was| *was != **value))
}
