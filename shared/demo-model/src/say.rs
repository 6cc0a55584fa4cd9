//! Renders tool results as sentences, with the Jinja templates of `patterns/`.
//!
//! A template sees the fields of the result, and all of it as `it`; the call's `args`; the arguments
//! of the look as `said` and its result as `seen`; and `all` blocks of the day or week. The forms of
//! `words.txt` are filters.

use alfred_planner::hours;
use jiff::civil::Date;
use minijinja::value::{Serde, merge_maps};
use minijinja::{Environment, Error, State, UndefinedBehavior, Value, context};
use serde_json::Value as Json;

use crate::call::{Outcome, plus};
use crate::pattern::Phrasings;
use crate::things::{blocks, text, titled};

/// The answer to a call, from the template for `show`. `seen` is the result of the look before it.
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

/// The reason of a failed call, in the words meant for a person.
pub(crate) fn failure(outcome: &Outcome) -> String {
    let reason = match text(&outcome.data, "say") {
        "" => text(&outcome.data, "error"),
        said => said,
    };
    let is_whole = reason.ends_with(['.', '?', '!']);
    let end = if is_whole { "" } else { "." };
    format!("That didn't work: {reason}{end}")
}

/// The template engine with its filters.
pub(crate) fn answers() -> Environment<'static> {
    let mut answers = Environment::new();
    answers.set_undefined_behavior(UndefinedBehavior::Chainable);
    answers.add_filter("day", |day: &Value| dated(day, "%A, %-d %B %Y"));
    answers.add_filter("date", |day: &Value| dated(day, "%-d %B %Y"));
    answers.add_filter("weekday", |day: &Value| dated(day, "%A"));
    answers.add_filter("days_from", days_from);
    answers.add_filter("minutes", minutes);
    answers.add_filter("spaced", |name: &str| spaced(name));
    answers.add_filter("quoted", |text: &Value| {
        format!("\n{text}").replace('\n', "\n> ")
    });
    answers.add_filter("lines", lines);
    answers.add_filter("named", |things: Serde<Vec<Json>>, name: &str| {
        Value::from(Serde(titled(&things, name)))
    });
    answers.add_filter("plus", plus);
    answers
}

/// Adds a template as a filter.
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

fn minutes(minutes: f64) -> String {
    hours(minutes.round() as u32)
}

/// `workStartTime` → `work start time`.
fn spaced(name: &str) -> String {
    let space = |c: char| c.is_uppercase().then_some(' ');
    let each = |c: char| space(c).into_iter().chain(c.to_lowercase());
    name.chars().flat_map(each).collect()
}

/// One line for each thing, in a form.
fn lines(state: &mut State, things: &Value, form: Option<&str>) -> Result<String, Error> {
    let line = |thing: Value| match form {
        Some(form) => Ok(format!("\n- {}", state.apply_filter(form, &[thing])?)),
        None => Ok(format!("\n- {thing}")),
    };
    things.try_iter()?.map(line).collect()
}
