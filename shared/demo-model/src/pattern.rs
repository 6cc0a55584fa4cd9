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

/// What is said where no tool is called.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Says {
    Answer(&'static str),
    Refusal(&'static str),
}

/// What patterns lead to.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub(crate) struct Leads {
    /// The tool, as the file is called.
    pub(crate) tool: &'static str,
    pub(crate) via: Option<&'static str>,
    pub(crate) show: &'static str,
    pub(crate) says: Option<Says>,
}

#[derive(Debug)]
pub(crate) struct Pattern {
    pub(crate) leads: Leads,
    pub(crate) nodes: Vec<Node>,
}

/// Something to say, as a person would; under its head in the help, if it has one.
#[derive(Debug)]
pub(crate) struct Example {
    pub(crate) tool: &'static str,
    pub(crate) head: &'static str,
    pub(crate) text: &'static str,
}

#[derive(Debug, Default)]
pub(crate) struct Phrasings {
    pub(crate) patterns: Vec<Pattern>,
    pub(crate) examples: Vec<Example>,
    named: BTreeMap<String, Vec<Node>>,
    templates: BTreeMap<String, &'static str>,
    /// Words by what they are: `@articles the a an`.
    lists: BTreeMap<&'static str, Vec<&'static str>>,
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
                let done = read.line(line, &mut leads);
                done.map_err(|problem| format!("{name}: \"{line}\" {problem}"))?;
            }
        }
        Ok(read)
    }

    fn line(&mut self, line: &'static str, leads: &mut Leads) -> Result<(), String> {
        let (first, rest) = line.split_once(' ').unwrap_or((line, ""));
        let tool = leads.tool;
        match first {
            ">" | "?" => {
                let (head, text) = rest.split_once(" | ").unwrap_or(("", rest));
                self.examples.push(Example { tool, head, text });
            }
            "=" => {
                let named = rest.split_once(' ').filter(|_| tool == "words");
                let (show, text) = named.unwrap_or((leads.show, rest));
                self.templates.insert(format!("{tool}.{show}"), text);
            }
            "via" => leads.via = Some(rest),
            "show" => leads.show = rest,
            "say" => leads.says = Some(Says::Answer(rest)),
            "decline" => leads.says = Some(Says::Refusal(rest)),
            _ => match (line.strip_prefix('$'), first.strip_prefix('@')) {
                (_, Some(list)) => drop(self.lists.insert(list, rest.split(' ').collect())),
                (Some(named), _) => {
                    let (name, pattern) = named.split_once(" = ").ok_or("names nothing")?;
                    let nodes = self.nodes(tool, pattern)?;
                    self.named.insert(format!("{tool}.{name}"), nodes);
                }
                (None, None) => {
                    let (leads, nodes) = (*leads, self.nodes(tool, line)?);
                    self.patterns.push(Pattern { leads, nodes });
                }
            },
        }
        Ok(())
    }

    /// The answer of a tool where this of its result was asked for, else its usual one.
    pub(crate) fn template(&self, tool: &str, show: &str) -> Option<&'static str> {
        let found = |show: &str| self.templates.get(&format!("{tool}.{show}")).copied();
        found(show).or_else(|| found(""))
    }

    /// Whether a word is on a list.
    pub(crate) fn is(&self, list: &str, word: &str) -> bool {
        let list = self.lists.get(list);
        list.is_some_and(|words| words.contains(&word))
    }

    /// What a name stands for: in its own file, else for all of them.
    pub(crate) fn named(&self, name: &str) -> Option<&Vec<Node>> {
        let (_, own) = name.split_once('.')?;
        let common = || self.named.get(&format!("words.{own}"));
        self.named.get(name).or_else(common)
    }

    /// Reads a pattern of a file.
    fn nodes(&mut self, file: &str, text: &str) -> Result<Vec<Node>, String> {
        let mut rest = text;
        let ways = self.choices(file, &mut rest)?;
        match rest {
            "" => Ok(vec![Node::Any(ways)]),
            rest => Err(format!("closes too much before \"{rest}\"")),
        }
    }

    /// Choices of sequences, up to what closes them.
    fn choices(&mut self, file: &str, rest: &mut &str) -> Result<Vec<Vec<Node>>, String> {
        let mut ways = vec![Vec::new()];
        loop {
            *rest = rest.trim_start();
            let node = match rest.chars().next() {
                None | Some(')' | ']') => return Ok(ways),
                Some('|') => {
                    *rest = &rest[1..];
                    ways.push(Vec::new());
                    continue;
                }
                Some(open @ ('(' | '[')) => {
                    *rest = &rest[1..];
                    let mut inside = self.choices(file, rest)?;
                    let close = if open == '(' { ')' } else { ']' };
                    *rest = rest.strip_prefix(close).ok_or("closes too little")?;
                    inside.extend((open == '[').then(Vec::new));
                    Node::Any(inside)
                }
                Some('{') => slot(until(rest, '}')?)?,
                Some('<') => match until(rest, '>')? {
                    name if name.contains('.') => Node::Named(name.into()),
                    name => Node::Named(format!("{file}.{name}")),
                },
                Some(_) => {
                    let end = rest.find(|c: char| c.is_whitespace() || "()[]{}<>|".contains(c));
                    let (word, behind) = rest.split_at(end.unwrap_or(rest.len()));
                    *rest = behind;
                    self.vocabulary.insert(fold(word));
                    Node::Word(fold(word))
                }
            };
            ways.last_mut().ok_or("is empty")?.push(node);
        }
    }
}

fn until<'a>(rest: &mut &'a str, close: char) -> Result<&'a str, String> {
    let (inside, behind) = rest[1..].split_once(close).ok_or("closes too little")?;
    *rest = behind;
    Ok(inside)
}

fn slot(inside: &str) -> Result<Node, String> {
    let (kind, argument) = inside.split_once(':').unwrap_or((inside, ""));
    if let Some(name) = kind.strip_prefix('=') {
        let value = serde_json::from_str(argument).unwrap_or_else(|_| argument.into());
        return Ok(Node::Set(name.into(), value));
    }
    let known = KINDS.iter().find(|known| **known == kind);
    let kind = known.ok_or_else(|| format!("has no slot {inside}"))?;
    Ok(Node::Slot(kind, argument.into()))
}
