//! What a look found: things by their fields.

use serde_json::Value;

use crate::words::{self, Word};

/// Things that are listed where one has to be chosen.
const LISTED: usize = 5;

pub(crate) fn text<'a>(data: &'a Value, name: &str) -> &'a str {
    data[name].as_str().unwrap_or_default()
}

pub(crate) fn list<'a>(data: &'a Value, name: &str) -> &'a [Value] {
    data[name].as_array().map_or(&[], Vec::as_slice)
}

/// The things whose titles have a word that begins as each of these; all of them for none.
pub(crate) fn titled<'a>(things: &'a [Value], named: &str) -> Vec<&'a Value> {
    let named = words::words(named);
    let fits = |thing: &&Value| {
        let title = words::words(text(thing, "title"));
        let begins = |word: &Word| title.iter().any(|part| part.low.starts_with(&word.low));
        named.iter().all(begins)
    };
    things.iter().filter(fits).collect()
}

/// Why nothing is done about what a look found, as it is said.
pub(crate) enum Miss {
    /// Nothing is there that fits; other ways to understand the words may.
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

/// The only thing that fits.
pub(crate) fn one<'a>(
    things: &[&'a Value],
    fields: &[&str],
    none: &str,
) -> Result<&'a Value, Miss> {
    let line = |one: &&Value| {
        let texts: Vec<&str> = fields.iter().map(|field| text(one, field)).collect();
        format!("\n- {}", texts.join(", "))
    };
    match things {
        [one] => Ok(one),
        [] => Err(Miss::Nothing(none.into())),
        fit => {
            let listed: String = fit.iter().take(LISTED).map(line).collect();
            let all = fit.len();
            let asked = format!("{all} fit. Which one do you mean? I did nothing.{listed}");
            Err(Miss::Unfit(asked))
        }
    }
}
