//! Matches patterns against all words of a message.

use serde_json::Value;
use std::sync::Arc;

use crate::pattern::{AFTER, BEFORE, Leads, Node};
use crate::slot::{self, Reader};
use crate::words::written;

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

/// The parts of a pattern that are still to match.
struct Rest<'a> {
    nodes: &'a [Node],
    then: Option<&'a Rest<'a>>,
}

/// Called with the word after a match, and the arguments.
type Found<'a> = dyn FnMut(usize, &[Argument]) + 'a;

impl Reader<'_> {
    /// The different ways in which one pattern matches all the words, courtesy aside.
    pub(crate) fn readings(&self) -> Vec<Reading> {
        let all = self.words.len();
        let starts = self.ends_of(BEFORE, 0);
        let is_end = |at: usize| self.ends_of(AFTER, at).contains(&all);
        let ends: Vec<bool> = (0..=all).map(is_end).collect();
        let mut readings: Vec<Reading> = Vec::new();
        for pattern in &self.phrasings.patterns {
            for start in &starts {
                self.find(&pattern.nodes, *start, &mut |end, arguments| {
                    let same = |known: &Reading| {
                        known.leads == pattern.leads && known.arguments == arguments
                    };
                    if ends[end] && !repeats(arguments) && !readings.iter().any(same) {
                        readings.push(Reading {
                            leads: pattern.leads,
                            request: written(&self.words[*start..end]),
                            arguments: arguments.to_vec(),
                        });
                    }
                });
            }
        }
        readings
    }

    /// Where the matches of a named part end that begin at this word.
    fn ends_of(&self, named: usize, at: usize) -> Vec<usize> {
        let mut ends = Vec::new();
        self.find(&[Node::Named(named)], at, &mut |end, _| ends.push(end));
        ends.dedup();
        ends
    }

    fn find(&self, nodes: &[Node], at: usize, found: &mut Found<'_>) {
        let rest = Rest { nodes, then: None };
        self.walk(&rest, at, &mut Vec::new(), found);
    }

    /// Follows every way to match the rest of a pattern from this word on.
    fn walk(
        &self,
        rest: &Rest<'_>,
        at: usize,
        arguments: &mut Vec<Argument>,
        found: &mut Found<'_>,
    ) {
        let Some((node, nodes)) = rest.nodes.split_first() else {
            return match rest.then {
                Some(then) => self.walk(then, at, arguments, found),
                None => found(at, arguments),
            };
        };
        let then = Rest {
            nodes,
            then: rest.then,
        };
        let choices: &[Vec<Node>] = match node {
            Node::Any(choices) => choices,
            Node::Named(name) => self.phrasings.named(*name),
            _ => &[],
        };
        for nodes in choices {
            let then = Some(&then);
            self.walk(&Rest { nodes, then }, at, arguments, found);
        }
        match node {
            Node::Word(word, plural) => {
                if let Some(end) = self.word(word, *plural, at) {
                    self.walk(&then, end, arguments, found);
                }
            }
            Node::Comma if at > 0 && self.words[at - 1].end == Some(',') => {
                self.walk(&then, at, arguments, found);
            }
            Node::Comma | Node::Any(_) | Node::Named(_) => {}
            Node::Set(name, value) => {
                arguments.push((Arc::clone(name), Arc::clone(value)));
                self.walk(&then, at, arguments, found);
                arguments.pop();
            }
            Node::Slot(kind, name) => {
                let free = slot::is_free(kind);
                let last = if free { at } else { self.past_article(at) };
                for at in at..=last {
                    for (len, value) in self.read(kind, at).iter() {
                        arguments.push((Arc::clone(name), Arc::clone(value)));
                        self.walk(&then, at + len, arguments, found);
                        arguments.pop();
                    }
                }
            }
        }
    }

    /// The place after a word of a pattern, before which an article may stand.
    fn word(&self, word: &str, plural: bool, at: usize) -> Option<usize> {
        let fits = |at: &usize| {
            let here = self.words.get(*at).filter(|here| !here.quoted);
            match here.and_then(|here| here.low.strip_prefix(word)) {
                Some("") => true,
                Some("s") => plural,
                _ => false,
            }
        };
        (at..=self.past_article(at)).find(fits).map(|at| at + 1)
    }

    fn past_article(&self, at: usize) -> usize {
        let next = self.words.get(at);
        at + usize::from(next.is_some_and(|word| self.is("articles", word)))
    }
}

/// Whether one argument is given twice, as in "tomorrow … on friday".
fn repeats(arguments: &[Argument]) -> bool {
    let once = |path: &str| !path.is_empty() && !path.contains(['[', '+']);
    arguments.iter().enumerate().any(|(at, (path, _))| {
        once(path) && arguments[..at].iter().any(|(before, _)| before == path)
    })
}
