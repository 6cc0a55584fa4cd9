//! Phrasings, as the files in `patterns` have them: one a tool or workflow.
//!
//! A file is made of blocks between empty lines. A block holds patterns, one a
//! line, and before them what holds for them all:
//!
//! ```text
//! > Tasks | add a task to call the bank     an example, listed by "help" under its head
//! ? remind me to call the bank              an example for who wasn't understood
//! via email_viewEmails                      looked at first, with the arguments `look.…`
//! with date = date or today                 an argument of each call of the tool, worked out from the others
//! show weekday                              what of the result was asked for
//! = Added: {{ task|task }}.                 the answer, as `say.rs` reads it
//! say You're welcome.                       the answer: no tool is called
//! decline I can't do that, since …          why it isn't done
//! remark                                    nothing is done about it
//! $when = (on|for) {day:date}               words that patterns of this file name: <when>; others as <file.when>
//! same tomorrow = tmrw|tmw                  other words for what a slot reads
//! @articles the a an                        a list of words
//! ```
//!
//! In a pattern `(a|b)` is a choice, `[a]` may be missing, `{day:dueDate}` is a day that
//! becomes this argument, and `{=priority:high}` sets one. Words stand in this order, but
//! for those of `~(a [b] c* d+)`: each part once in any order, `*` any number of times and
//! `+` at least once. Where a whole pattern is such parts, as in `~ a [b]`, words that mean
//! nothing may stand between them. Every word of a message must be matched; a word fits
//! with an "s" more.
//!
//! What is named or answered over several lines is taken together. Parts that set an
//! argument to two values don't fit together.

mod grammar;

use minijinja::Environment;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use crate::say;
use crate::words::plain;

/// The look that tells which proposals are open.
pub(crate) const OPEN: &str = "approval_list";

/// A part of a pattern.
#[derive(Debug)]
pub(crate) enum Node {
    Word(String),
    Slot(&'static str, Arc<str>),
    Set(Arc<str>, Arc<Value>),
    /// What a name stands for, by its place.
    Named(usize),
    Any(Vec<Vec<Node>>),
    /// Parts in any order; whether words that mean nothing may stand between them.
    Free(Vec<Part>, bool),
}

/// A part that may stand anywhere among the others.
#[derive(Debug)]
pub(crate) struct Part {
    /// What it stands for, by its place.
    pub(crate) named: usize,
    pub(crate) needed: bool,
    /// Whether it may stand there again.
    pub(crate) again: bool,
}

/// What is said where no tool is called.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Says {
    Answer(&'static str),
    Refusal(&'static str),
    /// Nothing was asked for.
    Remark,
}

/// What patterns lead to.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub(crate) struct Leads {
    /// The tool, as the file is called.
    pub(crate) tool: &'static str,
    pub(crate) via: Option<&'static str>,
    pub(crate) show: &'static str,
    pub(crate) says: Option<Says>,
}

#[derive(Debug)]
pub(crate) struct Pattern {
    pub(crate) leads: Leads,
    pub(crate) nodes: Vec<Node>,
}

/// Something to say, as a person would; under its head in the help, if it has one.
#[derive(Debug)]
pub(crate) struct Example {
    pub(crate) tool: &'static str,
    pub(crate) head: &'static str,
    pub(crate) text: &'static str,
}

/// What may stand around any request, and inside; and their places.
const AROUND: [&str; 4] = [
    "words.before",
    "words.after",
    "words.thanks",
    "words.filler",
];
pub(crate) const BEFORE: usize = 0;
pub(crate) const AFTER: usize = 1;
pub(crate) const THANKS: usize = 2;
pub(crate) const FILLER: usize = 3;

#[derive(Debug, Default)]
pub(crate) struct Phrasings {
    pub(crate) patterns: Vec<Pattern>,
    pub(crate) examples: Vec<Example>,
    /// Where `file.name` stands in `meanings`.
    names: BTreeMap<String, usize>,
    meanings: Vec<Vec<Vec<Node>>>,
    templates: BTreeMap<String, String>,
    /// By tool, arguments and the expressions that give them.
    with: BTreeMap<&'static str, Vec<(&'static str, &'static str)>>,
    /// What templates are filled in with.
    pub(crate) answers: Environment<'static>,
    /// The lists that each word is on: `@articles the a an`.
    lists: HashMap<&'static str, Vec<&'static str>>,
    same: HashMap<&'static str, &'static str>,
    /// Every word that stands in a pattern.
    pub(crate) vocabulary: BTreeSet<String>,
}

impl Phrasings {
    /// Reads files, each with its name.
    pub(crate) fn read(files: &[(&'static str, &'static str)]) -> Result<Self, String> {
        let mut read = Self {
            answers: say::answers(),
            ..Self::default()
        };
        for name in AROUND {
            read.place(name);
        }
        for (name, text) in files {
            let mut leads = Leads::default();
            let named = text
                .lines()
                .filter_map(|line| line.strip_prefix('$')?.split_once(" = "));
            for (own, _) in named {
                read.place(&format!("{name}.{own}"));
            }
            for line in text.lines().map(str::trim).filter(|l| !l.starts_with('#')) {
                if line.is_empty() {
                    leads = Leads::default();
                    continue;
                }
                leads.tool = name;
                let done = read.line(line, &mut leads);
                done.map_err(|problem| format!("{name}: \"{line}\" {problem}"))?;
            }
        }
        for (name, template) in &read.templates {
            let compiled = read.answers.template_from_str(template);
            compiled.map_err(|problem| format!("{name}: {problem}"))?;
            if let Some(form) = name.strip_prefix("words.") {
                say::add_form(&mut read.answers, form, template.clone());
            }
        }
        let undefined = |(_, place): &(&String, &usize)| read.meanings[**place].is_empty();
        match read.names.iter().find(undefined) {
            Some((name, _)) => Err(format!("nothing says what <{name}> stands for")),
            None => Ok(read),
        }
    }

    fn line(&mut self, line: &'static str, leads: &mut Leads) -> Result<(), String> {
        let (first, rest) = line.split_once(' ').unwrap_or((line, ""));
        let tool = leads.tool;
        match first {
            ">" | "?" => {
                let (head, text) = rest.split_once(" | ").unwrap_or(("", rest));
                self.examples.push(Example { tool, head, text });
            }
            "=" => {
                let named = rest.split_once(' ').filter(|_| tool == "words");
                let (show, text) = named.unwrap_or((leads.show, rest));
                let template = self.templates.entry(format!("{tool}.{show}"));
                template.or_default().push_str(&text.replace("\\n", "\n"));
            }
            "with" => {
                let (name, value) = rest.split_once(" = ").ok_or("gives nothing")?;
                let compiled = self.answers.compile_expression(value);
                compiled.map_err(|problem| problem.to_string())?;
                self.with.entry(tool).or_default().push((name, value));
            }
            "via" => leads.via = Some(rest),
            "show" => leads.show = rest,
            "say" => leads.says = Some(Says::Answer(rest)),
            "remark" => leads.says = Some(Says::Remark),
            "same" => {
                let (usual, others) = rest.split_once(" = ").ok_or("is the same as nothing")?;
                let others = others.split('|');
                self.same.extend(others.clone().map(|other| (other, usual)));
                self.vocabulary
                    .extend(others.filter(|other| !other.contains(' ')).map(plain));
            }
            "decline" => leads.says = Some(Says::Refusal(rest)),
            _ => match (line.strip_prefix('$'), first.strip_prefix('@')) {
                (_, Some(list)) => {
                    for word in rest.split(' ') {
                        self.lists.entry(word).or_default().push(list);
                        // A list may be of lists.
                        if !list.contains('.') {
                            self.vocabulary.insert(word.to_owned());
                        }
                    }
                }
                (Some(named), _) => {
                    let (name, pattern) = named.split_once(" = ").ok_or("names nothing")?;
                    let place = self.place(&format!("{tool}.{name}"));
                    let nodes = self.nodes(tool, pattern)?;
                    self.meanings[place].push(nodes);
                }
                (None, None) => {
                    let (leads, nodes) = (*leads, self.nodes(tool, line)?);
                    self.patterns.push(Pattern { leads, nodes });
                }
            },
        }
        Ok(())
    }

    /// The answer of a tool where this of its result was asked for, else its usual one.
    pub(crate) fn template(&self, tool: &str, show: &str) -> Option<&str> {
        let found = |show: &str| self.templates.get(&format!("{tool}.{show}"));
        found(show).or_else(|| found("")).map(String::as_str)
    }

    /// The arguments of a tool that follow from others, and the expressions that give them.
    pub(crate) fn with(&self, tool: &str) -> &[(&'static str, &'static str)] {
        self.with.get(tool).map_or(&[], Vec::as_slice)
    }

    /// Whether a word is on a list.
    pub(crate) fn is(&self, list: &str, word: &str) -> bool {
        let lists = self.lists.get(word);
        lists.is_some_and(|lists| lists.contains(&list))
    }

    /// Whether a word is on one of the lists that are on a list.
    pub(crate) fn is_barred(&self, by: &str, word: &str) -> bool {
        let lists = self.lists.get(word);
        lists.is_some_and(|lists| lists.iter().any(|list| self.is(by, list)))
    }

    /// What these words are another name for.
    pub(crate) fn same(&self, words: &str) -> Option<&'static str> {
        self.same.get(words).copied()
    }

    /// Words as parsers have them, one by one and together.
    pub(crate) fn usual(&self, text: &str) -> String {
        let one = |word| self.same(word).filter(|usual| !usual.contains(' '));
        let words = text.split(' ').map(|word| one(word).unwrap_or(word));
        let text = words.collect::<Vec<_>>().join(" ");
        self.same(&text).map_or(text, str::to_owned)
    }

    /// How many names there are.
    pub(crate) fn places(&self) -> usize {
        self.meanings.len()
    }

    /// What a name stands for.
    pub(crate) fn named(&self, place: usize) -> &[Vec<Node>] {
        &self.meanings[place]
    }

    fn place(&mut self, name: &str) -> usize {
        if let Some(place) = self.names.get(name) {
            return *place;
        }
        self.meanings.push(Vec::new());
        self.names.insert(name.to_owned(), self.meanings.len() - 1);
        self.meanings.len() - 1
    }

    /// A name of this file, else of all of them.
    fn name(&mut self, file: &str, name: &str) -> Node {
        let own = if name.contains('.') {
            name.to_owned()
        } else {
            format!("{file}.{name}")
        };
        let (_, bare) = own.split_once('.').unwrap_or_default();
        match self.names.get(&own) {
            Some(place) => Node::Named(*place),
            None => Node::Named(self.place(&format!("words.{bare}"))),
        }
    }
}
