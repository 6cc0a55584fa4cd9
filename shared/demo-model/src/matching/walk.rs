//! How far parts of patterns get among the words.

use std::rc::Rc;
use std::sync::Arc;

use super::{Matcher, POLITE, Said, TEXT, Way};
use crate::pattern::{Node, Part, THANKS};
use crate::slot::{longest, parsed};

/// Among the parts that were there: words were passed over behind the last.
const PASSED: u32 = 1 << 31;

impl<'a> Matcher<'a> {
    /// The ways on that parts of a pattern allow, one behind the other.
    pub(super) fn walk(&mut self, nodes: &'a [Node], ways: Vec<Way>) -> Vec<Way> {
        let mut ways = ways;
        for node in nodes {
            let on: Vec<Way> = ways.iter().flat_map(|way| self.step(node, way)).collect();
            ways = unique(on);
        }
        ways
    }

    fn step(&mut self, node: &'a Node, way: &Way) -> Vec<Way> {
        self.steps = self.steps.saturating_sub(1);
        if self.steps == 0 {
            return Vec::new();
        }
        match node {
            Node::Word(word) => self.word(word, way).into_iter().collect(),
            Node::Set(name, value) => {
                vec![way.on(way.at, 0, &[(Arc::clone(name), Arc::clone(value))])]
            }
            Node::Any(choices) => {
                let each = choices.iter();
                each.flat_map(|choice| self.walk(choice, vec![way.clone()]))
                    .collect()
            }
            Node::Free(parts, stops) => self.free(parts, *stops, way),
            Node::Named(name) => {
                let ends = self.named(*name, way.at);
                ends.iter().map(|end| way.and(end)).collect()
            }
            Node::Slot(kind, name) => {
                let passed = Some(self.filler(way.at));
                let passed = passed.filter(|at| *at > way.at && parsed(kind) > 0);
                let mut ways = Vec::new();
                for at in [way.at].into_iter().chain(passed) {
                    ways.extend(self.reader.read(kind, at).iter().map(|(len, value)| {
                        let text = if longest(kind) > 0 { len * TEXT } else { 0 };
                        let said = (Arc::clone(name), Arc::clone(value));
                        way.on(at + len, text + at - way.at, &[said])
                    }));
                }
                ways
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
            self.steps = self.steps.saturating_sub(parts.len() as u32);
            let mut more = Vec::new();
            let passed = match self.filler(way.at) {
                at if at > way.at => at,
                at => at + usize::from(stops && self.is_stop(at)),
            };
            if passed > way.at {
                more.push((way.on(passed, passed - way.at, &[]), had | PASSED));
            }
            for (place, part) in parts.iter().enumerate() {
                let bit = 1 << place;
                if had & bit == 0 || part.again {
                    let ends = self.named(part.named, way.at);
                    let ends = ends.iter().filter(|end| end.at > way.at);
                    more.extend(ends.map(|end| (way.and(end), (had | bit) & !PASSED)));
                }
            }
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
        let fits = |low: &str| {
            low.strip_prefix(word)
                .is_some_and(|end| matches!(end, "" | "s"))
        };
        let is = |at: &usize| {
            let here = self.words().get(*at);
            here.is_some_and(|here| !here.quoted && fits(&here.low))
        };
        let at = [way.at, self.filler(way.at)].into_iter().find(is)?;
        self.reached = self.reached.max(at + 1);
        Some(way.on(at + 1, at - way.at, &[]))
    }

    fn filler(&self, at: usize) -> usize {
        self.fillers.get(at).copied().unwrap_or(at)
    }

    pub(super) fn named(&mut self, name: usize, at: usize) -> Rc<Vec<Way>> {
        let place = name * (self.words().len() + 1) + at;
        if let Some(known) = &self.named[place] {
            return Rc::clone(known);
        }
        let start = Way {
            at,
            filled: Vec::new(),
            free: if name == THANKS { POLITE } else { 0 },
        };
        let choices = self.phrasings().named(name).iter();
        let ways = choices.flat_map(|choice| self.walk(choice, vec![start.clone()]));
        let ways = Rc::new(unique(ways.collect()));
        self.named[place] = Some(Rc::clone(&ways));
        ways
    }
}

impl Way {
    /// Whether it is the other one, at whatever cost.
    fn is(&self, other: &Self) -> bool {
        self.at == other.at && self.filled == other.filled
    }

    fn on(&self, at: usize, free: usize, more: &[Said]) -> Self {
        Self {
            at,
            filled: [&self.filled, more].concat(),
            free: self.free + free,
        }
    }

    fn and(&self, end: &Self) -> Self {
        self.on(end.at, end.free, &end.filled)
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
