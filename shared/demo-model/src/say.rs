//! Tool results in words, after the templates in `patterns/`. Everything said comes from the data.
//!
//! `{a.b}` is a field of the result, `{@a}` of the arguments, `{?a}` of what else was said; `{a/b}` the first that
//! is there. `{a:day}` puts it into a form, `{a*task}` lists each item in one, `{a,title}` names them. `{a=1}` and
//! `{a?}` say nothing and ask whether it is so. `[a|b]` is the first of these in which nothing is missing.

use jiff::civil::Date;
use serde_json::{Value, json};

use crate::call::Outcome;
use crate::pattern::Phrasings;
use crate::things::{blocks, list, text, titled};
use crate::words::capitalised;

/// Urgency from which on a mail is called urgent, of 100.
const URGENT: u64 = 60;

/// A result, and what it is the answer to.
struct Scope<'a> {
    phrasings: &'a Phrasings,
    outcome: &'a Outcome,
    said: &'a Value,
}

/// What a call came to, and the look before it, as far as `show` asks for it; `said` are the words beside its arguments.
pub(crate) fn sentence(
    phrasings: &Phrasings,
    (outcome, seen): (&Outcome, Option<&Value>),
    show: &str,
    said: &Value,
) -> String {
    let scope = Scope {
        phrasings,
        outcome,
        said,
    };
    let mut data = outcome.data.clone();
    picked(&mut data, seen, show, said);
    let template = phrasings.template(&outcome.tool, show);
    let answer = template.and_then(|mut template| scope.ways(&mut template, &data));
    answer.map_or_else(|| "Done.".into(), |answer| answer.trim().to_owned())
}

/// What failed, in the words that are meant for a person.
pub(crate) fn failure(outcome: &Outcome) -> String {
    let say = text(&outcome.data, "say");
    let said = if say.is_empty() {
        text(&outcome.data, "error")
    } else {
        say
    };
    let stop = if said.ends_with(['.', '?', '!']) {
        ""
    } else {
        "."
    };
    format!("That didn't work: {said}{stop}")
}

/// Adds what was asked for: `found` of the blocks of a day or week, or of the mails that were looked at; `days` until a day.
fn picked(data: &mut Value, seen: Option<&Value>, show: &str, said: &Value) {
    let (at, until) = (text(said, "at"), text(said, "until"));
    let mut found = blocks(data);
    found.extend_from_slice(list(data, "meetings"));
    if show == "named" {
        let named = titled(&found, text(said, "name")).into_iter();
        found = named.cloned().collect();
    }
    let all = found.clone();
    found.retain(|block| {
        let (start, end) = (text(block, "startTime"), text(block, "endTime"));
        let overlaps = |other: &Value| {
            let meets = text(other, "startTime") < end && start < text(other, "endTime");
            other["date"] == block["date"] && other != block && meets
        };
        let meets = start < until || until.is_empty() && start <= at;
        match show {
            "at" => meets && end > at,
            "soonest" => block["answer"] != "declined" && block["allDay"] != true,
            "next" => block["type"] == "meeting" && start > text(said, "now"),
            "first" | "meetings" => block["type"] == "meeting",
            "overlaps" => all.iter().any(overlaps),
            _ => true,
        }
    });
    match show {
        "first" | "next" | "soonest" | "starts" => found.truncate(1),
        "last" => drop(found.drain(..found.len().saturating_sub(1))),
        "urgent" | "answer" => {
            let wanted = |row: &&Value| match show {
                "urgent" => row["urgencyScore"].as_u64() >= Some(URGENT),
                _ => row["category"] == "needs_reply",
            };
            let rows: Vec<&Value> = list(data, "categorized").iter().filter(wanted).collect();
            found = seen.map_or(Vec::new(), |seen| list(seen, "emails").to_vec());
            found.retain(|mail| rows.iter().any(|row| row["emailId"] == mail["id"]));
        }
        _ => {}
    }
    let date = |text: &str| text.parse::<Date>().ok();
    let days = date(text(data, "date")).zip(date(until));
    let days = days.and_then(|(today, then)| today.until(then).ok());
    let (from, to) = (text(&data["from"], "date"), text(&data["to"], "date"));
    let elsewhere = (from != to).then(|| from.to_owned());
    if let Some(fields) = data.as_object_mut() {
        fields.insert("elsewhere".into(), elsewhere.into());
        fields.insert("found".into(), found.into());
        fields.extend(days.map(|days| ("days".into(), days.get_days().into())));
    }
}

impl Scope<'_> {
    /// The first way of a choice that says something and in which nothing is missing, up to what closes it.
    fn ways(&self, rest: &mut &str, data: &Value) -> Option<String> {
        let mut said = None;
        loop {
            let way = self.way(rest, data).filter(|way| !way.is_empty());
            said = said.or(way);
            let sign = rest.chars().next();
            *rest = rest.get(1..).unwrap_or_default();
            if sign != Some('|') {
                return said;
            }
        }
    }

    /// One way with its fields; `None` where one of them is missing.
    fn way(&self, rest: &mut &str, data: &Value) -> Option<String> {
        let mut said = Some(String::new());
        loop {
            let end = rest.find(['[', '{', '|', ']']).unwrap_or(rest.len());
            let mut part = Some(rest[..end].replace("\\n", "\n"));
            *rest = &rest[end..];
            let sign = rest.chars().next();
            match sign {
                Some('[') => {
                    *rest = &rest[1..];
                    part = part.map(|part| part + &self.ways(rest, data).unwrap_or_default());
                }
                Some('{') => {
                    let (field, behind) = rest[1..].split_once('}')?;
                    *rest = behind;
                    part = part
                        .zip(self.field(field, data))
                        .map(|(part, field)| part + &field);
                }
                _ => {}
            }
            said = said.zip(part).map(|(said, part)| said + &part);
            if !matches!(sign, Some('[' | '{')) {
                return said;
            }
        }
    }

    fn field(&self, field: &str, data: &Value) -> Option<String> {
        let mut signs = field.char_indices().skip(1);
        let end = signs.find(|(_, c)| "?=*,:".contains(*c));
        let (paths, how) = field.split_at(end.map_or(field.len(), |(end, _)| end));
        let value = paths
            .split('/')
            .map(|path| self.value(path, data))
            .find(|value| !is_empty(value));
        let (how, form) = how.split_at(usize::from(!how.is_empty()));
        match (how, value) {
            ("=", value) => (value.map_or("0".into(), plain) == form).then(String::new),
            (":", None) if form == "count" => Some("0".into()),
            (_, None) => None,
            ("?", Some(_)) => Some(String::new()),
            ("*", Some(value)) => Some(
                items(value)
                    .iter()
                    .map(|one| format!("\n- {}", self.form(form, one)))
                    .collect(),
            ),
            (",", Some(value)) => {
                let name = |one: &Value| match one.get(form) {
                    Some(named) => plain(named),
                    None => self.form(form, one),
                };
                Some(items(value).iter().map(name).collect::<Vec<_>>().join(", "))
            }
            (_, Some(value)) => Some(self.form(form, value)).filter(|said| !said.is_empty()),
        }
    }

    fn value<'a>(&'a self, path: &str, data: &'a Value) -> &'a Value {
        let (root, path) = match path.split_at_checked(1) {
            Some(("@", path)) => (&self.outcome.arguments, path),
            Some(("?", path)) => (self.said, path),
            _ => (data, path),
        };
        if path == "." {
            return data;
        }
        path.split('.').fold(root, |value, name| &value[name])
    }

    fn form(&self, form: &str, value: &Value) -> String {
        let template = self.phrasings.template("words", form);
        if let Some(mut template) = template.filter(|_| !form.is_empty()) {
            return self.ways(&mut template, value).unwrap_or_default();
        }
        let said = plain(value);
        let number = value.as_f64().unwrap_or_default();
        let date = said.get(..10).and_then(|day| day.parse::<Date>().ok());
        match (form, date) {
            ("day", Some(date)) => date.strftime("%A, %-d %B %Y").to_string(),
            ("date", Some(date)) => date.strftime("%-d %B %Y").to_string(),
            ("weekday", Some(date)) => date.strftime("%A").to_string(),
            ("moment", Some(date)) => format!(
                "{}, {} UTC",
                date.strftime("%A, %-d %B %Y"),
                said.get(11..16).unwrap_or_default()
            ),
            ("minutes", _) => minutes(number as i64),
            ("hours", _) => minutes((number * 60.0) as i64),
            ("percent", _) => format!("{}", (number * 100.0).round()),
            ("count", _) => items(value).len().to_string(),
            ("spaced", _) => spaced(&said),
            ("sentence", _) => format!(
                "{}{}",
                capitalised(&said),
                if said.ends_with('.') { "" } else { "." }
            ),
            ("letters", _) if !said.starts_with(char::is_alphabetic) => String::new(),
            ("quoted", _) => said.lines().map(|line| format!("\n> {line}")).collect(),
            ("place", _) => place(&said),
            _ => said,
        }
    }
}

fn is_empty(value: &Value) -> bool {
    value.is_null() || *value == "" || value.as_array().is_some_and(Vec::is_empty)
}

/// The items of a list, or the fields of an object with their names as `field`.
fn items(value: &Value) -> Vec<Value> {
    match value {
        Value::Array(items) => items.clone(),
        Value::Object(fields) => {
            let item = |(name, value): (&String, &Value)| json!({"field": name, "value": value});
            fields.iter().map(item).collect()
        }
        _ => Vec::new(),
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Bool(is) => if *is { "on" } else { "off" }.into(),
        Value::Null => "not set".into(),
        other => other.to_string(),
    }
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
    let each = name.chars().flat_map(|c| {
        c.is_uppercase()
            .then_some(' ')
            .into_iter()
            .chain(c.to_lowercase())
    });
    each.collect()
}

/// A place as the person wrote it; of a zone its city.
fn place(written: &str) -> String {
    let city = written
        .rsplit('/')
        .next()
        .unwrap_or(written)
        .replace('_', " ");
    match city.len() {
        0..=3 => city.to_uppercase(),
        _ => city
            .split(' ')
            .map(capitalised)
            .collect::<Vec<_>>()
            .join(" "),
    }
}
