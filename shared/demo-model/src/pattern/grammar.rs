//! Parses a pattern.

use super::{Node, Phrasings};
use crate::slot;
use crate::words::plain;
use std::sync::Arc;

/// Levels of named parts that the check for touching slots looks into.
const DEPTH: usize = 6;

impl Phrasings {
    /// Parses a pattern of a file.
    pub(super) fn nodes(&mut self, file: &str, text: &str) -> Result<Vec<Node>, String> {
        let mut rest = text;
        let choices = self.choices(file, &mut rest)?;
        if rest.is_empty() {
            Ok(vec![Node::Any(choices)])
        } else {
            Err(format!("closes too much before \"{rest}\""))
        }
    }

    /// Alternative sequences, up to the closing bracket.
    fn choices(&mut self, file: &str, rest: &mut &str) -> Result<Vec<Vec<Node>>, String> {
        let (mut choices, mut sequence) = (Vec::new(), Vec::new());
        loop {
            *rest = rest.trim_start();
            match rest.chars().next() {
                None | Some(')' | ']') => {
                    choices.push(sequence);
                    return Ok(choices);
                }
                Some('|') => {
                    *rest = &rest[1..];
                    choices.push(std::mem::take(&mut sequence));
                }
                Some(_) => sequence.push(self.node(file, rest)?),
            }
        }
    }

    /// One part of a sequence.
    fn node(&mut self, file: &str, rest: &mut &str) -> Result<Node, String> {
        Ok(match rest.chars().next() {
            Some(open @ ('(' | '[')) => {
                *rest = &rest[1..];
                let mut inside = self.choices(file, rest)?;
                let close = if open == '(' { ')' } else { ']' };
                *rest = rest.strip_prefix(close).ok_or("closes too little")?;
                inside.extend((open == '[').then(Vec::new));
                Node::Any(inside)
            }
            Some(',') => {
                *rest = &rest[1..];
                Node::Comma
            }
            Some('{') => slot(until(rest, '}')?)?,
            Some('<') => self.name(file, until(rest, '>')?),
            _ => {
                let end = rest.find(|c: char| c.is_whitespace() || "()[]{}<>|,".contains(c));
                let (word, after) = rest.split_at(end.unwrap_or(rest.len()));
                *rest = after;
                let plural = word.ends_with("/s");
                let word = plain(word.trim_end_matches("/s"));
                self.vocabulary.extend(plural.then(|| format!("{word}s")));
                self.vocabulary.insert(word.clone());
                Node::Word(word, plural)
            }
        })
    }

    /// Checks that no free slot stands beside another one: where the first ends would be a guess.
    pub(super) fn separate(&self, nodes: &[Node]) -> Result<(), String> {
        let mut free = false;
        for node in nodes {
            if free && self.is_edge(node, true, DEPTH) {
                return Err(format!("two free slots touch in {nodes:?}"));
            }
            if let Node::Any(choices) = node {
                choices
                    .iter()
                    .try_for_each(|choice| self.separate(choice))?;
            }
            free = self.is_edge(node, false, DEPTH) || free && self.may_be_empty(node, DEPTH);
        }
        Ok(())
    }

    /// Whether a free slot may be the first or the last part of it.
    fn is_edge(&self, node: &Node, first: bool, depth: usize) -> bool {
        let any = |choices: &[Vec<Node>]| {
            let edge = |choice: &Vec<Node>| {
                let mut nodes: Vec<&Node> = choice.iter().collect();
                if !first {
                    nodes.reverse();
                }
                let empty = nodes
                    .iter()
                    .take_while(|node| self.may_be_empty(node, depth - 1));
                let reached = empty.count() + 1;
                nodes
                    .iter()
                    .take(reached)
                    .any(|node| self.is_edge(node, first, depth - 1))
            };
            depth > 0 && choices.iter().any(edge)
        };
        match node {
            // A message after a colon begins where the colon stands.
            Node::Slot(kind, _) => slot::is_free(kind) && !(first && *kind == "said"),
            Node::Any(choices) => any(choices),
            Node::Named(index) => any(self.named(*index)),
            Node::Word(..) | Node::Comma | Node::Set(..) => false,
        }
    }

    fn may_be_empty(&self, node: &Node, depth: usize) -> bool {
        let any = |choices: &[Vec<Node>]| {
            let empty = |choice: &Vec<Node>| {
                let mut nodes = choice.iter();
                nodes.all(|node| self.may_be_empty(node, depth - 1))
            };
            depth > 0 && choices.iter().any(empty)
        };
        match node {
            Node::Any(choices) => any(choices),
            Node::Named(index) => any(self.named(*index)),
            Node::Set(..) => true,
            Node::Word(..) | Node::Comma | Node::Slot(..) => false,
        }
    }
}

fn until<'a>(rest: &mut &'a str, close: char) -> Result<&'a str, String> {
    let (inside, after) = rest[1..].split_once(close).ok_or("closes too little")?;
    *rest = after;
    Ok(inside)
}

fn slot(inside: &str) -> Result<Node, String> {
    let (kind, argument) = inside.split_once(':').unwrap_or((inside, ""));
    if let Some(name) = kind.strip_prefix('=') {
        let value = serde_json::from_str(argument).unwrap_or_else(|_| argument.into());
        return Ok(Node::Set(name.into(), Arc::new(value)));
    }
    let known = slot::KINDS.iter().find(|known| **known == kind);
    let kind = known.ok_or_else(|| format!("has no slot {inside}"))?;
    Ok(Node::Slot(kind, argument.into()))
}
