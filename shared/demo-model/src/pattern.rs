//! The patterns in the files of `patterns/`, one file for each tool or workflow.
//!
//! A file consists of blocks between empty lines. A block holds patterns, one a line, and before them
//! the lines that apply to all patterns of the block:
//!
//! ```text
//! ? add a task to call the bank             an example, for refusals
//! via email_viewEmails                      a tool that is called first, with the arguments `look.…`
//! with date = date or today                 an argument of the tool, computed from the others
//! show weekday                              selects the answer template `= …` of this block
//! = Added: {{ task|task }}.                 the answer, a template that `say.rs` renders
//! say You're welcome.                       the answer without a tool call
//! decline I can't do that, since …          the answer if it can't be done
//! asks show my tasks | show my week         the pattern stands for these requests
//! $when = (on|for) {day:date}               a named part: <when> in this file, <file.when> in others
//! same tomorrow = tmrw|tmw                  other spellings of what a slot reads
//! @articles the a an                        a list of words
//! ```
//!
//! A pattern is made of words, `(a|b)`, `[optional]`, `{slot:argument}`, `{=argument:value}`, `,`
//! and `<name>`. `task/s` matches "task" and "tasks".

mod grammar;

use minijinja::Environment;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use crate::say;
use crate::words::plain;
use serde_json::Value;

/// The tool that lists open proposals.
pub(crate) const OPEN: &str = "approval_list";

/// A part of a pattern.
#[derive(Debug)]
pub(crate) enum Node {
    /// A word, and whether its plural matches too.
    Word(String, bool),
    Comma,
    Slot(&'static str, Arc<str>),
    Set(Arc<str>, Arc<Value>),
    /// The index of a named part.
    Named(usize),
    Any(Vec<Vec<Node>>),
}

/// What happens without a tool call.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Says {
    Answer(&'static str),
    Refusal(&'static str),
    /// The pattern stands for these requests.
    Requests(&'static str),
}

/// What a pattern leads to.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub(crate) struct Leads {
    /// The tool, which is the file's name.
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

/// A request as a person would write it.
#[derive(Debug)]
pub(crate) struct Example {
    pub(crate) tool: &'static str,
    pub(crate) text: &'static str,
}

/// The first two named parts: courtesy before and after a request.
pub(crate) const BEFORE: usize = 0;
pub(crate) const AFTER: usize = 1;

#[derive(Debug, Default)]
pub(crate) struct Phrasings {
    pub(crate) patterns: Vec<Pattern>,
    pub(crate) examples: Vec<Example>,
    /// Index of `file.name` in `meanings`.
    names: BTreeMap<String, usize>,
    meanings: Vec<Vec<Vec<Node>>>,
    templates: BTreeMap<String, String>,
    /// By tool: arguments, and the expressions that compute them.
    with: BTreeMap<&'static str, Vec<(&'static str, &'static str)>>,
    /// The template engine.
    pub(crate) answers: Environment<'static>,
    /// The lists that each word is on.
    lists: HashMap<&'static str, Vec<&'static str>>,
    same: HashMap<&'static str, &'static str>,
    /// Every word of a pattern or list.
    pub(crate) vocabulary: BTreeSet<String>,
}

impl Phrasings {
    /// Reads files, each with its name.
    ///
    /// # Errors
    /// Names the line that can't be read, or the name that isn't defined.
    pub(crate) fn read(files: &[(&'static str, &'static str)]) -> Result<Self, String> {
        let mut read = Self {
            answers: say::answers(),
            ..Self::default()
        };
        read.index("words.before");
        read.index("words.after");
        for (name, text) in files {
            // A part of this file comes before one of `words.txt` with the same name.
            let own = |line: &'static str| line.strip_prefix('$')?.split_once(" = ");
            for (own, _) in text.lines().filter_map(own) {
                read.index(&format!("{name}.{own}"));
            }
            let mut leads = Leads::default();
            for line in text.lines().filter(|line| !line.starts_with('#')) {
                leads.tool = name;
                let done = read.line(line, &mut leads);
                done.map_err(|problem| format!("{name}: \"{line}\" {problem}"))?;
            }
        }
        read.check()?;
        Ok(read)
    }

    /// Compiles the templates, and checks that every name is defined.
    fn check(&mut self) -> Result<(), String> {
        for (name, template) in &self.templates {
            let compiled = self.answers.template_from_str(template);
            compiled.map_err(|problem| format!("{name}: {problem}"))?;
            if let Some(form) = name.strip_prefix("words.") {
                say::add_form(&mut self.answers, form, template.clone());
            }
        }
        let undefined = |(_, index): &(&String, &usize)| self.meanings[**index].is_empty();
        if let Some((name, _)) = self.names.iter().find(undefined) {
            return Err(format!("nothing says what <{name}> stands for"));
        }
        Ok(())
    }

    fn line(&mut self, line: &'static str, leads: &mut Leads) -> Result<(), String> {
        let (first, rest) = line.split_once(' ').unwrap_or((line, ""));
        let tool = leads.tool;
        match first {
            "" => *leads = Leads::default(),
            "?" => self.examples.push(Example { tool, text: rest }),
            "=" => {
                let named = rest.split_once(' ').filter(|_| tool == "words");
                let (show, text) = named.unwrap_or((leads.show, rest));
                let template = self.templates.entry(format!("{tool}.{show}"));
                template.or_default().push_str(&text.replace("\\n", "\n"));
            }
            "with" => {
                let (name, value) = rest.split_once(" = ").ok_or("computes nothing")?;
                let compiled = self.answers.compile_expression(value);
                compiled.map_err(|problem| problem.to_string())?;
                self.with.entry(tool).or_default().push((name, value));
            }
            "via" => leads.via = Some(rest),
            "show" => leads.show = rest,
            "say" => leads.says = Some(Says::Answer(rest)),
            "decline" => leads.says = Some(Says::Refusal(rest)),
            "asks" => leads.says = Some(Says::Requests(rest)),
            "same" => {
                let (usual, others) = rest.split_once(" = ").ok_or("is the same as nothing")?;
                for other in others.split('|') {
                    self.same.insert(other, usual);
                    self.vocabulary.extend(other.split(' ').map(plain));
                }
            }
            _ => return self.pattern(line, *leads),
        }
        Ok(())
    }

    /// A list of words, a named part or a pattern.
    fn pattern(&mut self, line: &'static str, leads: Leads) -> Result<(), String> {
        if let Some((list, words)) = line.strip_prefix('@').and_then(|line| line.split_once(' ')) {
            for word in words.split(' ') {
                self.lists.entry(word).or_default().push(list);
                // A list such as `title.any` consists of lists.
                if !list.contains('.') {
                    self.vocabulary.insert(word.to_owned());
                }
            }
        } else if let Some(named) = line.strip_prefix('$') {
            let (name, pattern) = named.split_once(" = ").ok_or("names nothing")?;
            let index = self.index(&format!("{}.{name}", leads.tool));
            let nodes = self.nodes(leads.tool, pattern)?;
            self.meanings[index].push(nodes);
        } else {
            let nodes = self.nodes(leads.tool, line)?;
            self.patterns.push(Pattern { leads, nodes });
        }
        Ok(())
    }

    /// The answer template of a tool for this `show`, else its usual one.
    pub(crate) fn template(&self, tool: &str, show: &str) -> Option<&str> {
        let found = |show: &str| self.templates.get(&format!("{tool}.{show}"));
        found(show).or_else(|| found("")).map(String::as_str)
    }

    /// The computed arguments of a tool, with their expressions.
    pub(crate) fn with(&self, tool: &str) -> &[(&'static str, &'static str)] {
        self.with.get(tool).map_or(&[], Vec::as_slice)
    }

    /// Whether a word is on a list.
    pub(crate) fn is(&self, list: &str, word: &str) -> bool {
        let lists = self.lists.get(word);
        lists.is_some_and(|lists| lists.contains(&list))
    }

    /// Whether a word is on one of the lists that `by` consists of.
    pub(crate) fn is_barred(&self, by: &str, word: &str) -> bool {
        let lists = self.lists.get(word);
        lists.is_some_and(|lists| lists.iter().any(|list| self.is(by, list)))
    }

    /// The usual spelling of these words.
    pub(crate) fn same(&self, words: &str) -> Option<&'static str> {
        self.same.get(words).copied()
    }

    /// The words in the spelling that the parsers of slots read.
    pub(crate) fn usual(&self, text: &str) -> String {
        let one = |word| self.same(word).filter(|usual| !usual.contains(' '));
        let words = text.split(' ').map(|word| one(word).unwrap_or(word));
        let text = words.collect::<Vec<_>>().join(" ");
        self.same(&text).map_or(text, str::to_owned)
    }

    /// The sequences that a named part stands for.
    pub(crate) fn named(&self, index: usize) -> &[Vec<Node>] {
        &self.meanings[index]
    }

    fn index(&mut self, name: &str) -> usize {
        let next = self.meanings.len();
        let index = *self.names.entry(name.to_owned()).or_insert(next);
        if index == next {
            self.meanings.push(Vec::new());
        }
        index
    }

    /// A name of this file, else of `words.txt`, or `file.name`.
    fn name(&mut self, file: &str, name: &str) -> Node {
        let own = format!("{file}.{name}");
        Node::Named(match self.names.get(&own) {
            Some(index) => *index,
            None if name.contains('.') => self.index(name),
            None => self.index(&format!("words.{name}")),
        })
    }
}
