//! Checks of arguments. Every error names the argument and its value.

use crate::prelude::Result;
use alfred_agent::model::in_words;
use alfred_agent::tool::{BadArgument, ToolContext, ToolError};
use alfred_core::text::one_line;
use alfred_planner::{InputError, dst};
use jiff::Timestamp;
use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use serde_json::Value;
use std::ops::RangeInclusive;

pub(crate) const NOTHING_WOULD_CHANGE: &str = "That is so already.";

/// Most things that an error lists.
pub const LISTED: usize = 5;
/// In characters.
pub const MAX_TITLE: usize = 200;
/// In characters.
pub const MAX_DESCRIPTION: usize = 2_000;
/// In characters, for search words, and for an id or cursor of an account's provider.
pub const MAX_WORDS: usize = 500;
/// In bytes, without the prefix.
const MAX_ID: usize = 60;

/// Gives the model the whole error, and the person a text without the argument's name.
pub fn invalid(error: InputError) -> ToolError {
    bad(&error).of(&error.field)
}

/// The error without the argument's name.
pub fn bad(error: &InputError) -> BadArgument {
    let value = error.value.trim();
    let is_id = value.contains('_') || value.is_empty();
    let of = if is_id {
        "It".to_owned()
    } else {
        format!("“{}”", plain_date(value).as_deref().unwrap_or(value))
    };
    BadArgument {
        message: format!("\"{}\" {}", error.value, error.problem),
        say: match &error.bounds {
            Some(bounds) => {
                let number = value.split(' ').next().unwrap_or_default();
                format!("I can take {bounds}, not “{number}”.")
            }
            None => format!("{of} {}", without_names(&error.problem)),
        },
        say_needs_name: error.bounds.is_some(),
    }
}

/// A date such as "2026-02-31" as "31 February 2026", whether it exists or not; a time may follow.
fn plain_date(value: &str) -> Option<String> {
    let (month, rest) = value.split_at_checked(7)?;
    let (day, time) = rest.strip_prefix('-')?.split_at_checked(2)?;
    let (month, day): (Date, u8) = (format!("{month}-01").parse().ok()?, day.parse().ok()?);
    let time = time.trim_start_matches('T').trim();
    let text = format!("{day} {} {time}", month.strftime("%B %Y"));
    Some(text.trim().to_owned())
}

/// Splits names of arguments into words: "startTime" becomes "start time".
fn without_names(text: &str) -> String {
    let plain = |word: &str| {
        if word.contains('_') {
            return word.replace('_', " ");
        }
        let is_name = word.starts_with(char::is_lowercase) && word.contains(char::is_uppercase);
        if is_name {
            in_words(word).to_lowercase()
        } else {
            word.to_owned()
        }
    };
    text.split(' ').map(plain).collect::<Vec<_>>().join(" ")
}

pub fn refused(field: &str, value: &str, problem: impl Into<String>) -> ToolError {
    invalid(InputError::new(field, value, problem))
}

/// Refuses a thing that was found. Only the model gets its id; the person reads "That e-mail …".
pub fn refused_found(field: &str, (thing, id): (&str, &str), problem: &str) -> ToolError {
    refused(field, id, problem).say(format!("That {thing} {}", without_names(problem)))
}

pub type Labelled = (String, String);

/// The error for words that match several things: the model gets their ids, the person their labels.
pub fn unclear(field: &str, named: &str, things: &[Labelled], total: usize) -> ToolError {
    let count = match total {
        2 => "two".to_owned(),
        more => more.to_string(),
    };
    let more = if total > things.len() { ", …" } else { "" };
    let listed = |shown: fn(&Labelled) -> String| {
        let shown: Vec<String> = things.iter().map(shown).collect();
        shown.join(", ") + more
    };
    let ids = listed(|(label, id)| format!("{label} ({id})"));
    let labels = listed(|(label, _)| label.clone());
    let problem = format!("is not clear, {count} match: {ids}. Give the id.");
    let words = format!("“{named}” could mean {count} things: {labels}. Which one do you mean?");
    let error = refused(field, named, problem).say(words);
    error.offering(things.iter().map(|(label, _)| label.clone()))
}

pub fn shown(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A field and its new value in a receipt: "due date Fri 27 Nov". Of longer text only the field is named.
pub fn becomes(field: &str, to: &Value, text: &str) -> String {
    let name = in_words(field).to_lowercase();
    match text {
        "" => format!("no {name}"),
        _ if shown(to).contains(' ') => name,
        text => format!("{name} {text}"),
    }
}

pub fn is_weekend(date: Date) -> bool {
    matches!(date.weekday(), Weekday::Saturday | Weekday::Sunday)
}

/// A day for a person, who knows the year: "Sun 22 Nov".
pub fn short_date(date: Date) -> String {
    date.strftime("%a %-d %b").to_string()
}

/// A time for a person, who knows the year: "Sun 22 Nov, 09:00".
pub fn short_moment(at: Timestamp, zone: &TimeZone) -> String {
    local(at, zone, "%a %-d %b, %H:%M")
}

/// A time in a zone, in a format of `strftime`.
pub fn local(at: Timestamp, zone: &TimeZone, format: &str) -> String {
    at.to_zoned(zone.clone()).strftime(format).to_string()
}

pub fn today(context: &ToolContext) -> Date {
    dst::date_at(context.now, &context.zone())
}

/// The person's date when the request began, from which words such as "tomorrow" count.
pub fn request_date(context: &ToolContext) -> Date {
    dst::date_at(context.began, &context.zone())
}

/// A title on one line, 1 to 200 characters.
pub fn title(field: &str, text: &str) -> Result<String, InputError> {
    let line = one_line(text);
    let empty = "is empty; a title is required.";
    match line.chars().count() {
        0 => Err(InputError::new(field, text, empty)),
        1..=MAX_TITLE => Ok(line),
        n => Err(too_long(field, text, n, MAX_TITLE)),
    }
}

/// Text of any number of lines, at most 2,000 characters. A missing text is empty.
pub fn description(field: &str, text: Option<&str>) -> Result<String, InputError> {
    text_up_to(field, text.unwrap_or_default(), MAX_DESCRIPTION)
}

/// Trimmed text of at most `most` characters.
pub fn text_up_to(field: &str, text: &str, most: usize) -> Result<String, InputError> {
    let trimmed = text.trim();
    match trimmed.chars().count() {
        n if n > most => Err(too_long(field, text, n, most)),
        _ => Ok(trimmed.to_owned()),
    }
}

fn too_long(field: &str, text: &str, n: usize, most: usize) -> InputError {
    InputError::new(field, text, format!("has {n} characters, at most {most}."))
}

/// An id as tools give it: this prefix, then 1 to 60 letters, digits and underscores.
pub fn id(field: &str, text: &str, prefix: &str) -> Result<String, InputError> {
    let trimmed = text.trim();
    let plain = |rest: &str| {
        (1..=MAX_ID).contains(&rest.len())
            && rest.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    };
    match trimmed.strip_prefix(prefix) {
        Some(rest) if plain(rest) => Ok(trimmed.to_owned()),
        _ => {
            let problem = format!("is no id. One begins with {prefix}.");
            Err(InputError::new(field, text, problem))
        }
    }
}

/// Fails if a call names more or fewer things of a kind, such as "people", than a tool takes.
pub fn check_count(field: &str, n: usize, kind: &str, range: RangeInclusive<usize>) -> Result<()> {
    let (least, most) = (*range.start(), *range.end());
    if range.contains(&n) {
        return Ok(());
    }
    let given = format!("{n} {kind}");
    let error = match least {
        0 => InputError::new(field, &given, format!("are too many: at most {most}.")),
        _ => InputError::out_of_bounds(field, &given, &format!("{least} to {most} {kind}")),
    };
    Err(invalid(error))
}

/// Trimmed text of 1 to `most` characters; `empty` is the problem of an empty one.
pub fn words_up_to(field: &str, text: &str, most: usize, empty: &str) -> Result<String> {
    let text = text_up_to(field, text, most).map_err(invalid)?;
    if text.is_empty() {
        Err(refused(field, "", empty))
    } else {
        Ok(text)
    }
}

pub fn within(field: &str, value: i64, range: &RangeInclusive<u32>) -> Result<u32, InputError> {
    match u32::try_from(value) {
        Ok(value) if range.contains(&value) => Ok(value),
        _ => {
            let bounds = format!("{} to {}", range.start(), range.end());
            let given = value.to_string();
            Err(InputError::out_of_bounds(field, &given, &bounds))
        }
    }
}

/// "1 task", "2 tasks".
pub fn counted(count: usize, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{ending}")
}

/// The first names, and how many more there are.
pub fn first_names(names: &[String], most: usize) -> String {
    let first = names[..names.len().min(most)].join(", ");
    match names.len().saturating_sub(most) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

/// Adds a field unless its value is null, false or empty.
pub fn add(view: &mut Value, field: &str, value: Value) {
    let is_empty = match &value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    };
    if !is_empty {
        view[field] = value;
    }
}
