//! Block Kit with Slack's limits (docs.slack.dev/reference/block-kit). Kinds that the schema doesn't list are refused:
//! a typo must not pass here and fail in Slack.

use jsonschema::Validator;
use serde_json::Value;
use std::collections::HashSet;
use std::sync::LazyLock;

pub(crate) mod elements;
pub(crate) mod files;

/// Characters of the blocks' JSON together, measured by users of `chat.postMessage`
/// (github.com/slackapi/bolt-js/issues/2509). Slack documents no limit.
pub const BLOCKS_CHARACTERS: usize = 13_200;

const SCHEMA: &str = include_str!("blocks/blocks.schema.json");

pub(crate) type Schema = LazyLock<Result<Validator, String>>;

static BLOCKS: Schema = LazyLock::new(|| schema("blocks"));
pub(crate) static VIEW: Schema = LazyLock::new(|| schema("view"));
pub(crate) static HOME: Schema = LazyLock::new(|| schema("home"));

fn schema(definition: &str) -> Result<Validator, String> {
    let mut schema: Value = serde_json::from_str(SCHEMA).map_err(|error| error.to_string())?;
    schema["$ref"] = format!("#/$defs/{definition}").into();
    jsonschema::validator_for(&schema).map_err(|error| error.to_string())
}

/// What is wrong and where, one line each. `at` is the JSON pointer of the value.
pub(crate) fn errors(schema: &Schema, at: &str, value: &Value) -> Vec<String> {
    let line = |error: jsonschema::ValidationError<'_>| {
        let at = format!("{at}{}", error.instance_path());
        wrong(&at, &error.masked().to_string())
    };
    match &**schema {
        Ok(schema) => schema.iter_errors(value).map(line).collect(),
        Err(error) => vec![error.clone()],
    }
}

pub(crate) fn wrong(at: &str, what: &str) -> String {
    format!("{what} [json-pointer:{at}]")
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surface {
    Message,
    View,
}

/// Checks blocks and adds the ids that Slack adds. Doesn't check that their files exist. The error has one line for
/// each problem, as in Slack's `response_metadata.messages`.
pub fn check(blocks: &[Value], surface: Surface) -> Result<Vec<Value>, Vec<String>> {
    let mut blocks = blocks.to_vec();
    let mut found = errors(&BLOCKS, "/blocks", &Value::from(&*blocks));
    let most = match surface {
        Surface::Message => 50,
        Surface::View => 100,
    };
    if blocks.len() > most {
        let what = format!("no more than {most} items allowed");
        found.push(wrong("/blocks", &what));
    }
    let mut ids = HashSet::new();
    for (index, block) in blocks.iter_mut().enumerate() {
        let at = format!("/blocks/{index}");
        let Some(block) = block.as_object_mut() else {
            continue;
        };
        if surface == Surface::View && block.get("type") == Some(&"context_actions".into()) {
            let at = format!("{at}/type");
            found.push(wrong(&at, "unsupported type: context_actions"));
        }
        if elements::repeats_action_id(block) {
            found.push(wrong(&at, "action_id must be unique within the block"));
        }
        let id = block.entry("block_id");
        let id = id.or_insert_with(|| format!("b{index}").into());
        if !ids.insert(id.to_string()) {
            found.push(wrong(&at, "block_id must be unique within the message"));
        }
        elements::name(block, index);
    }
    if found.is_empty() {
        Ok(blocks)
    } else {
        Err(found)
    }
}

/// Characters of the blocks' JSON together, as [`BLOCKS_CHARACTERS`] counts.
pub fn size(blocks: &[Value]) -> usize {
    let each = blocks.iter().map(|block| block.to_string().chars().count());
    each.sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn text(kind: &str, length: usize) -> Value {
        json!({"type": kind, "text": "é".repeat(length)})
    }

    fn section(length: usize) -> Value {
        json!({"type": "section", "text": text("mrkdwn", length)})
    }

    fn wrong(blocks: &[Value]) -> String {
        check(blocks, Surface::Message).unwrap_err().join("\n")
    }

    #[test]
    fn limits_hold_at_their_edge() {
        let file = json!({"id": "F1"});
        let header = |n| json!({"type": "header", "text": text("plain_text", n)});
        let image = |n| json!({"type": "image", "alt_text": "x".repeat(n), "slack_file": file});
        let button = |n| {
            let button = json!({"type": "button", "text": text("plain_text", n)});
            json!({"type": "actions", "elements": [button]})
        };
        let fits = |block: Value| check(&[block], Surface::Message).is_ok();
        for (block, most) in [
            (&section as &dyn Fn(usize) -> Value, 3000),
            (&header, 150),
            (&image, 2000),
            (&button, 75),
        ] {
            assert!(fits(block(most)) && fits(block(1)), "{most}");
            assert!(!fits(block(most + 1)) && !fits(block(0)), "{most}");
        }
        assert!(check(&vec![section(1); 50], Surface::Message).is_ok());
        assert!(wrong(&vec![section(1); 51]).contains("no more than 50"));
        assert!(check(&vec![section(1); 100], Surface::View).is_ok());
    }
}
