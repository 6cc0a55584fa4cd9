//! `/alfred run TOOL key=value …`: calls one tool without a model.

use alfred_agent::tool::{SharedTool, without_nulls};
use alfred_agent::{DirectCall, Toolbox};
use alfred_core::Result;
use serde_json::{Map, Value};
use std::sync::LazyLock;
use thiserror::Error;

use values::Pairs;

mod values;

const RUN_USAGE: &str = "I didn't get that. Try `/alfred run schedule_viewSchedule date=tomorrow`, with quotes around words that belong together.";

const WORD: &str = "run";
const NEAR: f64 = 0.8;
const SUGGESTIONS: usize = 3;

/// Schemas to check arguments against. The catalogue's own tests check that names are unique.
static TOOLS: LazyLock<Toolbox> =
    LazyLock::new(|| Toolbox::new(alfred_tools::catalogue()).unwrap_or_default());

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Mistake {
    #[error("{RUN_USAGE}")]
    Unreadable,
    #[error("{}", no_such_tool(name, near))]
    Unknown { name: String, near: Vec<String> },
    #[error("{tool} can't take that: {wrong}.")]
    Arguments { tool: String, wrong: String },
}

fn no_such_tool(name: &str, near: &[String]) -> String {
    if near.is_empty() {
        return format!("There is no tool called {name}.");
    }
    let near = near.join(", ");
    format!("There is no tool called {name}. Did you mean {near}?")
}

fn wrong(tool: &str, wrong: impl Into<String>) -> Mistake {
    let (tool, wrong) = (tool.to_owned(), wrong.into());
    Mistake::Arguments { tool, wrong }
}

/// Parses a command's text. `None` if it is a request in words, such as "run through my day".
pub fn read(command: &str) -> Option<Result<DirectCall, Mistake>> {
    let rest = command.trim().strip_prefix(WORD)?;
    let rest = rest.strip_prefix(char::is_whitespace)?.trim_start();
    let (name, arguments) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    if !is_tool_name(name) {
        return None;
    }
    let arguments = arguments.trim();
    Some(if arguments.starts_with('{') {
        from_json(name, arguments)
    } else {
        from_pairs(name, arguments)
    })
}

/// Empty text means no arguments.
pub fn from_json(name: &str, arguments: &str) -> Result<DirectCall, Mistake> {
    known(name)?;
    let written = match arguments.trim() {
        "" => "{}",
        text => text,
    };
    let arguments: Value = serde_json::from_str(written)
        .map_err(|error| wrong(name, format!("the arguments are not valid JSON ({error})")))?;
    checked(name, arguments)
}

/// The arguments as a person would write them. An unknown tool returns them unchanged.
pub(crate) fn wished(name: &str, arguments: &Value) -> Value {
    let proposal = TOOLS.get(name).and_then(|tool| tool.proposal());
    let wished = proposal.and_then(|proposal| proposal.wished(arguments).ok());
    wished.unwrap_or_else(|| arguments.clone())
}

fn from_pairs(name: &str, written: &str) -> Result<DirectCall, Mistake> {
    let schema = known(name)?.schema();
    let mut arguments = Map::new();
    for pair in Pairs(written) {
        let (field, value) = pair.map_err(|word| {
            wrong(name, format!("\"{word}\" belongs to no field; write field=value, with quotes around several words"))
        })?;
        let value = value.typed(&schema["properties"][field]);
        if arguments.insert(field.to_owned(), value).is_some() {
            return Err(wrong(name, format!("{field} is there twice")));
        }
    }
    checked(name, Value::Object(arguments))
}

fn known(name: &str) -> Result<&'static SharedTool, Mistake> {
    TOOLS.get(name).ok_or_else(|| Mistake::Unknown {
        name: name.into(),
        near: near(name),
    })
}

fn checked(name: &str, arguments: Value) -> Result<DirectCall, Mistake> {
    let arguments = without_nulls(arguments);
    match TOOLS.check(name, &arguments) {
        Ok(()) => Ok(DirectCall {
            tool: name.into(),
            arguments,
            ..DirectCall::default()
        }),
        Err(error) => Err(wrong(name, error.trim_start_matches("bad arguments: "))),
    }
}

/// Matches `category_verbNoun`. Anything else after "run" is a request in words.
fn is_tool_name(word: &str) -> bool {
    let part = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric());
    word.split_once('_')
        .is_some_and(|(category, verb)| part(category) && part(verb))
}

fn near(name: &str) -> Vec<String> {
    let wanted = name.to_lowercase();
    let tools = alfred_tools::catalogue();
    let rated = tools.iter().map(|tool| {
        let name = &tool.def().name;
        let likeness = strsim::jaro_winkler(&wanted, &name.to_lowercase());
        (likeness, name.to_string())
    });
    let mut rated: Vec<(f64, String)> = rated.filter(|(likeness, _)| *likeness >= NEAR).collect();
    rated.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let nearest = rated.into_iter().take(SUGGESTIONS);
    nearest.map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn arguments(command: &str) -> Value {
        read(command).unwrap().unwrap().arguments
    }

    fn mistake(command: &str) -> String {
        read(command).unwrap().unwrap_err().to_string()
    }

    #[test]
    fn values_take_the_types_of_the_schema() {
        assert_eq!(
            arguments("run task_createTask title=\"Call Ana\" estimatedMinutes=45 priority=high"),
            json!({"title": "Call Ana", "estimatedMinutes": 45, "priority": "high"})
        );
        assert_eq!(arguments("run task_createTask title=2026")["title"], "2026");
        assert_eq!(arguments("run  time_now"), json!({}));
    }

    #[test]
    fn json_is_taken_as_it_is() {
        let call = read("run task_createTask {\"title\": \"a=b c\"}").unwrap();
        let call = call.unwrap();
        assert_eq!(call.tool, "task_createTask");
        assert_eq!(call.arguments, json!({"title": "a=b c"}));
        let words = mistake("run task_createTask {\"title\": ");
        assert!(words.contains("valid JSON"), "{words}");
        assert!(mistake("run task_createTask {\"title\": 7}").contains("title"));
    }

    #[test]
    fn requests_in_words_are_left_to_the_model() {
        for request in "run|run through my day|running late|runtime_now|time_now|".split('|') {
            assert_eq!(read(request), None, "{request}");
        }
    }

    #[test]
    fn mistakes_name_the_field_or_near_tools() {
        let unknown = mistake("run task_creatTask title=x");
        assert!(unknown.contains("task_createTask"), "{unknown}");
        assert!(mistake("run zebra_ride").ends_with("zebra_ride."));
        for (fields, part) in [
            ("titel=x", "titel"),
            ("", "title"),
            ("title=x estimatedMinutes=soon", "estimatedMinutes"),
            ("title=Call Ana", "\"Ana\""),
            ("title=a title=b", "title is there twice"),
        ] {
            let words = mistake(&format!("run task_createTask {fields}"));
            assert!(words.contains(part), "{fields}: {words}");
        }
    }
}
