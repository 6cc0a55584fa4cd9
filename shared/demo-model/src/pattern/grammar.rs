//! Parses a pattern.

use super::{Node, Phrasings};
use crate::slot;
use crate::words::plain;
use std::sync::Arc;

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
