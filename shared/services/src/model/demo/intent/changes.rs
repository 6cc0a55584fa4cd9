//! A change of something that is looked up first: it is found in what the look
//! gives, and the change follows with its id.

use serde_json::{Map, Value};

use crate::model::demo::lex::{Word, fold};

/// What is on a schedule.
pub(super) const NOUNS: [&str; 6] = ["block", "meeting", "event", "slot", "appointment", "blok"];

/// A change of one thing of a list.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::model::demo) struct Change {
    /// The tool that makes it.
    pub(in crate::model::demo) tool: &'static str,
    /// Its argument for the thing's id.
    id: &'static str,
    /// The field of the view's result that lists the things.
    list: &'static str,
    /// Words of its title, as written.
    pub(in crate::model::demo) title: String,
    /// When a block starts, if that was said.
    start: Option<String>,
    /// Further arguments.
    more: Map<String, Value>,
}

impl Change {
    /// The things that are meant: those of exactly this title, else those whose
    /// title has all its words, else all but "meeting" and the like.
    pub(in crate::model::demo) fn matches<'a>(&self, data: &'a Value) -> Vec<&'a Value> {
        let all = data.get(self.list).and_then(Value::as_array);
        let there: Vec<&Value> = all
            .into_iter()
            .flatten()
            .filter(|thing| {
                let starts = thing.get("startTime").and_then(Value::as_str);
                self.start
                    .as_deref()
                    .is_none_or(|start| starts == Some(start))
            })
            .collect();
        let title = |thing: &Value| {
            fold(
                thing
                    .get("title")
                    .and_then(Value::as_str)
                    .unwrap_or_default(),
            )
        };
        let wanted = fold(&self.title);
        let words: Vec<&str> = wanted.split_whitespace().collect();
        let telling: Vec<&str> = words
            .iter()
            .copied()
            .filter(|word| !NOUNS.contains(word))
            .collect();
        let having = |words: &[&str]| -> Vec<&'a Value> {
            let has = |thing: &Value| {
                let title = title(thing);
                let has = |word: &&str| title.split(' ').any(|part| part == *word);
                words.iter().all(has)
            };
            there.iter().copied().filter(|thing| has(thing)).collect()
        };
        let exact = there.iter().copied().filter(|thing| title(thing) == wanted);
        [exact.collect(), having(&words)]
            .into_iter()
            .find(|found| !found.is_empty())
            .or_else(|| (!telling.is_empty()).then(|| having(&telling)))
            .unwrap_or_default()
    }

    /// A change of a block.
    pub(super) fn of_block(
        tool: &'static str,
        title: String,
        start: Option<String>,
        more: Map<String, Value>,
    ) -> Self {
        Self {
            tool,
            id: "blockId",
            list: "blocks",
            title,
            start,
            more,
        }
    }

    /// The arguments of the change of this thing. A block that only changes its day keeps its time.
    pub(in crate::model::demo) fn arguments(&self, thing: &Value) -> Value {
        let mut arguments = self.more.clone();
        if arguments.contains_key("newDate") && !arguments.contains_key("newStartTime") {
            let start = thing.get("startTime").cloned().unwrap_or_default();
            arguments.insert("newStartTime".into(), start);
        }
        arguments.insert(self.id.into(), thing.get("id").cloned().unwrap_or_default());
        Value::Object(arguments)
    }
}

/// Whether these words only point at something that was said elsewhere.
pub(super) fn punctual(title: &str) -> bool {
    const POINTERS: [&str; 12] = [
        "it",
        "this",
        "that",
        "them",
        "these",
        "those",
        "something",
        "everything",
        "one",
        "work",
        "all",
        "anything",
    ];
    !title.is_empty()
        && title
            .split_whitespace()
            .all(|word| POINTERS.contains(&fold(word).as_str()))
}

/// The words without articles and nouns around them.
pub(super) fn subject(mut words: &[Word], nouns: &[&str]) -> String {
    let edge = |word: &Word| {
        !word.quoted
            && (nouns.contains(&word.low.as_str())
                || [
                    "the", "my", "a", "called", "named", "titled", "on", "for", "at",
                ]
                .contains(&word.low.as_str()))
    };
    while let [first, rest @ ..] = words
        && edge(first)
    {
        words = rest;
    }
    while let [rest @ .., last] = words
        && edge(last)
    {
        words = rest;
    }
    super::written(words)
}
