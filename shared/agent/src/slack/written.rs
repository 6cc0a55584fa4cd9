//! A call's arguments as text that its owner edits, and the arguments that an edit gives.

use jiff::civil::DateTime;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::slice;

use crate::model::{Approval, InputChoice, Preview, argument, in_words, points};

/// A moment as people write it.
const MOMENT: &str = "%a %-d %b %H:%M";

/// An argument that its owner may edit.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Written {
    pub name: String,
    pub label: String,
    /// Of a choice its label.
    pub text: String,
    pub choices: Vec<InputChoice>,
}

impl Written {
    fn new(preview: &Preview, name: &str, value: &Value) -> Self {
        let input = preview.inputs.iter().find(|it| it.argument == name);
        let mut choices = input.map_or_else(Vec::new, |input| input.choices.clone());
        if value.is_boolean() {
            let both = [("true", "Yes"), ("false", "No")];
            choices = both.map(InputChoice::from).into();
        }
        let given = argument(value);
        let chosen = choices.iter().find(|choice| choice.value == given);
        let text = chosen.map(|choice| choice.label.clone());
        let label = match input {
            Some(input) if !input.label.is_empty() => input.label.clone(),
            _ => in_words(name),
        };
        Self {
            name: name.to_owned(),
            label: people(preview, value).map_or(label, |(label, _)| label.to_owned()),
            choices: text.as_ref().map_or_else(Vec::new, |_| choices),
            text: text.unwrap_or_else(|| joined(&texts(preview, value))),
        }
    }

    /// For a terminal, with the other choices.
    pub fn line(&self) -> String {
        let others = self.choices.iter().filter(|it| it.label != self.text);
        let others: String = others.map(|it| format!(", or: {}", it.label)).collect();
        format!("{}: {}{others}", self.label, self.text)
    }

    pub fn chosen(&self) -> Option<&InputChoice> {
        self.choices.iter().find(|choice| choice.label == self.text)
    }
}

/// The editable arguments. Empty for a proposal, whose parts are chosen instead.
pub fn written(approval: &Approval) -> Vec<Written> {
    let inputs = &approval.preview.inputs;
    let is_listed = |name: &str| inputs.is_empty() || inputs.iter().any(|it| it.argument == name);
    let all = approval.payload.as_object().into_iter().flatten();
    let all = all.filter(|(name, value)| is_listed(name) && is_written(name, value));
    let all = all.filter(|_| !approval.is_proposal());
    let all = all.map(|(name, value)| Written::new(&approval.preview, name, value));
    all.collect()
}

/// The arguments with these texts filled in. Each value keeps its JSON type where the text allows it.
pub fn rewritten(approval: &Approval, texts: &BTreeMap<String, String>) -> Value {
    let mut edited = approval.payload.clone();
    for before in written(approval) {
        if let Some(text) = texts.get(&before.name)
            && let Some(value) = edited.get_mut(&before.name)
        {
            *value = parsed(text, value, &before, &approval.preview);
        }
    }
    edited
}

/// True if a person can edit the argument as text: not an id, an object, a mixed list or a rule of recurrence.
fn is_written(name: &str, value: &Value) -> bool {
    let is_texts = |items: &Vec<Value>| items.iter().all(Value::is_string);
    let is_rule = value.as_str().is_some_and(|text| text.starts_with("FREQ="));
    let is_code = points(name) || name.ends_with("Ts") || is_rule;
    !is_code && !value.is_object() && value.as_array().is_none_or(is_texts)
}

fn parsed(text: &str, value: &Value, before: &Written, preview: &Preview) -> Value {
    let typed = text.trim();
    let is_chosen = |it: &&InputChoice| it.value == text || it.label.eq_ignore_ascii_case(typed);
    let chosen = before.choices.iter().find(is_chosen);
    let text = chosen.map_or(text, |choice| &choice.value);
    match value {
        unchanged if before.text == text => unchanged.clone(),
        Value::String(_) => item(text, slice::from_ref(value)),
        Value::Array(items) if items.iter().all(Value::is_string) => {
            let shown = texts(preview, value);
            let parts = text.split(|c| c == '\n' || (c == ',' && !has_commas(&shown)));
            let parts = parts.map(str::trim).filter(|part| !part.is_empty());
            let parts = parts.map(|part| {
                let place = shown.iter().position(|text| text == part);
                let kept = place.and_then(|place| items.get(place)).cloned();
                kept.unwrap_or_else(|| item(part, items))
            });
            parts.collect()
        }
        // Text that isn't valid JSON stays a string; the schema check then reports the field.
        _ => serde_json::from_str(text.trim()).unwrap_or_else(|_| text.into()),
    }
}

/// A text, or a moment if one was there before.
fn item(text: &str, before: &[Value]) -> Value {
    let before = before.iter().filter_map(Value::as_str).find_map(moment);
    match before.and_then(|before| changed(text.trim(), before)) {
        Some(at) => at.strftime("%Y-%m-%dT%H:%M").to_string().into(),
        None => text.into(),
    }
}

/// Each item as it is edited.
fn texts(preview: &Preview, value: &Value) -> Vec<String> {
    if let Some((_, names)) = people(preview, value) {
        return names;
    }
    let text = |item: &Value| match item.as_str().and_then(moment) {
        Some(at) => at.strftime(MOMENT).to_string(),
        None => argument(item),
    };
    items(value).iter().map(text).collect()
}

fn items(value: &Value) -> &[Value] {
    let one = slice::from_ref(value);
    value.as_array().map_or(one, Vec::as_slice)
}

/// With commas, or an item a line where an item has a comma itself.
fn joined(texts: &[String]) -> String {
    let has_commas = texts.len() > 1 && has_commas(texts);
    texts.join(if has_commas { "\n" } else { ", " })
}

fn has_commas(texts: &[String]) -> bool {
    texts.iter().any(|text| text.contains(','))
}

/// The card's label and words for those whom handles or a Slack id in an argument mean.
fn people<'a>(preview: &'a Preview, value: &Value) -> Option<(&'a str, Vec<String>)> {
    let audience = preview.audience.as_ref()?;
    let (items, people) = (items(value), &audience.people);
    let is_handle = |item: &Value| item.as_str().is_some_and(|text| text.starts_with('@'));
    let is_same = match (value, people.as_slice()) {
        (Value::String(text), [one]) => one.id.as_ref() == Some(text) && !text.contains('@'),
        _ => value.is_array() && items.len() == people.len() && items.iter().any(is_handle),
    };
    let names = people.iter().map(|one| one.shown.clone()).collect();
    is_same.then_some((audience.label.as_str(), names))
}

/// A moment on a wall clock, as models write it: `2026-11-23T10:00`.
fn moment(text: &str) -> Option<DateTime> {
    let is_local = text.get(10..11) == Some("T") && matches!(text.len(), 16 | 19);
    text.parse().ok().filter(|_| is_local)
}

/// Reads "Mon 23 Nov 10:00" as the nearest such moment. A day of the week that was only left in place doesn't count;
/// another one must be that of the date.
fn changed(text: &str, before: DateTime) -> Option<DateTime> {
    let is_letter = |c: char| c.is_alphabetic();
    let rest = text.trim_start_matches(is_letter);
    let day = text.strip_suffix(rest)?.to_lowercase();
    let years = before.year() - 1..=before.year() + 1;
    let moments = years.flat_map(|year| {
        let written = format!("{rest} {year}").replace(',', " ");
        let forms = ["%d %b %H:%M %Y", "%d %b %I:%M %p %Y", "%d %b %I %p %Y"];
        forms.map(|form| DateTime::strptime(form, written.trim_start()).ok())
    });
    let away = |at: &DateTime| at.duration_since(before).abs();
    let at = moments.flatten().min_by_key(away)?;
    let name = |at: DateTime| at.strftime("%A").to_string().to_lowercase();
    let is_of = |at| name(at).starts_with(&day);
    (is_of(at) || at.date() != before.date() && is_of(before)).then_some(at)
}
