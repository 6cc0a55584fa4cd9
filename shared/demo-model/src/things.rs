//! Finds things in the result of a tool.

use serde_json::Value;

use crate::words::{self, Word};

/// Maximum things that are listed for a choice.
const LISTED: usize = 5;

pub(crate) fn text<'a>(data: &'a Value, name: &str) -> &'a str {
    data[name].as_str().unwrap_or_default()
}

pub(crate) fn list<'a>(data: &'a Value, name: &str) -> &'a [Value] {
    data[name].as_array().map_or(&[], Vec::as_slice)
}

/// The things in whose titles a word begins with each of these words.
pub(crate) fn titled<'a>(things: &'a [Value], named: &str) -> Vec<&'a Value> {
    let named = words::words(named);
    let fits = |thing: &&Value| {
        let title = words::words(text(thing, "title"));
        let begins = |word: &Word| title.iter().any(|part| part.low.starts_with(&word.low));
        named.iter().all(begins)
    };
    things.iter().filter(fits).collect()
}

/// Why a call can't be completed, as a sentence.
pub(crate) enum Problem {
    /// Nothing fits. Another reading of the words may.
    Nothing(String),
    Unfit(String),
}

/// The blocks of a day, or of the days of a week, each with its date.
pub(crate) fn blocks(data: &Value) -> Vec<Value> {
    let mut all = list(data, "blocks").to_vec();
    for day in list(data, "days") {
        let blocks = list(day, "blocks").iter().cloned();
        all.extend(blocks.map(|mut block| {
            block["date"] = day["date"].clone();
            block
        }));
    }
    all
}

/// The only thing that fits; several are listed by these fields.
pub(crate) fn only<'a>(
    things: &[&'a Value],
    fields: &[&str],
    none: &str,
) -> Result<&'a Value, Problem> {
    if let [] | [_] = things {
        let first = things.first().copied();
        return first.ok_or_else(|| Problem::Nothing(none.into()));
    }
    let line = |one: &&Value| {
        let texts: Vec<&str> = fields.iter().map(|field| text(one, field)).collect();
        format!("\n- {}", texts.join(", "))
    };
    let all = things.len();
    let listed: String = things.iter().take(LISTED).map(line).collect();
    let problem = format!("{all} fit. Which one do you mean? I did nothing.{listed}");
    Err(Problem::Unfit(problem))
}
