//! Writes the outcome of a call as text: its receipt, data, taint and effects, or its error.

use super::json::{short, shown};
use crate::prelude::Result;
use crate::testing::*;
use alfred_agent::tool::Refusal;
use alfred_core::Failure;
use alfred_testkit::wording::is_for_people;

pub(super) fn of_call(outcome: &Result<ToolOutput>) -> String {
    match outcome {
        Ok(output) => of_output(output),
        Err(error) => of_error(error),
    }
}

/// The receipt in one line, the taint, the decisions, and the selected data.
pub(super) fn in_short(outcome: &Result<ToolOutput>, selected: &str) -> String {
    let output = match outcome {
        Ok(output) => output,
        Err(ToolError::Failed(why)) => return refusal(why).join("\n"),
        Err(error) => return of_error(error),
    };
    let mut lines = Vec::new();
    if let Some(receipt) = &output.receipt {
        let stays = receipt.undo.is_empty();
        let undo = if stays { ", no undo" } else { "" };
        lines.push(format!("✓ {} ({}){undo}", receipt.what, receipt.place));
    }
    if output.flow == Some(Flow::UNKNOWN) {
        lines.push("taints".to_owned());
    }
    let mut data = Value::Object(output.data.clone());
    for choice in &output.choices {
        let (id, revision, verdict) = (&choice.approval, choice.revision, choice.verdict);
        lines.push(format!("decides {id}, revision {revision}: {verdict:?}"));
        data["decided"] = json!(choice.arguments);
    }
    let selected = selected.split('|').map(str::trim);
    let selected = selected.filter(|part| !part.is_empty());
    lines.extend(selected.map(|part| select(&data, part)));
    lines.join("\n")
}

/// `path`, or `path: field field`. Items of a list get a line each.
fn select(data: &Value, part: &str) -> String {
    let (path, fields) = part.split_once(": ").unwrap_or((part, ""));
    let found = match path {
        "*" => data,
        path => data.pointer(&format!("/{path}")).unwrap_or(&Value::Null),
    };
    let text = |value: &Value| value.as_str().map_or(value.to_string(), str::to_owned);
    let field =
        |item: &Value, name: &str| item.pointer(&format!("/{name}")).map_or("-".into(), text);
    let row = |item: &Value| {
        let fields = fields.split(' ').map(|name| field(item, name));
        fields.collect::<Vec<String>>().join(" ")
    };
    match found {
        found if fields.is_empty() => format!("{path}: {}", text(found)),
        Value::Array(items) if items.is_empty() => "none".to_owned(),
        Value::Array(items) => items.iter().map(row).collect::<Vec<_>>().join("\n"),
        item => row(item),
    }
}

/// The texts of an error for the model and, if it differs, for the person.
fn refusal(why: &Refusal) -> Vec<String> {
    let person = why.clone().said();
    // The names of settings are for an administrator.
    if why.kind != Some("not_set_up") {
        is_for_people(&person);
    }
    let mut lines = vec![format!("error: {}", why.message)];
    if person != why.message {
        lines.push(format!("person: {person}"));
    }
    lines
}

fn of_output(output: &ToolOutput) -> String {
    let mut lines = Vec::new();
    if let Some(receipt) = &output.receipt {
        lines.push(format!("Receipt: {}", receipt.what));
        let undo: Vec<&str> = receipt.undo.iter().map(|call| &*call.tool).collect();
        for (label, value) in [
            ("at", receipt.place.clone()),
            ("id", receipt.provider_id.clone().unwrap_or_default()),
            ("link", receipt.link.clone().unwrap_or_default()),
            ("undone by", undo.join(", ")),
        ] {
            if !value.is_empty() {
                lines.push(format!("  {label} {value}"));
            }
        }
    }
    if let Some(flow) = output.flow {
        lines.push(format!("Brings: {}", of_flow(flow)));
    }
    if !output.writes.is_empty() {
        lines.push(format!("Writes: {}", output.writes.len()));
    }
    let sources = output.sources.iter();
    lines.extend(sources.map(|source| format!("Cites: {}", source.url)));
    lines.extend(buttons(&output.options));
    lines.push(shown(&Value::Object(output.data.clone())));
    lines.join("\n")
}

fn of_flow(flow: Flow) -> String {
    let parts = [
        (flow.private, "private"),
        (flow.untrusted, "untrusted"),
        (flow.leaves, "leaves"),
        (flow.steers, "steers"),
    ];
    let parts = parts.iter().filter(|(is, _)| *is).map(|(_, name)| *name);
    match parts.collect::<Vec<_>>().join(" ").as_str() {
        "" => "nothing".to_owned(),
        parts => parts.to_owned(),
    }
}

fn buttons(options: &[String]) -> Option<String> {
    (!options.is_empty()).then(|| format!("Buttons: {}", options.join(" | ")))
}

pub(super) fn of_error(error: &ToolError) -> String {
    match error {
        ToolError::Failed(why) => {
            let texts = refusal(why).into_iter();
            let mut lines: Vec<String> = texts.map(|text| short(&text)).collect();
            if let Some(kind) = why.kind {
                lines.push(format!("kind: {kind}"));
            }
            lines.extend(why.flow.map(|flow| format!("Brings: {}", of_flow(flow))));
            lines.extend(buttons(&why.options));
            if !why.data.is_empty() {
                lines.push(shown(&Value::Object(why.data.clone())));
            }
            lines.join("\n")
        }
        ToolError::Stop(Failure::Retry { after, .. }) => match after {
            Some(after) => format!("Is tried again in {} s.", after.as_secs()),
            None => "Is tried again later.".to_owned(),
        },
        ToolError::Unknown(_) => "Nobody knows whether it happened.".to_owned(),
        other => panic!("{other:?}"),
    }
}

pub(super) fn of_look(outcome: &Result<Settled>) -> String {
    match outcome {
        Ok(Settled::Done(output)) => format!("Was done.\n{}", of_output(output)),
        Ok(Settled::NotDone) => "Was not done.".to_owned(),
        Ok(Settled::Unknown) => "Nobody knows whether it was done.".to_owned(),
        Err(error) => of_error(error),
    }
}

pub(super) fn of_gate(required: &Requirement) -> String {
    match required {
        Requirement::Skip => "Is not asked.".to_owned(),
        Requirement::NeedsApproval(reasons) => {
            let name = |reason: &Reason| {
                let name = format!("{reason:?}");
                let end = name.find([' ', '{', '(']).unwrap_or(name.len());
                name[..end].to_owned()
            };
            let names: Vec<String> = reasons.iter().map(name).collect();
            format!("Is asked: {}.", names.join(", "))
        }
        other => format!("{other:?}"),
    }
}
