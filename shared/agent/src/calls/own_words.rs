//! Finds an owner's own words. They vouch for a call's recipients and for changes that guide later runs.

use alfred_core::Source;
use alfred_core::envelope::quotes;
use serde_json::Value;

use crate::history::own_request;
use crate::model::{Run, RunInput, points};
use crate::policy::tool_def::ToolDef;
use crate::slack::respond::unescaped;

/// From this many words on, a text must appear as a whole clause.
const SENTENCE: usize = 3;
/// Words that may precede a clause without changing its meaning.
const BEFORE: [&str; 5] = [" and", " also", " please", " und", " bitte"];
const AFTER: [&str; 4] = ["please", "thanks", "bitte", "danke"];
/// Words that say when something is to be done, and may stand before it: "every Friday at 4 summarize my week".
const WHEN: &str = "every each on at in the day daily week weekday weekdays morning evening am pm today tomorrow \
    monday tuesday wednesday thursday friday saturday sunday";

/// Hours from one to twelve, in English and in German: "lunch at one".
const HOURS: &str = "one two three four five six seven eight nine ten eleven twelve \
    eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf";

/// Whether all texts, numbers and times of a call appear in the owner's request, except ids, `ToolDef::labels` and
/// `ToolDef::narrowing`. A call without arguments, as the model `wrote` it, is theirs if the request is one of
/// `ToolDef::phrases`.
pub fn asked_for(run: &Run, def: &ToolDef, wrote: &str, arguments: &Value) -> bool {
    let Some(request) = own_request(run).map(str::to_lowercase) else {
        return false;
    };
    if ["", "{}"].contains(&wrote.trim()) {
        let said = || words(&request).filter(|word| !AFTER.contains(word));
        let mut phrases = def.phrases.split_terminator('|');
        return phrases.any(|phrase| words(phrase).eq(said()));
    }
    let said = to_be_said(arguments, def.narrowing);
    let said = said.filter(|(name, _)| !def.labels.contains(name));
    // "Remind me to call my mother" becomes "Call your mother".
    let told = format!("{request} you your");
    all_are(said, |name, value| {
        stands(value, &request, def.narrowing)
            || def.retold.contains(&name) && is_of_words(value, &told)
    })
}

/// Whether a call that asks outside contains only words of the owner's request. An address to open
/// must appear unchanged in the owner's messages, since its letters could carry data out.
pub fn only_own_words(run: &Run, def: &ToolDef, arguments: &Value, owner_words: &[String]) -> bool {
    if def.opens {
        return only_known_addresses(run, arguments, owner_words, &[]);
    }
    let request = own_request(run).unwrap_or_default().to_lowercase();
    all_are(fields(arguments), |_, value| is_of_words(value, &request))
}

/// Whether the owner wrote every address that a call opens, or a tool returned it as one of these sources.
pub fn only_known_addresses(
    run: &Run,
    arguments: &Value,
    owner_words: &[String],
    sources: &[Source],
) -> bool {
    let texts = owner_words.iter().map(String::as_str);
    let texts: Vec<String> = texts.chain(unquoted(run)).map(unescaped).collect();
    let known = |value: &Value| {
        value.as_str().is_some_and(|address| {
            let mut written = texts.iter().flat_map(|text| addresses(text));
            written.any(|one| one == address) || sources.iter().any(|one| one.url == address)
        })
    };
    let are_known = |_: &str, value: &Value| match value {
        Value::Array(several) => several.iter().all(known),
        one => known(one),
    };
    all_are(fields(arguments), are_known)
}

fn fields(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let fields = value.as_object().into_iter().flatten();
    fields.map(|(name, value)| (&**name, value))
}

/// The fields that the owner must have said: all but ids and switches that only narrow.
fn to_be_said<'a>(
    value: &'a Value,
    narrowing: &[&str],
) -> impl Iterator<Item = (&'a str, &'a Value)> {
    let said = fields(value).filter(|(name, _)| !points(name));
    said.filter(move |(name, value)| value.as_bool() != Some(true) || !narrowing.contains(name))
}

/// Whether there are such fields, and all of them fit.
fn all_are<'a>(
    fields: impl Iterator<Item = (&'a str, &'a Value)>,
    fits: impl Fn(&str, &Value) -> bool,
) -> bool {
    let mut fields = fields.peekable();
    fields.peek().is_some() && fields.all(|(name, value)| fits(name, value))
}

/// The unquoted lines of a request with quotes. Empty if its text does not show which lines are quoted.
fn unquoted(run: &Run) -> Vec<&str> {
    let is_quoted = |line: &str| quotes(line, &Value::Null);
    match &run.input {
        RunInput::Worker(input)
            if input.quotes && run.job.is_none() && is_quoted(&input.task_prompt) =>
        {
            // ">>>" quotes all lines up to the end.
            let lines = input.task_prompt.lines();
            let lines = lines.take_while(|line| !unescaped(line).trim_start().starts_with(">>>"));
            lines.filter(|line| !is_quoted(line)).collect()
        }
        RunInput::Worker(_) | RunInput::Team(_) => Vec::new(),
    }
}

fn is_of_words(value: &Value, request: &str) -> bool {
    match value {
        Value::String(text) => {
            words(&text.to_lowercase()).all(|word| words(request).any(|known| known == word))
        }
        Value::Array(values) => values.iter().all(|one| is_of_words(one, request)),
        Value::Number(_) | Value::Object(_) | Value::Bool(_) | Value::Null => false,
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| !word.is_empty())
}

/// The addresses in a text, in Slack's form or as typed, without trailing punctuation.
fn addresses(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| c.is_whitespace() || "<>|\"()".contains(c));
    let words = words.filter(|word| word.contains("://"));
    words.map(|word| word.trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', '’', '…']))
}

fn stands(value: &Value, request: &str, narrowing: &[&str]) -> bool {
    let is_own = |one: &Value| stands(one, request, narrowing);
    match value {
        Value::String(text) => {
            let text = text.trim().trim_end_matches('.').to_lowercase();
            // "Europe/Lisbon" also matches "Lisbon".
            let zone = text.rsplit_once('/').filter(|_| !text.contains(' '));
            let city = zone.map_or(String::new(), |(_, city)| city.replace('_', " "));
            let is_sentence = text.split_whitespace().count() >= SENTENCE;
            time(&text).is_some_and(|time| times(request).contains(&time))
                || is_sentence && stands_as_clause(&text, request)
                || !is_sentence && stands_alone(&text, request)
                || stands_alone(&city, request)
        }
        Value::Number(number) => stands_alone(&number.to_string(), request),
        Value::Array(values) => !values.is_empty() && values.iter().all(is_own),
        Value::Object(_) => all_are(to_be_said(value, narrowing), |_, one| is_own(one)),
        Value::Bool(_) | Value::Null => false,
    }
}

/// Whether the words are a clause of their own. Words before them could reverse their meaning.
fn stands_as_clause(words: &str, text: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '\'' || c == '’';
    let text = &format!(" {text}");
    text.match_indices(words).any(|(at, _)| {
        let mut before = text[..at].trim_end();
        while let Some(rest) = BEFORE.iter().find_map(|word| before.strip_suffix(word)) {
            before = rest.trim_end();
        }
        let behind = text[at + words.len()..].trim_start();
        let polite = AFTER.iter().find_map(|word| behind.strip_prefix(word));
        let behind = polite.unwrap_or(behind).trim_start();
        let clause = before.rsplit([',', ';', '\n']).next().unwrap_or_default();
        let is_when = |word: &str| time(word).is_some() || WHEN.split(' ').any(|one| one == word);
        let is_free = !before.ends_with(is_part) || clause.split_whitespace().all(is_when);
        is_free && !behind.starts_with(is_part)
    })
}

fn stands_alone(words: &str, text: &str) -> bool {
    let is_alone = |at: usize| {
        let behind = &text[at + words.len()..];
        !text[..at].ends_with(char::is_alphanumeric) && !behind.starts_with(char::is_alphanumeric)
    };
    !words.is_empty() && text.match_indices(words).any(|(at, _)| is_alone(at))
}

/// Times in a request, on a 12-hour clock, since people write "from 9 to 5".
fn times(request: &str) -> Vec<(u16, u16)> {
    let words = request.split(|c: char| c.is_whitespace() || ",;()-–".contains(c));
    let words = words.map(|word| word.trim_end_matches(['.', '!', '?', ':']));
    let bare = words.map(|word| word.trim_end_matches("am").trim_end_matches("pm"));
    let hour_in_words = |word: &str| HOURS.split(' ').zip(1..).find(|(name, _)| *name == word);
    let in_words = |word: &str| hour_in_words(word).map(|(_, hour)| (hour % 12, 0));
    let times = bare.filter_map(|word| in_words(word).or(time(word)));
    times.collect()
}

/// Parses `8`, `8:30` or `08.30` as hour (modulo 12) and minute.
fn time(word: &str) -> Option<(u16, u16)> {
    let (hour, minute) = word.split_once([':', '.']).unwrap_or((word, "0"));
    let number = |digits: &str| {
        let plain = (1..=2).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
        plain.then(|| digits.parse::<u16>().ok()).flatten()
    };
    let (hour, minute) = (number(hour)?, number(minute)?);
    (hour <= 24 && minute < 60).then_some((hour % 12, minute))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_addresses_are_found_in_a_request() {
        alfred_testkit::cases::check(include_str!("own_words_cases.txt"), |case| {
            if let Some(text) = case.strip_prefix("addresses: ") {
                return Vec::from_iter(addresses(&unescaped(text))).join(" ");
            }
            let outside = case.strip_prefix("outside: ");
            let (value, request) = outside.unwrap_or(case).split_once(" in ").unwrap();
            let value: Value = serde_json::from_str(value).unwrap();
            let request = request.to_lowercase();
            let is_own = match outside {
                Some(_) => is_of_words(&value, &request),
                None => stands(&value, &request, &["nothingElse"]),
            };
            is_own.to_string()
        });
    }
}
