//! How a pattern is read.

use super::{Node, Part, Phrasings};
use crate::words::plain;
use std::sync::Arc;

/// What slots hold: `title` is of what isn't there yet, `name` are words of what is, `text` is said to others, `words` within a sentence, `said` behind a colon, `remark` a statement,
/// `owner` is somebody with an 's. `range` is a start and an end, `span` a range or a part of the day, `days` are several.
const KINDS: [&str; 20] = [
    "day", "days", "time", "range", "span", "duration", "number", "person", "people", "owner",
    "channel", "quoted", "url", "place", "name", "title", "text", "words", "said", "remark",
];

impl Phrasings {
    /// Reads a pattern of a file.
    pub(super) fn nodes(&mut self, file: &str, text: &str) -> Result<Vec<Node>, String> {
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
            match rest.chars().next() {
                None | Some(')' | ']') => return Ok(ways),
                Some('|') => {
                    *rest = &rest[1..];
                    ways.push(Vec::new());
                }
                Some('~') => {
                    let parts = self.free(file, rest)?;
                    ways.last_mut().ok_or("is empty")?.extend(parts);
                }
                Some(_) => {
                    let node = self.node(file, rest)?;
                    ways.last_mut().ok_or("is empty")?.push(node);
                }
            }
        }
    }

    /// One part of a pattern.
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
            Some('{') => slot(until(rest, '}')?)?,
            Some('<') => self.name(file, until(rest, '>')?),
            _ => {
                let end = rest.find(|c: char| c.is_whitespace() || "()[]{}<>|~".contains(c));
                let (word, behind) = rest.split_at(end.unwrap_or(rest.len()));
                *rest = behind;
                self.vocabulary.insert(plain(word));
                Node::Word(plain(word))
            }
        })
    }

    /// Parts that stand in any order, and what is set behind them.
    fn free(&mut self, file: &str, rest: &mut &str) -> Result<Vec<Node>, String> {
        let (mut parts, mut sets) = (Vec::new(), Vec::new());
        let inside = rest.starts_with("~(");
        *rest = &rest[1 + usize::from(inside)..];
        loop {
            *rest = rest.trim_start();
            if rest.is_empty() || rest.starts_with([')', ']', '|']) {
                break;
            }
            let (from, needed) = (*rest, !rest.starts_with('['));
            let node = self.node(file, rest)?;
            let source = &from[..from.len() - rest.len()];
            let named = match node {
                Node::Set(..) => {
                    sets.push(node);
                    continue;
                }
                Node::Named(place) => place,
                node => {
                    let place = self.place(&format!("{file}: {source}"));
                    if self.meanings[place].is_empty() {
                        self.meanings[place].push(vec![node]);
                    }
                    place
                }
            };
            let sign = rest.chars().next().filter(|sign| "*+".contains(*sign));
            *rest = &rest[usize::from(sign.is_some())..];
            parts.push(Part {
                named,
                needed: needed && sign != Some('*'),
                again: sign.is_some(),
            });
        }
        if inside {
            *rest = rest.strip_prefix(')').ok_or("closes too little")?;
        }
        sets.insert(0, Node::Free(parts, !inside));
        Ok(sets)
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
        return Ok(Node::Set(name.into(), Arc::new(value)));
    }
    let known = KINDS.iter().find(|known| **known == kind);
    let kind = known.ok_or_else(|| format!("has no slot {inside}"))?;
    Ok(Node::Slot(kind, argument.into()))
}
