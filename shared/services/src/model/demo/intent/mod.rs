//! What a message asks for, as tool calls. One file a kind of request; each
//! gives `None` when the words aren't its own.

mod blocks;
mod later;
mod people;
mod preferences;
mod schedule;
mod tasks;
mod time;

use serde_json::{Map, Value};

use super::dates::Now;
use super::lex::{self, Word, at};

/// A tool call to make.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Call {
    /// The tool.
    pub(super) tool: &'static str,
    /// Its arguments.
    pub(super) arguments: Map<String, Value>,
}

impl Call {
    fn new(tool: &'static str) -> Self {
        Self {
            tool,
            arguments: Map::new(),
        }
    }

    fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.arguments.insert(name.into(), value.into());
        self
    }
}

/// What a message comes to.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Understood {
    /// What to ask the tools, in the order of the message.
    pub(super) calls: Vec<Call>,
    /// Parts that say nothing to this parser, as written.
    pub(super) unclear: Vec<String>,
    /// Hello, thanks and the like.
    pub(super) greeted: bool,
    /// Asked what there is.
    pub(super) help: bool,
}

/// Takes a message apart into its requests.
pub(super) fn understand(message: &str, now: &Now) -> Understood {
    let words = lex::words(message);
    let mut understood = Understood::default();
    let mut rest = &words[..];
    while !rest.is_empty() {
        rest = skip_joints(rest);
        let (len, meaning) = first_request(rest, now);
        match meaning {
            Meaning::Calls(calls) => understood.calls.extend(calls),
            Meaning::Greeting => understood.greeted = true,
            Meaning::Help => understood.help = true,
            Meaning::Nothing if len > 0 => understood.unclear.push(written(&rest[..len])),
            Meaning::Nothing => {}
        }
        rest = &rest[len..];
    }
    understood.calls = merged(understood.calls);
    understood
}

#[derive(Debug)]
enum Meaning {
    Calls(Vec<Call>),
    Greeting,
    Help,
    Nothing,
}

/// The first request of these words, and how many of them it takes: up to a
/// joint behind which another request begins, else all.
fn first_request(words: &[Word], now: &Now) -> (usize, Meaning) {
    if !time::is_one_conversion(words, now) {
        for joint in joints(words) {
            let behind = skip_joints(&words[joint..]);
            let (_, next) = first_request(behind, now);
            if matches!(next, Meaning::Nothing) {
                continue;
            }
            let meaning = meaning(&words[..joint], now);
            if !matches!(meaning, Meaning::Nothing) || ends_a_sentence(&words[joint - 1]) {
                return (joint, meaning);
            }
        }
    }
    (words.len(), meaning(words, now))
}

fn ends_a_sentence(word: &Word) -> bool {
    matches!(word.end, Some('.' | '!' | '?' | ';' | '\n'))
}

/// Where another request may begin: after punctuation, and before "and".
fn joints(words: &[Word]) -> impl Iterator<Item = usize> + '_ {
    (1..words.len()).filter(|&place| {
        let after = matches!(
            words[place - 1].end,
            Some(',' | '.' | '!' | '?' | ';' | '\n')
        );
        after || matches!(words[place].low.as_str(), "and" | "then" | "also" | "&")
    })
}

fn skip_joints(words: &[Word]) -> &[Word] {
    let skipped = words
        .iter()
        .take_while(|word| matches!(word.low.as_str(), "and" | "then" | "also" | "&"))
        .count();
    &words[skipped..]
}

/// Reads one kind of request.
type Kind = fn(&[Word], &Now) -> Option<Vec<Call>>;

fn meaning(words: &[Word], now: &Now) -> Meaning {
    let words = without_politeness(words);
    if words.is_empty() {
        return Meaning::Greeting;
    }
    let kinds: [Kind; 9] = [
        tasks::create,
        preferences::update,
        later::add,
        blocks::create,
        tasks::view,
        time::convert,
        schedule::view,
        time::now,
        people::find,
    ];
    if let Some(calls) = kinds.iter().find_map(|kind| kind(words, now)) {
        return Meaning::Calls(calls);
    }
    if asks_for_help(words) {
        return Meaning::Help;
    }
    if is_greeting(words) {
        return Meaning::Greeting;
    }
    Meaning::Nothing
}

/// The request without "Hi Alfred, could you please … for me, thanks".
fn without_politeness(mut words: &[Word]) -> &[Word] {
    const BEFORE: [&[&str]; 26] = [
        &["can", "you"],
        &["could", "you"],
        &["would", "you"],
        &["will", "you"],
        &["i", "would", "like", "you", "to"],
        &["i", "want", "you", "to"],
        &["id", "like", "you", "to"],
        &["id", "like", "to"],
        &["i", "would", "like", "to"],
        &["i", "want", "to", "know"],
        &["go", "ahead"],
        &["hi", "alfred"],
        &["hello", "alfred"],
        &["hey", "alfred"],
        &["good", "morning", "alfred"],
        &["alfred"],
        &["please"],
        &["pls"],
        &["kindly"],
        &["ok"],
        &["okay"],
        &["so"],
        &["now"],
        &["just"],
        &["quickly"],
        &["lets"],
    ];
    const AFTER: [&[&str]; 7] = [
        &["please"],
        &["pls"],
        &["thanks"],
        &["thank", "you"],
        &["for", "me"],
        &["from", "now", "on"],
        &["alfred"],
    ];
    loop {
        let before = BEFORE
            .iter()
            .find(|words_before| at(words, 0, words_before));
        let after = AFTER.iter().find(|behind| {
            words.len() > behind.len() && at(words, words.len() - behind.len(), behind)
        });
        words = match (before, after) {
            // "thanks" and "hi Alfred" alone are the whole message.
            (Some(found), _) => &words[found.len()..],
            (None, Some(found)) => &words[..words.len() - found.len()],
            (None, None) => return words,
        };
    }
}

fn asks_for_help(words: &[Word]) -> bool {
    let alone = words.len() <= 3 && lex::has(words, &["help", "commands", "usage"]);
    let about_you = lex::has(words, &["you"])
        && lex::has(words, &["what", "how", "which"])
        && lex::has(
            words,
            &[
                "can",
                "able",
                "do",
                "help",
                "capable",
                "features",
                "abilities",
            ],
        )
        && words.iter().all(|word| {
            [
                "what",
                "how",
                "which",
                "can",
                "are",
                "you",
                "able",
                "do",
                "to",
                "help",
                "me",
                "with",
                "capable",
                "of",
                "for",
                "things",
                "the",
                "else",
                "all",
                "have",
                "features",
                "abilities",
                "kind",
                "stuff",
                "does",
                "it",
                "alfred",
            ]
            .contains(&word.low.as_str())
        });
    alone || about_you
}

fn is_greeting(words: &[Word]) -> bool {
    const WORDS: [&str; 34] = [
        "hi",
        "hello",
        "hey",
        "hiya",
        "howdy",
        "good",
        "morning",
        "afternoon",
        "evening",
        "night",
        "there",
        "thanks",
        "thank",
        "you",
        "alfred",
        "cheers",
        "bye",
        "goodbye",
        "great",
        "nice",
        "ok",
        "okay",
        "very",
        "much",
        "so",
        "a",
        "lot",
        "again",
        "how",
        "are",
        "ty",
        "thx",
        "greetings",
        "welcome",
    ];
    words.len() <= 6 && words.iter().all(|word| WORDS.contains(&word.low.as_str()))
}

/// Several changes of preferences are one call.
fn merged(calls: Vec<Call>) -> Vec<Call> {
    let mut kept: Vec<Call> = Vec::new();
    for call in calls {
        let preferences = kept
            .iter()
            .position(|known| known.tool == preferences::TOOL && known.tool == call.tool);
        match preferences {
            Some(place) => kept[place].arguments.extend(call.arguments),
            None if kept.contains(&call) => {}
            None => kept.push(call),
        }
    }
    kept
}

fn written(words: &[Word]) -> String {
    let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    texts.join(" ")
}

/// Whether every word that isn't marked as taken is one of these.
fn only_filler(words: &[Word], taken: &[bool], filler: &[&str]) -> bool {
    words
        .iter()
        .zip(taken)
        .all(|(word, taken)| *taken || filler.contains(&word.low.as_str()))
}

/// Marks a span as taken.
fn take(taken: &mut [bool], start: usize, len: usize) {
    for mark in taken.iter_mut().skip(start).take(len) {
        *mark = true;
    }
}
