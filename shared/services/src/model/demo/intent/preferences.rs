//! How Alfred should serve.

use serde_json::Value;

use super::work_hours::{hours, lengths};
use super::{Call, Reading, written};
use crate::model::demo::dates::Now;
use crate::model::demo::lex::{self, Word, find, has};
use crate::model::demo::places;

pub(super) const TOOL: &str = "preference_updatePreferences";

/// Reads one kind of preference.
type Kind = fn(&[Word], &Now) -> Option<Call>;

/// `preference_updatePreferences`.
pub(super) fn update(words: &[Word], now: &Now) -> Reading {
    if words
        .iter()
        .any(|word| matches!(word.low.as_str(), "task" | "todo" | "remind"))
    {
        return None;
    }
    if let Some(list) = headed(words) {
        return each(list, now);
    }
    let kinds: [Kind; 6] = [custom, timezone, style, first_words, hours, lengths];
    let call = kinds.iter().find_map(|kind| kind(words, now))?;
    Some(Ok(vec![call]))
}

/// What follows "update my preferences:".
pub(super) fn headed(words: &[Word]) -> Option<&[Word]> {
    const NOUNS: [&str; 5] = ["prefs", "preferences", "settings", "preference", "habits"];
    let verb = words.first()?;
    let noun = words
        .iter()
        .take(3)
        .position(|word| NOUNS.contains(&word.low.as_str()))?;
    let verb = matches!(verb.low.as_str(), "update" | "set" | "change" | "save") || noun == 0;
    let list = &words[noun + 1..];
    (verb && !list.is_empty() && words[noun].end.is_some()).then_some(list)
}

/// The preferences of a list, each as if it had been set alone; none if one isn't understood.
fn each(list: &[Word], now: &Now) -> Reading {
    let mut whole = Call::new(TOOL);
    for clause in list.split_inclusive(|word| word.end.is_some()) {
        let clause = [lex::words("set my"), clause.to_vec()].concat();
        let Some(Ok(calls)) = update(&clause, now) else {
            return None;
        };
        for call in calls {
            whole.arguments.extend(call.arguments);
        }
    }
    Some(Ok(vec![whole]))
}

pub(super) fn set(name: &str, value: impl Into<Value>) -> Option<Call> {
    Some(Call::new(TOOL).with(name, value))
}

/// "set my timezone to Rome", "I'm in Singapore now, update my timezone", "I moved to Lisbon".
fn timezone(words: &[Word], _: &Now) -> Option<Call> {
    let names_it = has(
        words,
        &[
            "my timezone",
            "my time zone",
            "my tz",
            "timezone to",
            "time zone to",
            "timezone should",
        ],
    );
    let moved = has(
        words,
        &["i moved to", "i live in", "ive moved to", "i am moving to"],
    );
    let changes = has(
        words,
        &[
            "set", "change", "update", "switch", "make", "to", "is", "use", "now",
        ],
    );
    let wanted = moved || names_it && changes;
    if !wanted || has(words, &["what", "whats", "which"]) {
        return None;
    }
    let found = (0..words.len()).find_map(|place| places::at(words, place));
    if let Some(found) = found {
        return Some(Call::new(TOOL).at_place("timezone", found));
    }
    // A name this parser doesn't know goes to the tool, which says so.
    let to = words
        .iter()
        .rposition(|word| word.low == "to" || word.low == "is")?;
    let name = words.get(to + 1..).filter(|name| !name.is_empty())?;
    set("timezone", written(name))
}

/// "use a custom personality: …"
fn custom(words: &[Word], _: &Now) -> Option<Call> {
    let place = find(words, &["personality"])?;
    let text = words.get(place + 1..).filter(|text| !text.is_empty())?;
    if !has(&words[..place], &["custom", "own"]) {
        return None;
    }
    let text = text.strip_prefix(
        text.iter()
            .take(1)
            .filter(|word| word.low == "of" || word.low == "to")
            .cloned()
            .collect::<Vec<_>>()
            .as_slice(),
    )?;
    set("personality", "custom").map(|call| call.with("personalityText", written(text)))
}

/// Verbosity and personality.
fn style(words: &[Word], _: &Now) -> Option<Call> {
    const PERSONALITIES: [&str; 5] = ["alfred", "jarvis", "donna", "dwight", "jim"];
    let about_style = has(
        words,
        &[
            "personality",
            "youre",
            "you are",
            "persona",
            "act like",
            "talk like",
            "talk to me like",
            "be like",
            "behave like",
            "sound like",
            "act as",
            "speak like",
            "switch to",
            "be more like",
        ],
    );
    let named = words.iter().find(|word| {
        PERSONALITIES.contains(&word.low.trim_end_matches("s"))
            || PERSONALITIES.contains(&word.low.as_str())
    });
    if let Some(named) = named.filter(|_| about_style) {
        let name = PERSONALITIES
            .iter()
            .find(|name| named.low.starts_with(**name))?;
        return set("personality", *name);
    }
    let about_answers = words.first().is_some_and(|word| {
        matches!(
            word.low.as_str(),
            "be" | "more"
                | "less"
                | "give"
                | "write"
                | "answer"
                | "reply"
                | "keep"
                | "make"
                | "set"
        )
    }) || has(
        words,
        &[
            "i prefer",
            "i want",
            "i like",
            "answers",
            "replies",
            "responses",
            "verbosity",
        ],
    );
    let long = [
        "detailed",
        "verbose",
        "thorough",
        "longer",
        "detail",
        "details",
        "elaborate",
        "comprehensive",
    ];
    let short = [
        "concise", "brief", "short", "shorter", "terse", "succinct", "briefer", "crisp",
    ];
    let says = |list: &[&str]| words.iter().any(|word| list.contains(&word.low.as_str()));
    let less = has(words, &["less", "not so", "fewer", "dont be"]);
    let subject = has(
        words,
        &[
            "answers",
            "answer",
            "replies",
            "responses",
            "verbosity",
            "be",
            "it",
            "detail",
            "details",
            "more detail",
        ],
    );
    if !about_answers || !subject || words.len() > 10 {
        return None;
    }
    match (says(&long), says(&short), less) {
        (true, false, false) | (false, true, true) => set("verbosity", "detailed"),
        (false, true, false) | (true, false, true) => set("verbosity", "concise"),
        _ => None,
    }
}

/// Whether Alfred may write first.
fn first_words(words: &[Word], _: &Now) -> Option<Call> {
    let about = has(
        words,
        &[
            "proactive",
            "proactively",
            "unless i ask",
            "unprompted",
            "unsolicited",
            "write to me first",
            "writing to me first",
            "write me first",
            "message me first",
            "messaging me first",
            "notifications",
            "contact me first",
            "unasked",
        ],
    );
    if !about {
        return None;
    }
    let no = has(
        words,
        &[
            "stop", "dont", "no", "never", "off", "disable", "not", "without", "mute",
        ],
    );
    let yes = has(
        words,
        &[
            "on",
            "enable",
            "may",
            "can",
            "start",
            "allow",
            "again",
            "please",
            "want",
            "feel free",
            "resume",
        ],
    );
    (no || yes)
        .then(|| set("proactiveNotifications", !no))
        .flatten()
}
