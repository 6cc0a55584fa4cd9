//! How far parts of patterns get among the words.

use serde_json::Value;
use std::rc::Rc;
use std::sync::Arc;

use super::{Matcher, POLITE, STEPS, Said, TEXT, Way};
use crate::pattern::{Node, Part, THANKS};
use crate::slot::{is_parsed, longest};

/// Among the parts that were there: words were passed over behind the last.
const PASSED: u32 = 1 << 31;

impl<'a> Matcher<'a> {
    pub(super) fn walk(&mut self, nodes: &'a [Node], ways: &[Way]) -> Vec<Way> {
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
                more.push((way.on(passed, passed - way.at, []), had | PASSED));
            }
            for (place, part) in parts.iter().enumerate() {
                let bit = 1 << place;
                if had & bit == 0 || part.again {
                    let ends = self.named(part.named, way.at);
                    let on = ends.iter().filter(|end| end.at > way.at).map(|end| {
                        let filled = end.filled.iter().cloned();
                        (way.on(end.at, end.free, filled), (had | bit) & !PASSED)
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
        // Words behind the last part of one that is inside of another may be a title's.
        open.retain(|(_, had)| had & needed == needed && (stops || had & PASSED == 0));
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

    pub(super) fn named(&mut self, name: usize, at: usize) -> Rc<Vec<Way>> {
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
