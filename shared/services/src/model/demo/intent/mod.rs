//! What a message asks for, as tool calls. One file a kind of request; each
//! gives `None` when the words aren't its own.

mod attendees;
mod block_changes;
mod block_kind;
mod blocks;
mod calendar;
mod changes;
mod clauses;
mod convert;
mod courtesy;
mod feedback;
mod fill;
mod gaps;
mod kinds;
mod later;
mod mail;
mod mail_changes;
mod mail_selection;
mod meetings;
mod message;
mod people;
mod plan;
mod preferences;
mod recurrence;
mod schedule;
mod slot;
mod suggest;
mod system;
mod task_changes;
mod task_fields;
mod task_list;
mod tasks;
mod time;
mod utilization;
mod week;
mod work_hours;

use serde_json::{Map, Value};

use jiff::civil::Date;

use super::clock::Clock;
use super::dates::Now;
use super::lex::Word;
use super::places::Place;
pub(super) use changes::Change;
pub(super) use clauses::Understood;
pub(super) use clauses::understand;

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
    /// To archive the e-mails that are listed; only when there is a single one, if one was meant.
    Archive {
        /// Whether one was meant.
        one: bool,
    },
}

impl Wanted {
    /// Whether the look was only made to find what is to be changed.
    pub(super) fn only_looks(&self) -> bool {
        matches!(self, Self::Change(_) | Self::Archive { .. })
    }
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
            Wanted::Archive { .. } => "email_archiveBatch",
            _ => self.tool,
        }
    }

    /// Whether it does more than look.
    pub(super) fn changes(&self) -> bool {
        changes(self.purpose())
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

    /// What is wanted of a workflow, which this model can't put into its fields: the card says so.
    fn wanting_unmet(self, words: String) -> Self {
        self.with("changes", serde_json::json!({ "unmet": [words] }))
    }

    fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.arguments.insert(name.into(), value.into());
        self
    }
}

/// Whether a tool does more than look.
pub(super) fn changes(tool: &str) -> bool {
    const LOOKS: [&str; 14] = [
        "view", "list", "lookup", "now", "convert", "add", "find", "analyze", "suggest", "get",
        "read", "show", "present", "await",
    ];
    let verb = tool.split('_').nth(1).unwrap_or_default();
    !LOOKS.iter().any(|look| verb.starts_with(look))
}

/// What one kind of request makes of words: nothing when they aren't its own.
type Reading = Option<Result<Vec<Call>, Refusal>>;

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

/// The words up to the end of the clause.
fn clause(words: &[Word]) -> &[Word] {
    let end = words.iter().position(|word| word.end.is_some());
    &words[..end.map_or(words.len(), |end| end + 1)]
}

/// Marks a span as taken.
fn take(taken: &mut [bool], start: usize, len: usize) {
    for mark in taken.iter_mut().skip(start).take(len) {
        *mark = true;
    }
}

/// The words with the punctuation that stood behind them.
fn punctuated(words: &[Word]) -> String {
    let mut text = String::new();
    for word in words {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&word.text);
        text.extend(word.end.filter(|end| *end != '\n'));
    }
    text
}

/// The person's date as tools take it.
fn today(now: &Now) -> String {
    now.date
        .map_or_else(|| "today".into(), |day| day.to_string())
}
