//! Phrasings, as the files in `patterns` have them: one a tool or workflow.
//!
//! A file is made of blocks between empty lines. A block holds patterns, one a
//! line, and before them what holds for them all:
//!
//! ```text
//! > Tasks | add a task to call the bank     an example, listed by "help" under its head
//! ? remind me to call the bank              an example for who wasn't understood
//! via email_viewEmails                      looked at first, with the arguments `look.…`
//! show weekday                              what of the result was asked for
//! = Added: {task:task}.                    the answer, as `say.rs` reads it
//! say You're welcome.                       the answer: no tool is called
//! decline I can't do that, since …          why it isn't done
//! $when = (on|for) {day:date}               words that patterns of this file name: <when>; others as <file.when>
//! ```
//!
//! In a pattern `(a|b)` is a choice, `[a]` may be missing, `{day:dueDate}` is a day that
//! becomes this argument, and `{=priority:high}` sets one. Every word of a message must
//! be matched, in this order.

use crate::slot::KINDS;
use alfred_tools::fold::fold;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A part of a pattern.
#[derive(Debug)]
pub(crate) enum Node {
    Word(String),
    Slot(&'static str, String),
    Set(String, Value),
    /// `file.name`.
    Named(String),
    Any(Vec<Vec<Node>>),
}

/// What patterns lead to.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct Leads {
    /// The tool, as the file is called.
    pub(crate) tool: &'static str,
    pub(crate) via: Option<&'static str>,
    pub(crate) show: Option<&'static str>,
    pub(crate) say: Option<&'static str>,
    pub(crate) decline: Option<&'static str>,
}

/// One line.
#[derive(Debug)]
pub(crate) struct Pattern {
    pub(crate) leads: Leads,
    pub(crate) nodes: Vec<Node>,
}

/// Something to say, as a person would.
#[derive(Debug)]
pub(crate) struct Example {
    pub(crate) tool: &'static str,
    /// Where help lists it.
    pub(crate) head: Option<&'static str>,
    pub(crate) text: &'static str,
}

/// All files, read.
#[derive(Debug, Default)]
pub(crate) struct Phrasings {
    pub(crate) patterns: Vec<Pattern>,
    pub(crate) examples: Vec<Example>,
    named: BTreeMap<String, Vec<Node>>,
    templates: BTreeMap<(&'static str, &'static str), &'static str>,
    /// Words by what they are: `@articles the a an`.
    lists: BTreeMap<&'static str, Vec<&'static str>>,
    /// Words that a request begins with.
    begins: BTreeSet<String>,
    /// Every word that stands in a pattern.
    pub(crate) vocabulary: BTreeSet<String>,
}

impl Phrasings {
    /// Reads files, each with its name.
    pub(crate) fn read(files: &[(&'static str, &'static str)]) -> Result<Self, String> {
        let mut read = Self::default();
        for (name, text) in files {
            let mut leads = Leads::default();
            for line in text.lines().map(str::trim).filter(|l| !l.starts_with('#')) {
                if line.is_empty() {
                    leads = Leads::default();
                    continue;
                }
                leads.tool = name;
                read.line(line, &mut leads)
                    .map_err(|problem| format!("{name}: \"{line}\" {problem}"))?;
            }
        }
        let named = read.named.values().flatten();
        let all = read.patterns.iter().flat_map(|pattern| &pattern.nodes);
        for node in named.chain(all) {
            node.words(&mut read.vocabulary);
        }
        for pattern in &read.patterns {
            let mut words = std::mem::take(&mut read.begins);
            read.first_words(&pattern.nodes, &mut words);
            read.begins = words;
        }
        Ok(read)
    }

    fn line(&mut self, line: &'static str, leads: &mut Leads) -> Result<(), String> {
        let (first, rest) = line.split_once(' ').unwrap_or((line, ""));
        let rest = rest.trim();
        match first {
            ">" | "?" => {
                let split = rest.split_once('|').filter(|_| first == ">");
                let (head, text) = split.map_or((None, rest), |(head, text)| (Some(head), text));
                self.examples.push(Example {
                    tool: leads.tool,
                    head: head.map(str::trim),
                    text: text.trim(),
                });
            }
            "=" => {
                let named = rest.split_once(' ').filter(|_| leads.tool == "words");
                let (show, text) = named.unwrap_or((leads.show.unwrap_or_default(), rest));
                self.templates.insert((leads.tool, show), text);
            }
            "via" => leads.via = Some(rest),
            "show" => leads.show = Some(rest),
            "say" => (leads.say, leads.decline) = (Some(rest), None),
            "decline" => (leads.say, leads.decline) = (None, Some(rest)),
            list if list.starts_with('@') => {
                self.lists.insert(&list[1..], rest.split(' ').collect());
            }
            name if name.starts_with('$') => {
                let pattern = rest.strip_prefix('=').ok_or("names nothing")?;
                let name = format!("{}.{}", leads.tool, &name[1..]);
                self.named.insert(name, nodes(leads.tool, pattern)?);
            }
            _ => self.patterns.push(Pattern {
                leads: leads.clone(),
                nodes: nodes(leads.tool, line)?,
            }),
        }
        Ok(())
    }
}

impl Phrasings {
    /// The answer of a tool where this of its result was asked for, else its usual one.
    pub(crate) fn template(&self, tool: &str, show: &str) -> Option<&'static str> {
        let found = |show: &str| {
            self.templates
                .iter()
                .find(|((of, what), _)| *of == tool && *what == show)
        };
        found(show)
            .or_else(|| found("").filter(|_| tool != "words"))
            .map(|(_, text)| *text)
    }

    /// Whether a word is on a list.
    pub(crate) fn is(&self, list: &str, word: &str) -> bool {
        self.lists
            .get(list)
            .is_some_and(|words| words.contains(&word))
    }

    /// Whether a request may begin with this word, other than with what a message may go on with:
    /// "tell Ben I'm late and I can't come" is one request.
    pub(crate) fn begins(&self, word: &str) -> bool {
        self.begins.contains(word) && !self.is("continuing", word)
    }

    /// The words with which these may begin; gives whether they may be empty.
    fn first_words(&self, nodes: &[Node], into: &mut BTreeSet<String>) -> bool {
        nodes.iter().all(|node| match node {
            Node::Word(word) => {
                into.insert(word.clone());
                false
            }
            Node::Set(..) => true,
            Node::Slot(..) => false,
            Node::Any(ways) => {
                let empty: Vec<bool> = ways.iter().map(|way| self.first_words(way, into)).collect();
                empty.contains(&true)
            }
            Node::Named(name) => self
                .named(name)
                .is_some_and(|nodes| self.first_words(nodes, into)),
        })
    }

    /// What a name stands for: in its own file, else for all of them.
    pub(crate) fn named(&self, name: &str) -> Option<&Vec<Node>> {
        let common = || {
            self.named
                .get(&format!("words.{}", name.split_once('.')?.1))
        };
        self.named.get(name).or_else(common)
    }
}

impl Node {
    fn words(&self, into: &mut BTreeSet<String>) {
        match self {
            Self::Word(word) => {
                into.insert(word.clone());
            }
            Self::Any(ways) => ways.iter().flatten().for_each(|node| node.words(into)),
            Self::Slot(..) | Self::Set(..) | Self::Named(_) => {}
        }
    }
}

/// Reads a pattern of a file: choices of sequences up to what closes them.
fn nodes(file: &str, text: &str) -> Result<Vec<Node>, String> {
    let mut rest = text.trim();
    let mut ways = choices(file, &mut rest)?;
    match (ways.len(), rest.is_empty()) {
        (_, false) => Err(format!("closes too much before \"{rest}\"")),
        (1, true) => Ok(ways.remove(0)),
        (_, true) => Ok(vec![Node::Any(ways)]),
    }
}

fn choices(file: &str, rest: &mut &str) -> Result<Vec<Vec<Node>>, String> {
    let mut ways = vec![Vec::new()];
    loop {
        *rest = rest.trim_start();
        let Some(first) = rest.chars().next() else {
            return Ok(ways);
        };
        let node = match first {
            ')' | ']' => return Ok(ways),
            '|' => {
                *rest = &rest[1..];
                ways.push(Vec::new());
                continue;
            }
            '(' | '[' => {
                *rest = &rest[1..];
                let mut inside = choices(file, rest)?;
                let close = if first == '(' { ')' } else { ']' };
                *rest = rest.strip_prefix(close).ok_or("closes too little")?;
                if first == '[' {
                    inside.push(Vec::new());
                }
                Node::Any(inside)
            }
            '{' => slot(until(rest, '}')?)?,
            '<' => match until(rest, '>')? {
                name if name.contains('.') => Node::Named(name.into()),
                name => Node::Named(format!("{file}.{name}")),
            },
            _ => {
                let end = rest.find(|c: char| c.is_whitespace() || "()[]{}<>|".contains(c));
                let (word, behind) = rest.split_at(end.unwrap_or(rest.len()));
                *rest = behind;
                Node::Word(fold(word))
            }
        };
        ways.last_mut().ok_or("is empty")?.push(node);
    }
}

fn until<'a>(rest: &mut &'a str, close: char) -> Result<&'a str, String> {
    let end = rest.find(close).ok_or("closes too little")?;
    let inside = &rest[1..end];
    *rest = &rest[end + 1..];
    Ok(inside)
}

fn slot(inside: &str) -> Result<Node, String> {
    let (kind, argument) = inside.split_once(':').unwrap_or((inside, ""));
    match kind.strip_prefix('=') {
        Some(name) => {
            let value = serde_json::from_str(argument).unwrap_or_else(|_| argument.into());
            Ok(Node::Set(name.into(), value))
        }
        None => {
            let kind = KINDS.iter().find(|known| **known == kind);
            let kind = kind.ok_or_else(|| format!("has no slot {inside}"))?;
            Ok(Node::Slot(kind, argument.into()))
        }
    }
}
