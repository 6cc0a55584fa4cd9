//! Direct calls: a person names a tool and its arguments, and the run's two turns are generated.

use alfred_core::ports::{Finish, ToolCall, Turn, Usage};
use alfred_core::text;
use jiff::Timestamp;
use serde_json::Value;

use crate::model::{CallResult, DirectCall, NOTHING, Step, Unclear, Work};
use crate::store::journal::LoadedRun;

/// The next turn of a direct call or a fixed text. `None` if a model works on the run.
pub fn turn(loaded: &LoadedRun, now: Timestamp) -> Option<Turn> {
    let says = |text: String| (text, vec![], Finish::Stop);
    let (text, tool_calls, finish) = match (&loaded.run.work, result(loaded)) {
        (Work::Call(call), None) => {
            let call = ToolCall {
                id: "call_1".into(),
                name: call.tool.clone(),
                arguments: call.arguments.to_string(),
                echo: None,
            };
            (String::new(), vec![call], Finish::ToolCalls)
        }
        (Work::Call(call), Some(result)) => says(told(loaded, call, result)),
        (Work::Say { text, until, .. }, _) => {
            let is_stale = until.is_some_and(|until| until <= now);
            let text = if is_stale { NOTHING } else { text };
            says(text.to_owned())
        }
        (Work::Agent | Work::Program { .. }, _) => return None,
    };
    Some(Turn {
        text,
        tool_calls,
        finish,
        usage: Usage::default(),
        model: "direct".into(),
        refused: false,
    })
}

pub fn failed(loaded: &LoadedRun) -> bool {
    let call = matches!(loaded.run.work, Work::Call(_));
    call && !declined(loaded) && result(loaded).is_some_and(|result| !result.ok)
}

/// Whether the owner declined a call offered by a job. Its card says so already.
fn declined(loaded: &LoadedRun) -> bool {
    let last = result(loaded).and_then(|result| result.unclear);
    loaded.run.job.is_some() && last.is_some_and(Unclear::is_declined)
}

fn result(loaded: &LoadedRun) -> Option<&CallResult> {
    loaded.steps.iter().filter_map(Step::result).next_back()
}

fn told(loaded: &LoadedRun, call: &DirectCall, result: &CallResult) -> String {
    let output = &result.output;
    if declined(loaded) {
        return NOTHING.into();
    }
    if result.ok {
        let mut results = loaded.steps.iter().filter_map(Step::result);
        let changed = results.any(|one| one.changed);
        return match (&loaded.run.job, &call.consent, changed) {
            (Some(_), ..) => said(output).unwrap_or(NOTHING).into(),
            (None, None, false) => shown(output),
            (None, ..) => done(result),
        };
    }
    if result.unclear == Some(Unclear::Rejected) {
        return "Cancelled.".into();
    }
    said(output).map_or(text::UNEXPECTED.to_owned(), |error| {
        format!("That didn't work: {}.", error.trim_end_matches('.'))
    })
}

/// A result's text for the person: why it failed, or what a job found.
fn said(output: &Value) -> Option<&str> {
    output["say"].as_str().or(output["error"].as_str())
}

fn done(result: &CallResult) -> String {
    let output = &result.output;
    // The receipt of a call made of calls names what they left.
    let is_listed = result.changed || result.receipt.is_none();
    let parts = ["failed", "problems", "conflicts"].map(|name| output[name].as_array());
    let line = |one: &Value| {
        let why = said(one).or(one["reason"].as_str())?;
        let what = one["what"].as_str().or(one["block"]["title"].as_str());
        Some(what.map_or(format!("- {why}"), |what| format!("- {what}: {why}")))
    };
    let parts = parts.into_iter().filter(|_| is_listed).flatten();
    let lines: Vec<String> = parts.flatten().filter_map(line).collect();
    let problems = format!("This couldn't be done:\n{}", lines.join("\n"));
    match (output["summary"].as_str(), lines.is_empty()) {
        (said, true) => said.unwrap_or(text::DONE).to_owned(),
        (None, false) => problems,
        (Some(said), false) => format!("{said}\n{problems}"),
    }
}

fn shown(output: &Value) -> String {
    let mut fields = output.as_object().cloned().unwrap_or_default();
    fields.remove("success");
    if fields.is_empty() {
        return text::DONE.into();
    }
    let body = lines(&fields.into()).join("\n");
    let longest = body.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}\n{body}\n{fence}")
}

fn lines(value: &Value) -> Vec<String> {
    if let Some(text) = plain(value) {
        return vec![text];
    }
    let mut all = Vec::new();
    for (name, value) in value.as_object().into_iter().flatten() {
        match plain(value) {
            Some(text) => all.push(format!("{name}: {text}")),
            None => {
                all.push(format!("{name}:"));
                all.extend(lines(value).iter().map(|line| format!("  {line}")));
            }
        }
    }
    for item in value.as_array().into_iter().flatten() {
        let starts = std::iter::once("- ").chain(std::iter::repeat("  "));
        let lines = lines(item).into_iter().zip(starts);
        all.extend(lines.map(|(line, start)| format!("{start}{line}")));
    }
    all
}

fn plain(value: &Value) -> Option<String> {
    match value {
        Value::Null => Some("–".into()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::String(text) => Some(text.replace('\n', " ")),
        Value::Array(items) if items.is_empty() => Some("none".into()),
        Value::Object(fields) if fields.is_empty() => Some("none".into()),
        Value::Array(_) | Value::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn data_is_shown_field_by_field_and_stays_in_its_block() {
        let blocks = json!([{"id": "a", "tasks": [1, 2]}, {"id": "b", "tasks": []}]);
        let listed = "```\nblocks:\n  - id: a\n    tasks:\n      - 1\n      - 2\n  - id: b\n    tasks: none\ngone: –\nnone: none\n```";
        let noted = json!({"note": "a ```` b\n# c"});
        for (output, expected) in [
            (json!({"blocks": blocks, "none": [], "gone": null}), listed),
            (noted, "`````\nnote: a ```` b # c\n`````"),
            (json!({"success": true}), text::DONE),
        ] {
            assert_eq!(shown(&output), expected);
        }
    }
}
