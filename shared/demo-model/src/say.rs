//! Tool results in words, by the Jinja templates of `patterns/`. Everything said comes from the data.
//!
//! A template sees the fields of the result, and all of it as `it`; the call's `args`; what else was `said`;
//! what was `seen` before; and `all` blocks of the day or week. A form of `words.txt` is a filter.

use jiff::civil::Date;
use minijinja::value::{Serde, merge_maps};
use minijinja::{Environment, Error, State, UndefinedBehavior, Value, context};
use serde_json::Value as Json;

use crate::call::{self, Outcome};
use crate::pattern::Phrasings;
use crate::things::{blocks, text, titled};
use crate::words::capitalised;

/// What a call came to, and the look before it, as far as `show` asks for it; `said` are the words beside its arguments.
pub(crate) fn sentence(
    phrasings: &Phrasings,
    (outcome, seen): (&Outcome, Option<&Json>),
    show: &str,
    said: &Json,
) -> String {
    let Some(template) = phrasings.template(&outcome.call.tool, show) else {
        return "Done.".into();
    };
    let value = |json: &Json| Value::from(Serde(json));
    let more = context! {
        args => Value::from(Serde(&outcome.call.arguments)),
        said => value(said),
        seen => seen.map(value),
        all => Value::from(Serde(blocks(&outcome.data))),
    };
    match render(&phrasings.answers, template, &value(&outcome.data), more) {
        Ok(answer) if answer.trim().is_empty() => "Done.".into(),
        Ok(answer) => answer.trim().to_owned(),
        Err(error) => format!("Done, but I can't put it into words: {error}"),
    }
}

fn render(answers: &Environment, template: &str, it: &Value, more: Value) -> Result<String, Error> {
    answers.render_str(template, merge_maps([more, context! { it }, it.clone()]))
}

/// What failed, in the words that are meant for a person.
pub(crate) fn failure(outcome: &Outcome) -> String {
    let said = match text(&outcome.data, "say") {
        "" => text(&outcome.data, "error"),
        said => said,
    };
    let stop = if said.ends_with(['.', '?', '!']) {
        ""
    } else {
        "."
    };
    format!("That didn't work: {said}{stop}")
}

/// What templates are read and filled in with.
pub(crate) fn answers() -> Environment<'static> {
    let mut answers = Environment::new();
    answers.set_undefined_behavior(UndefinedBehavior::Chainable);
    answers.add_filter("day", |day: &Value| dated(day, "%A, %-d %B %Y"));
    answers.add_filter("date", |day: &Value| dated(day, "%-d %B %Y"));
    answers.add_filter("weekday", |day: &Value| dated(day, "%A"));
    answers.add_filter("days_from", days_from);
    answers.add_filter("minutes", minutes);
    answers.add_filter("in_hours", |hours: f64| minutes((hours * 60.0) as i64));
    answers.add_filter("percent", |part: f64| (part * 100.0).round() as i64);
    answers.add_filter("spaced", |name: &str| spaced(name));
    answers.add_filter("setting", setting);
    answers.add_filter("aside", aside);
    answers.add_filter("quoted", |text: &Value| lines_of(&text.to_string()));
    answers.add_filter("place", |written: &str| place(written));
    answers.add_filter("lines", lines);
    answers.add_filter("named", named);
    call::add_filters(&mut answers);
    answers.add_filter("overlapping", overlapping);
    answers
}

/// A template as a filter, for things of one kind.
pub(crate) fn add_form(answers: &mut Environment<'static>, name: &str, template: String) {
    answers.add_filter(name.to_owned(), move |state: &State, it: &Value| {
        render(state.env(), &template, it, context! {})
    });
}

fn date(text: &str) -> Option<Date> {
    text.get(..10)?.parse().ok()
}

fn dated(day: &Value, form: &str) -> String {
    let said = day.to_string();
    date(&said).map_or(said, |date| date.strftime(form).to_string())
}

fn days_from(then: &str, today: &str) -> Option<i32> {
    Some(date(today)?.until(date(then)?).ok()?.get_days())
}

fn minutes(minutes: i64) -> String {
    match (minutes / 60, minutes % 60) {
        (0, minutes) => format!("{minutes} min"),
        (hours, 0) => format!("{hours} h"),
        (hours, minutes) => format!("{hours} h {minutes} min"),
    }
}

/// `workStartTime` → `work start time`.
fn spaced(name: &str) -> String {
    let space = |c: char| c.is_uppercase().then_some(' ');
    let each = name.chars();
    each.flat_map(|c| space(c).into_iter().chain(c.to_lowercase()))
        .collect()
}

fn setting(value: &Value) -> String {
    match value.to_string().as_str() {
        "" | "none" => "not set".into(),
        "true" => "on".into(),
        "false" => "off".into(),
        other => other.into(),
    }
}

/// A note as a sentence behind others, if there is one.
fn aside(note: &Value) -> String {
    let note = if note.is_none() {
        String::new()
    } else {
        note.to_string()
    };
    let stop = if note.is_empty() || note.ends_with('.') {
        ""
    } else {
        "."
    };
    let space = if note.is_empty() { "" } else { " " };
    format!("{space}{}{stop}", capitalised(&note))
}

fn lines_of(text: &str) -> String {
    text.lines().map(|line| format!("\n> {line}")).collect()
}

/// A place as the person wrote it; of a zone its city.
fn place(written: &str) -> String {
    let city = written.rsplit('/').next().unwrap_or(written);
    let city = city.replace('_', " ");
    match city.len() {
        0..=3 => city.to_uppercase(),
        _ => city
            .split(' ')
            .map(capitalised)
            .collect::<Vec<_>>()
            .join(" "),
    }
}

/// Things in a form, a line each.
fn lines(state: &mut State, things: &Value, form: Option<&str>) -> Result<String, Error> {
    let line = |thing: Value| match form {
        Some(form) => Ok(format!("\n- {}", state.apply_filter(form, &[thing])?)),
        None => Ok(format!("\n- {thing}")),
    };
    things.try_iter()?.map(line).collect()
}

fn named(things: Serde<Vec<Json>>, name: &str) -> Value {
    Value::from(Serde(titled(&things, name)))
}

/// The blocks that another one meets.
fn overlapping(all: Serde<Vec<Json>>) -> Value {
    let starts = |one: &Json, other: &Json| text(one, "startTime") < text(other, "endTime");
    let meet = |one: &Json, other: &Json| {
        one != other && one["date"] == other["date"] && starts(one, other) && starts(other, one)
    };
    let found = all
        .iter()
        .filter(|one| all.iter().any(|other| meet(one, other)));
    Value::from(Serde(found.collect::<Vec<_>>()))
}
