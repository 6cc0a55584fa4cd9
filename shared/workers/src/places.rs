//! Positions in a YAML text.

use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_saphyr::{DefaultMessageFormatter, Location, MessageFormatter, Spanned};
use std::fmt;

/// Line and column, both from 1, in characters.
pub type At = (u64, u64);

/// A parsed YAML text with positions.
pub struct Places {
    root: Spanned<Node>,
    /// Number of lines before it in its file.
    above: u64,
}

enum Node {
    Map(Vec<(Spanned<String>, Spanned<Node>)>),
    List(Vec<Spanned<Node>>),
    Plain(String),
}

impl Places {
    /// Parses a text that starts after `above` lines of its file. The error is the position and reason.
    pub fn of(yaml: &str, above: u64) -> Result<Self, (At, String)> {
        let root = serde_saphyr::from_str(yaml).map_err(|error| {
            let words = DefaultMessageFormatter.format_message(error.without_snippet());
            let location = error.location().unwrap_or(Location::UNKNOWN);
            (shown(location, above), words.into_owned())
        })?;
        Ok(Self { root, above })
    }

    /// The position of an error below these keys: at the word that its message quotes or begins with, if found.
    pub fn of_wrong(&self, keys: &[&str], words: &str) -> At {
        let (mut node, mut at) = (&self.root, self.root.referenced);
        for key in keys {
            let Some((found, value)) = node.value.field(key) else {
                break;
            };
            (node, at) = (value, found);
        }
        let quoted = |mark: char| words.split(mark).skip(1).step_by(2);
        let parts = words.split(": ").take(2);
        let begins = parts.filter_map(|part| part.split(' ').next()?.rsplit('.').next());
        let mut named = quoted('`').chain(quoted('"')).chain(begins);
        let found = named.find_map(|word| find(node, word));
        shown(found.unwrap_or(at), self.above)
    }
}

fn shown(location: Location, above: u64) -> At {
    (location.line().max(1) + above, location.column().max(1))
}

impl Node {
    fn field(&self, key: &str) -> Option<(Location, &Spanned<Self>)> {
        let Self::Map(fields) = self else {
            return None;
        };
        let (found, value) = fields.iter().find(|(name, _)| name.value == key)?;
        Some((found.referenced, value))
    }
}

/// The position of a key or plain value anywhere below.
fn find(node: &Spanned<Node>, word: &str) -> Option<Location> {
    match &node.value {
        Node::Plain(text) => (text == word).then_some(node.referenced),
        Node::List(items) => items.iter().find_map(|item| find(item, word)),
        Node::Map(fields) => fields.iter().find_map(|(name, value)| {
            let key = (name.value == word).then_some(name.referenced);
            key.or_else(|| find(value, word))
        }),
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Any)
    }
}

struct Any;

impl<'de> Visitor<'de> for Any {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any YAML")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
        let mut fields = Vec::new();
        while let Some(field) = map.next_entry()? {
            fields.push(field);
        }
        Ok(Node::Map(fields))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Node, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(Node::List(items))
    }

    fn visit_str<E>(self, text: &str) -> Result<Node, E> {
        Ok(Node::Plain(text.to_owned()))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Plain(value.to_string()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Node, E> {
        Ok(Node::Plain(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Node, E> {
        Ok(Node::Plain(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Node, E> {
        Ok(Node::Plain(value.to_string()))
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Plain(String::new()))
    }
}
