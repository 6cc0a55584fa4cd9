//! The `fields` parameter: which parts of an answer are wanted
//! (<https://developers.google.com/workspace/drive/api/guides/fields-parameter>).

use serde_json::{Map, Value};

use crate::error::ApiError;

/// Which fields: each with what is wanted of it; nothing named is all of it.
#[derive(Debug, Default, PartialEq)]
struct Mask(Vec<(String, Mask)>);

/// What `fields` wants of an answer: `a,b/c,d(e,f)`, dots like slashes.
pub(crate) fn wanted(answer: &Value, fields: &str) -> Result<Value, ApiError> {
    let invalid = || ApiError::invalid(format!("Invalid field selection {fields}"));
    let parsed = parse(fields).filter(|(_, rest)| rest.is_empty());
    let (mask, _) = parsed.ok_or_else(invalid)?;
    Ok(of(answer, &mask))
}

/// A mask up to the end or a closing parenthesis, and what is behind it.
fn parse(mut rest: &str) -> Option<(Mask, &str)> {
    let mut mask = Mask::default();
    loop {
        let (one, after) = field(rest)?;
        mask.0.push(one);
        match after.strip_prefix(',') {
            Some(more) => rest = more,
            None => return Some((mask, after)),
        }
    }
}

fn field(text: &str) -> Option<((String, Mask), &str)> {
    let text = text.trim_start();
    let ends = |c: char| !(c.is_ascii_alphanumeric() || c == '*' || c == '_');
    let end = text.find(ends).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    if name.is_empty() {
        return None;
    }
    if let Some(inside) = rest.strip_prefix('(') {
        let (mask, after) = parse(inside)?;
        return Some(((name.to_owned(), mask), after.strip_prefix(')')?));
    }
    if let Some(below) = rest.strip_prefix(['/', '.']) {
        let (one, after) = field(below)?;
        return Some(((name.to_owned(), Mask(vec![one])), after));
    }
    Some(((name.to_owned(), Mask::default()), rest.trim_start()))
}

fn of(value: &Value, mask: &Mask) -> Value {
    match value {
        _ if mask.0.is_empty() => value.clone(),
        Value::Array(all) => all.iter().map(|one| of(one, mask)).collect(),
        Value::Object(fields) => {
            let mut kept = Map::new();
            for (name, value) in fields {
                for (_, below) in mask.0.iter().filter(|(n, _)| n == name || n == "*") {
                    let field = kept.entry(name.clone()).or_insert(Value::Null);
                    merge(field, of(value, below));
                }
            }
            Value::Object(kept)
        }
        other => other.clone(),
    }
}

/// Adds what another part of the mask wants of the same field.
fn merge(kept: &mut Value, more: Value) {
    match (kept, more) {
        (Value::Object(kept), Value::Object(more)) => {
            for (name, value) in more {
                merge(kept.entry(name).or_insert(Value::Null), value);
            }
        }
        (Value::Array(kept), Value::Array(more)) => {
            for (kept, more) in kept.iter_mut().zip(more) {
                merge(kept, more);
            }
        }
        (kept, more) => *kept = more,
    }
}
