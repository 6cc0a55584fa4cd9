//! Markdown files of other agents (code.claude.com/docs/en/sub-agents), read as worker files. A file has `name`,
//! `description`, `tools`, `model`, `maxTurns`, `skills`, and the prompt as its body.

use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::path::Path;

use crate::counterpart;
use crate::file::{WorkerFile, split};
use crate::models;

pub(crate) fn is_agent_file(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|end| end == "md")
}

/// The worker of the front matter of the file at `path`, without its body. The error is the reason.
pub(crate) fn worker(path: &str, yaml: &str) -> Result<WorkerFile, String> {
    if !is_agent_file(path) {
        return serde_saphyr::from_str(yaml).map_err(|error| error.to_string());
    }
    let (fields, _) = translated(path, yaml)?;
    serde_json::from_value(fields.into()).map_err(|error| error.to_string())
}

/// What is left out of another agent's file, one line each. Empty for a worker file.
pub fn left_out(path: &str, text: &str) -> Vec<String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let front = split(text).filter(|_| is_agent_file(path));
    let translated = front.and_then(|(yaml, _)| translated(path, yaml).ok());
    translated.map_or_else(Vec::new, |(_, left_out)| left_out)
}

/// The fields of a worker file, and what has no counterpart there.
fn translated(path: &str, yaml: &str) -> Result<(Map<String, Value>, Vec<String>), String> {
    let theirs = serde_saphyr::from_str::<Map<String, Value>>(&as_yaml(path, yaml));
    let theirs = theirs.map_err(|error| error.to_string())?;
    let (mut ours, mut left_out) = (Map::new(), Vec::new());
    let mut toolsets = Map::new();
    for (field, value) in &theirs {
        match field.as_str() {
            "name" | "description" => drop(ours.insert(field.clone(), value.clone())),
            "maxTurns" => drop(ours.insert("limits".into(), json!({ "max_iterations": value }))),
            "skills" => drop(toolsets.insert("skills".into(), json!({ "allowed": words(value) }))),
            "tools" => {
                let unknown = |tool: &String| !taken(tool, &mut toolsets);
                let unknown = words(value).into_iter().filter(unknown);
                left_out
                    .extend(unknown.map(|tool| format!("tools: {tool} has no counterpart here")));
            }
            "model" if *value == json!("inherit") => {}
            "model" => {
                let name = value.as_str().unwrap_or_default();
                if models::is_name(name).is_ok() {
                    ours.insert(field.clone(), value.clone());
                } else {
                    left_out.push(format!(
                        "model: {name} names no provider; write it as provider:model"
                    ));
                }
            }
            _ => left_out.push(format!("{field}: has no counterpart here")),
        }
    }
    if !theirs.contains_key("tools") {
        left_out.push("tools: left out, which there means every tool; here it has none".into());
    }
    if !toolsets.is_empty() {
        ours.insert("toolsets".into(), Value::Object(toolsets));
    }
    Ok((ours, left_out))
}

/// Front matter with quotes around a value of another agent's file that isn't valid YAML without them, usually
/// because of a colon. Lines keep their numbers, and fields their columns.
pub(crate) fn as_yaml<'a>(path: &str, yaml: &'a str) -> Cow<'a, str> {
    let is_yaml = |text: &str| serde_saphyr::from_str::<Map<String, Value>>(text).is_ok();
    if !is_agent_file(path) || is_yaml(yaml) {
        return yaml.into();
    }
    let mut fields: Vec<String> = Vec::new();
    for line in yaml.lines() {
        match fields.last_mut() {
            Some(field) if line.is_empty() || line.starts_with([' ', '\t', '-', '#']) => {
                field.push('\n');
                field.push_str(line);
            }
            _ => fields.push(line.to_owned()),
        }
    }
    for field in &mut fields {
        let (line, empty) = field.split_at(field.trim_end().len());
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        if let Some((name, words)) = line.split_once(": ")
            && name.chars().all(plain)
            && !words.contains('\n')
            && !is_yaml(field)
        {
            *field = format!("{name}: {}{empty}", json!(words.trim()));
        }
    }
    fields.join("\n").into()
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
fn taken(theirs: &str, toolsets: &mut Map<String, Value>) -> bool {
    let Some((toolset, tool)) = counterpart::of(theirs) else {
        return false;
    };
    let no_tools = || json!({ "tools": [] });
    let set = toolsets.entry(toolset).or_insert_with(no_tools);
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
    use crate::problem::of_worker;
    use crate::registry::Registry;
    use alfred_testkit::cases;

    /// The worker, and what is left out of its file.
    fn read(text: &str) -> (WorkerFile, Vec<String>) {
        let file = WorkerFile::parse("a.md", text).unwrap();
        (file, left_out("a.md", text))
    }

    #[test]
    fn fields_with_a_counterpart_are_read_and_the_others_are_named() {
        let text = "---\nname: scout\ndescription: \"Looks things up: on the web\"\ntools: WebSearch, WebFetch, Bash, Task\nmodel: opus\nmaxTurns: 3\nhooks: {}\n---\n\nYou look things up.\n";
        let (file, mut left_out) = read(text);
        let expected = "---\nname: scout\ndescription: \"Looks things up: on the web\"\nlimits: {max_iterations: 3}\ntoolsets: {web: {tools: [web_search, web_readPage]}}\n---\nYou look things up.\n";
        assert_eq!(file, WorkerFile::parse("a.worker", expected).unwrap());
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
        assert!(crate::alone(&file, &Registry::of(&catalogue)).is_ok());
    }

    #[test]
    fn a_colon_without_quotes_is_text() {
        let text = "---\nname: scout\ndescription: Use it to look up. Examples: <a>user: \"Who?\"</a> # 1\ntools:\n  - WebSearch\n  - WebFetch\n\nmodel: inherit\n---\nx";
        let (file, left_out) = read(text);
        assert_eq!(left_out, [""; 0]);
        let expected = "Use it to look up. Examples: <a>user: \"Who?\"</a> # 1";
        assert_eq!(file.description, expected);
        let tools = json!({ "tools": ["web_search", "web_readPage"] });
        assert_eq!(file.toolsets["web"], Some(tools));
    }

    #[test]
    fn a_file_without_tools_has_none() {
        let (file, _) = read("---\nname: a\nmodel: openai:gpt-5.2\n---\nx");
        assert_eq!(file.model.as_deref(), Some("openai:gpt-5.2"));
        let (file, left_out) = read("---\nname: a\nmodel: inherit\n---\nx");
        let expected = "tools: left out, which there means every tool; here it has none";
        assert_eq!(left_out, [expected]);
        assert!(file.toolsets.is_empty() && file.model.is_none());
    }

    #[test]
    fn errors_have_their_place_in_the_file() {
        cases::check(include_str!("agent_file_cases.txt"), |text| {
            let problems = of_worker("a.md", text);
            let lines = problems.iter().map(ToString::to_string);
            lines.collect::<Vec<_>>().join("\n")
        });
    }
}
