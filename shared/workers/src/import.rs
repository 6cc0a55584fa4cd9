//! Converts other agents' Markdown files (code.claude.com/docs/en/sub-agents) to worker files. Lists what has
//! no counterpart here.

use serde_json::{Map, Value, json};
use std::fmt::Write;

use crate::counterpart;
use crate::file::{FileError, WorkerFile, split};
use crate::models;
use crate::registry::Registry;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    pub worker: String,
    /// What was left out, one line each.
    pub left_out: Vec<String>,
}

/// Converts a Markdown file with `name`, `description`, `tools`, `model` and the prompt as its body. `path`
/// is for errors. An error if the front matter is invalid, or the name or the prompt is missing.
pub fn import(path: &str, text: &str, registry: &Registry<'_>) -> Result<Imported, FileError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (yaml, body) = split(text).ok_or_else(|| FileError::Unclosed { path: path.into() })?;
    let wrong = |error: serde_saphyr::Error| FileError::Yaml {
        path: path.into(),
        detail: error.to_string(),
    };
    let theirs = match serde_saphyr::from_str::<Map<String, Value>>(yaml) {
        Ok(fields) => fields,
        Err(error) => by_line(yaml).ok_or_else(|| wrong(error))?,
    };
    let (mut ours, mut left_out) = (Map::new(), Vec::new());
    let mut toolsets = Map::new();
    for (field, value) in &theirs {
        match field.as_str() {
            "name" | "description" => drop(ours.insert(field.clone(), value.clone())),
            "maxTurns" => drop(ours.insert("limits".into(), json!({ "max_iterations": value }))),
            "skills" => drop(toolsets.insert("skills".into(), json!({ "allowed": words(value) }))),
            "tools" => {
                let unknown = |tool: &String| !taken(tool, registry, &mut toolsets);
                let unknown = words(value).into_iter().filter(unknown);
                left_out
                    .extend(unknown.map(|tool| format!("tools: {tool} has no counterpart here")));
            }
            "model" if *value == json!("inherit") => {}
            "model"
                if value
                    .as_str()
                    .is_some_and(|name| models::is_name(name).is_ok()) =>
            {
                drop(ours.insert(field.clone(), value.clone()));
            }
            "model" => left_out.push(format!(
                "model: {} names no provider; write it as provider:model",
                value.as_str().unwrap_or_default()
            )),
            _ => left_out.push(format!("{field}: has no counterpart here")),
        }
    }
    if !theirs.contains_key("tools") {
        left_out.push("tools: left out, which there means every tool; here it has none".into());
    }
    if !toolsets.is_empty() {
        ours.insert("toolsets".into(), Value::Object(toolsets));
    }
    let mut worker = String::from("---\n");
    for (field, value) in &ours {
        // JSON is valid YAML, and writing to a string can't fail.
        let _ = writeln!(worker, "{field}: {value}");
    }
    let _ = write!(worker, "---\n{}\n", body.trim());
    WorkerFile::parse(path, &worker)?;
    Ok(Imported { worker, left_out })
}

/// Parses front matter field by field. A line that isn't valid YAML, usually because of a colon in the
/// description, becomes text. `None` if that fails too.
fn by_line(yaml: &str) -> Option<Map<String, Value>> {
    let mut texts: Vec<String> = Vec::new();
    for line in yaml.lines() {
        match texts.last_mut() {
            Some(text) if line.is_empty() || line.starts_with([' ', '\t', '-', '#']) => {
                text.push('\n');
                text.push_str(line);
            }
            _ => texts.push(line.to_owned()),
        }
    }
    let mut fields = Map::new();
    for text in texts {
        let read = serde_saphyr::from_str::<Map<String, Value>>(&text);
        let read = read.ok().or_else(|| {
            let (name, words) = text.trim_end().split_once(": ")?;
            let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
            let is_line = name.chars().all(plain) && !words.contains('\n');
            is_line.then(|| Map::from_iter([(name.to_owned(), words.trim().into())]))
        })?;
        for (name, value) in read {
            if fields.insert(name, value).is_some() {
                return None;
            }
        }
    }
    Some(fields)
}

/// A list, or comma-separated words.
fn words(value: &Value) -> Vec<String> {
    let words: Vec<&str> = match value {
        Value::String(words) => words.split(',').map(str::trim).collect(),
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let named = words.into_iter().filter(|word| !word.is_empty());
    named.map(str::to_owned).collect()
}

/// Adds the counterpart of a tool to the toolsets. False if it has none.
fn taken(theirs: &str, registry: &Registry<'_>, toolsets: &mut Map<String, Value>) -> bool {
    let Some((toolset, tool)) = counterpart::of(theirs) else {
        return false;
    };
    if registry.get(toolset).is_none() {
        return false;
    }
    let set = toolsets
        .entry(toolset)
        .or_insert_with(|| json!({ "tools": [] }));
    if let Some(Value::Array(tools)) = set.get_mut("tools")
        && !tools.contains(&tool.into())
    {
        tools.push(tool.into());
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn imported(text: &str) -> Result<Imported, String> {
        let catalogue = alfred_tools::catalogue();
        let made = import("a.md", text, &Registry::of(&catalogue));
        made.map_err(|error| error.to_string().lines().next().unwrap().to_owned())
    }

    #[test]
    fn what_has_a_counterpart_is_taken_over_and_the_rest_is_named() {
        let text = "---\nname: scout\ndescription: \"Looks things up: on the web\"\ntools: WebSearch, WebFetch, Bash, Task\nmodel: opus\nmaxTurns: 3\nhooks: {}\n---\n\nYou look things up.\n";
        let made = imported(text).unwrap();
        let expected = "---\ndescription: \"Looks things up: on the web\"\nlimits: {\"max_iterations\":3}\nname: \"scout\"\ntoolsets: {\"web\":{\"tools\":[\"web_search\",\"web_readPage\"]}}\n---\nYou look things up.\n";
        let lines = |text: &str| {
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            lines.sort();
            lines
        };
        assert_eq!(lines(&made.worker), lines(expected));
        let mut left_out = made.left_out;
        left_out.sort();
        assert_eq!(
            left_out,
            [
                "hooks: has no counterpart here",
                "model: opus names no provider; write it as provider:model",
                "tools: Bash has no counterpart here",
                "tools: Task has no counterpart here",
            ]
        );
        let catalogue = alfred_tools::catalogue();
        let file = WorkerFile::parse("a.worker", &made.worker).unwrap();
        assert!(crate::alone(&file, &Registry::of(&catalogue)).is_ok());
    }

    #[test]
    fn a_colon_without_quotes_is_text() {
        let text = "---\nname: scout\ndescription: Use it to look up. Examples: <a>user: \"Who?\"</a> # 1\ntools:\n  - WebSearch\n  - WebFetch\n\nmodel: inherit\n---\nx";
        let made = imported(text).unwrap();
        assert_eq!(made.left_out, [""; 0]);
        let file = WorkerFile::parse("a.worker", &made.worker).unwrap();
        assert_eq!(
            file.description,
            "Use it to look up. Examples: <a>user: \"Who?\"</a> # 1"
        );
        assert!(made.worker.contains(r#"["web_search","web_readPage"]"#));
        for text in [
            "---\nname: a\ndescription: a: b\ndescription: c: d\n---\nx",
            "---\nname: a\ndescription: a: b\n  c: d\n---\nx",
            "---\nname: a\ntwo words: a: b\n---\nx",
            "---\nname: a\nnothing\n---\nx",
        ] {
            assert!(imported(text).unwrap_err().starts_with("a.md: "), "{text}");
        }
    }

    #[test]
    fn no_tools_are_none_and_what_cannot_be_used_is_an_error() {
        let made = imported("---\nname: a\nmodel: openai:gpt-5.2\n---\nx").unwrap();
        assert!(made.worker.contains("model: \"openai:gpt-5.2\"\n"));
        let made = imported("---\nname: a\nmodel: inherit\n---\nx").unwrap();
        assert_eq!(
            made.left_out,
            ["tools: left out, which there means every tool; here it has none"]
        );
        assert!(!made.worker.contains("toolsets"));
        for (text, expected) in [
            (
                "---\nname: a\n---\n",
                "a.md: no instructions; write them as the body, or as `instructions:`",
            ),
            (
                "---\nname: a\n",
                "a.md: the front matter starts with `---` and has no closing `---`",
            ),
            (
                "---\nname: a\nmaxTurns: 0\n---\nx",
                "a.md: limits.max_iterations: must be at least 1",
            ),
        ] {
            assert_eq!(imported(text).unwrap_err(), expected);
        }
        assert!(
            imported("---\ndescription: d\n---\nx")
                .unwrap_err()
                .contains("name")
        );
    }
}
