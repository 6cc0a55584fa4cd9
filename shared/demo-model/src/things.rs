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

/// The only thing that fits, or what is said where none or several do.
pub(crate) fn one<'a>(
    things: &[&'a Value],
    fields: &[&str],
    none: &str,
) -> Result<&'a Value, String> {
    let line = |one: &&Value| {
        let texts: Vec<&str> = fields.iter().map(|field| text(one, field)).collect();
        format!("\n- {}", texts.join(", "))
    };
    match things {
        [one] => Ok(one),
        [] => Err(none.into()),
        fit => {
            let listed = fit.iter().take(LISTED).map(line).collect::<String>();
            Err(format!(
                "{} fit. Which one do you mean? I did nothing.{listed}",
                fit.len()
            ))
        }
    }
}
