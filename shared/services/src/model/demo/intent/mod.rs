//! What a message asks for, as tool calls. One file a kind of request; each
//! gives `None` when the words aren't its own.

mod block_kind;
mod blocks;
mod calendar;
mod changes;
mod convert;
mod courtesy;
mod later;
mod people;
mod preferences;
mod recurrence;
mod schedule;
mod slot;
mod task_fields;
mod task_list;
mod tasks;
mod time;
mod work_hours;

use serde_json::{Map, Value};

use jiff::civil::Date;

use super::clock::Clock;
use super::dates::Now;
use super::lex::{self, Word};
use super::places::Place;
pub(super) use changes::Change;

/// A tool call to make.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Call {
    /// The tool.
    pub(super) tool: &'static str,
    /// Its arguments.
    pub(super) arguments: Map<String, Value>,
    /// What of its result was asked for.
    pub(super) wanted: Wanted,
    /// The places in its arguments as the person wrote them, in their order.
    pub(super) places: Vec<String>,
}

/// What of a result was asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Wanted {
    /// All of it.
    #[default]
    All,
    /// The day of the week, of a day that may have a name.
    Weekday(Option<&'static str>),
    /// The time that is left.
    Wait(Wait),
    /// The zone.
    Zone,
    /// Tasks that are … ("overdue").
    Due(String),
    /// To change one of what is listed.
    Change(Change),
}

/// A wait for a day, a time of day, or both.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Wait {
    /// The day.
    pub(super) day: Option<Date>,
    /// The time of day.
    pub(super) clock: Option<Clock>,
    /// In what it is to be counted: days, hours, … ; as it fits when nothing was said.
    pub(super) unit: Option<jiff::Unit>,
}

/// Why a request that was understood leads to no call, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal(pub(super) String);

impl Call {
    fn new(tool: &'static str) -> Self {
        Self {
            tool,
            arguments: Map::new(),
            wanted: Wanted::All,
            places: Vec::new(),
        }
    }

    /// The tool that does what was asked for: the one that changes, of a call that only looks first.
    pub(super) fn purpose(&self) -> &'static str {
        match &self.wanted {
            Wanted::Change(change) => change.tool,
            _ => self.tool,
        }
    }

    /// Whether it is this one.
    pub(super) fn is(&self, tool: &str, arguments: &Value) -> bool {
        self.tool == tool && arguments.as_object() == Some(&self.arguments)
    }

    fn wanting(mut self, wanted: Wanted) -> Self {
        self.wanted = wanted;
        self
    }

    fn at_place(mut self, name: &str, place: Place) -> Self {
        self.places.push(place.written);
        self.with(name, place.zone)
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
    /// Why parts of it can't be done.
    pub(super) refused: Vec<Refusal>,
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
            Meaning::Refused(refusal) => understood.refused.push(refusal),
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
    Refused(Refusal),
    Greeting,
    Help,
    Nothing,
}

/// The first request of these words, and how many of them it takes: up to a
/// joint behind which another request begins, else all.
fn first_request(words: &[Word], now: &Now) -> (usize, Meaning) {
    if !convert::is_one_conversion(words, now) {
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
    match meaning(words, now) {
        // Of "the time in Rome, and bake a cake" the first part can be done.
        Meaning::Nothing => joints(words)
            .map(|joint| (joint, meaning(&words[..joint], now)))
            .filter(|(_, meaning)| matches!(meaning, Meaning::Calls(_) | Meaning::Refused(_)))
            .last()
            .unwrap_or((words.len(), Meaning::Nothing)),
        meaning => (words.len(), meaning),
    }
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

/// What one kind of request makes of words: nothing when they aren't its own.
type Reading = Option<Result<Vec<Call>, Refusal>>;

/// Reads one kind of request.
type Kind = fn(&[Word], &Now) -> Reading;

fn meaning(words: &[Word], now: &Now) -> Meaning {
    let words = courtesy::without_politeness(words);
    if words.is_empty() {
        return Meaning::Greeting;
    }
    let kinds: [Kind; 13] = [
        changes::change,
        changes::message,
        tasks::create,
        preferences::update,
        later::add,
        calendar::wait,
        calendar::weekday,
        blocks::create,
        task_list::view,
        convert::convert,
        schedule::view,
        time::now,
        people::find,
    ];
    match kinds.iter().find_map(|kind| kind(words, now)) {
        Some(Ok(calls)) => return Meaning::Calls(calls),
        Some(Err(refusal)) => return Meaning::Refused(refusal),
        None => {}
    }
    if courtesy::asks_for_help(words) {
        return Meaning::Help;
    }
    if courtesy::is_greeting(words) {
        return Meaning::Greeting;
    }
    Meaning::Nothing
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
