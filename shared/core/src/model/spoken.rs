//! Request parts that are the same for all providers.

use serde_json::{Value, json};
use std::borrow::Cow;

/// A schema as an instruction, for models without structured output.
pub fn in_words(schema: &Value) -> String {
    format!(
        "Answer with one JSON object and nothing else. It must be valid against this JSON schema: {schema}"
    )
}

/// Whether OpenAI's strict mode accepts a schema: objects must be closed and all properties
/// required. See <https://platform.openai.com/docs/guides/structured-outputs#supported-schemas>.
pub fn allows_strict(schema: &Value) -> bool {
    match schema {
        Value::Object(map) => {
            let closed = match map.get("properties") {
                Some(Value::Object(properties)) => {
                    let required = map.get("required").and_then(Value::as_array);
                    map.get("additionalProperties") == Some(&Value::Bool(false))
                        && required.is_some_and(|required| {
                            properties
                                .keys()
                                .all(|key| required.iter().any(|name| name == key.as_str()))
                        })
                }
                _ => true,
            };
            closed && map.values().all(allows_strict)
        }
        Value::Array(items) => items.iter().all(allows_strict),
        _ => true,
    }
}

/// Arguments of past calls as valid JSON. Several servers refuse the whole conversation if they are
/// invalid, so invalid ones are quoted.
pub fn sendable(arguments: &str) -> Cow<'_, str> {
    if arguments.trim().is_empty() {
        return Cow::Borrowed("{}");
    }
    match serde_json::from_str::<serde::de::IgnoredAny>(arguments) {
        Ok(_) => Cow::Borrowed(arguments),
        Err(_) => Cow::Owned(quoted(arguments).to_string()),
    }
}

/// Like [`sendable`], as a JSON object.
pub fn sendable_object(arguments: &str) -> Value {
    match serde_json::from_str(&sendable(arguments)) {
        Ok(object @ Value::Object(_)) => object,
        _ => quoted(arguments),
    }
}

fn quoted(arguments: &str) -> Value {
    json!({ "invalid_json": arguments })
}

/// A name or id with only characters that every provider accepts. Ids of other providers may contain others.
pub fn plain(name: &str) -> Cow<'_, str> {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
    if !name.is_empty() && name.len() <= 64 && name.chars().all(fits) {
        return Cow::Borrowed(name);
    }
    let letters = name.chars();
    let letters = letters.map(|letter| if fits(letter) { letter } else { '_' });
    // The end of an id distinguishes it from others.
    let from = name.chars().count().saturating_sub(64);
    let letters = letters.skip(from).chain(name.is_empty().then_some('_'));
    Cow::Owned(letters.collect())
}

/// Whether an error message says that the conversation is too long. Expects lower case.
pub fn is_about_length(message: &str) -> bool {
    [
        "context length",
        "context window",
        "context size",
        "context limit",
        "maximum context",
        "maximum number of tokens",
        "reduce the length",
        "input is too long",
        "too many tokens",
        "too many input tokens",
        "prompt is too long",
        // The request alone exceeds the tokens per minute, so waiting doesn't help.
        "request too large",
    ]
    .iter()
    .any(|words| message.contains(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_arguments_go_back_as_valid_json() {
        for (arguments, back) in [
            ("{\"a\":1}", json!({"a": 1})),
            (" ", json!({})),
            ("{\"a\":", json!({"invalid_json": "{\"a\":"})),
            ("[1]", json!({"invalid_json": "[1]"})),
        ] {
            assert_eq!(sendable_object(arguments), back);
        }
        assert_eq!(sendable("[1]"), "[1]");
        assert_eq!(sendable("{\"a\":"), r#"{"invalid_json":"{\"a\":"}"#);
    }

    #[test]
    fn names_are_made_of_letters_that_all_take() {
        assert_eq!(plain("toolu_01-a"), "toolu_01-a");
        assert_eq!(plain("functions.now:0"), "functions_now_0");
        assert_eq!(plain(""), "_");
        assert_eq!(plain(&format!("{}1", "é".repeat(80))).len(), 64);
    }

    #[test]
    fn only_closed_schemas_are_strict() {
        let open = json!({"type":"object","properties":{"a":{"type":"string"}}});
        assert!(!allows_strict(&open));
        let closed = json!({"type":"object","additionalProperties":false,"required":["a"],
            "properties":{"a":{"type":"object","additionalProperties":false,"required":[],"properties":{}}}});
        assert!(allows_strict(&closed));
        let half = json!({"type":"object","additionalProperties":false,"required":["a"],"properties":{"a":open}});
        assert!(!allows_strict(&half));
    }
}
