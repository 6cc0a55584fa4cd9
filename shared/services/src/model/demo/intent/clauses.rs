//! A message as its requests, clause by clause.

use std::collections::HashMap;

use alfred_core::ports::ToolSpec;

use super::{
    Call, Refusal, convert, courtesy, feedback, kinds, plan, preferences, suggest, written,
};
use crate::model::demo::dates::Now;
use crate::model::demo::lex::{self, Word};

/// What a message comes to.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::model::demo) struct Understood {
    /// What to ask the tools, in the order of the message.
    pub(in crate::model::demo) calls: Vec<Call>,
    /// Why parts of it can't be done.
    pub(in crate::model::demo) refused: Vec<Refusal>,
    /// Parts that say nothing to this parser, as written.
    pub(in crate::model::demo) unclear: Vec<String>,
    /// Hello, thanks and the like.
    pub(in crate::model::demo) greeted: bool,
    /// Asked what there is.
    pub(in crate::model::demo) help: bool,
}

/// Takes a message apart into its requests, with these tools at hand.
pub(in crate::model::demo) fn understand(
    message: &str,
    now: &Now,
    tools: &[ToolSpec],
) -> Understood {
    let words = lex::words(message);
    let mut understood = Understood::default();
    let mut reader = Reader {
        now,
        tools,
        known: HashMap::new(),
    };
    // From the end, so that each look ahead is known already.
    let starts: Vec<usize> = joints(&words).collect();
    for start in starts.into_iter().rev() {
        reader.first_request(skip_joints(&words[start..]));
    }
    let mut rest = &words[..];
    while !rest.is_empty() {
        rest = skip_joints(rest);
        let (len, meaning) = reader.first_request(rest);
        let said = &rest[..len];
        match meaning {
            Meaning::Calls(calls) => understood.calls.extend(calls),
            Meaning::Refused(refusal) => understood.refused.push(refusal),
            Meaning::Greeting => understood.greeted = true,
            Meaning::Help => understood.help = true,
            // "Add that to my tasks" says once more what was said before.
            Meaning::Echo
                if understood
                    .calls
                    .last()
                    .is_some_and(|call| courtesy::echoes(said, call.purpose())) => {}
            Meaning::Nothing | Meaning::Echo if len > 0 => understood.unclear.push(written(said)),
            Meaning::Nothing | Meaning::Echo => {}
        }
        rest = &rest[len..];
    }
    understood.calls = merged(understood.calls);
    understood
}

/// Clauses that a request may have.
const CLAUSES: usize = 8;

#[derive(Clone, Debug)]
enum Meaning {
    Calls(Vec<Call>),
    Refused(Refusal),
    Greeting,
    Help,
    /// It points back to the request before it.
    Echo,
    Nothing,
}

impl Meaning {
    fn is_nothing(&self) -> bool {
        matches!(self, Self::Nothing)
    }
}

struct Reader<'a> {
    now: &'a Now,
    tools: &'a [ToolSpec],
    /// The first request of the last so many words: without it, reading would take twice as long with each clause.
    known: HashMap<usize, (usize, Meaning)>,
}

impl Reader<'_> {
    /// The first request of these words, and how many of them it takes: up to a
    /// joint behind which another request begins, else all.
    fn first_request(&mut self, words: &[Word]) -> (usize, Meaning) {
        if let Some(known) = self.known.get(&words.len()) {
            return known.clone();
        }
        let found = self.read(words);
        self.known.insert(words.len(), found.clone());
        found
    }

    fn read(&mut self, all: &[Word]) -> (usize, Meaning) {
        let end = joints(all).nth(CLAUSES);
        let words = &all[..end.unwrap_or(all.len())];
        if let Some(len) = self.across(words) {
            return (len, self.meaning(&words[..len]));
        }
        if !convert::is_one_conversion(words, self.now) {
            for joint in joints(words) {
                let behind = skip_joints(&all[joint..]);
                let (len, next) = self.first_request(behind);
                if next.is_nothing() {
                    continue;
                }
                let before = &words[..joint];
                let meaning = self.meaning(before);
                if meaning.is_nothing()
                    && matches!(next, Meaning::Echo)
                    && let Some(whole) = courtesy::resolved(before, &behind[..len])
                    && let whole @ Meaning::Calls(_) = self.meaning(&whole)
                {
                    return (all.len() - behind.len() + len, whole);
                }
                if !meaning.is_nothing() || ends_a_sentence(&words[joint - 1]) {
                    return (joint, meaning);
                }
            }
        }
        match self.meaning(words) {
            // Of "the time in Rome, and bake a cake" the first part can be done.
            Meaning::Nothing => joints(words)
                .map(|joint| (joint, self.meaning(&words[..joint])))
                .filter(|(_, meaning)| matches!(meaning, Meaning::Calls(_) | Meaning::Refused(_)))
                .last()
                .unwrap_or((words.len(), Meaning::Nothing)),
            meaning => (words.len(), meaning),
        }
    }

    /// The words of a request whose parts would be others alone: a plan with
    /// wishes behind it, a length of time and what to do with it.
    fn across(&mut self, words: &[Word]) -> Option<usize> {
        let bounds: Vec<usize> = joints(words).chain([words.len()]).collect();
        let plain = |end: usize| courtesy::without_politeness(&words[..end]);
        let first = *bounds.first()?;
        let keeps = self.tools.iter().any(|tool| tool.name == feedback::TOOL);
        if keeps && feedback::begins(plain(words.len()), self.now) {
            return Some(words.len());
        }
        if preferences::headed(plain(words.len())).is_some()
            && preferences::update(plain(words.len()), self.now).is_some()
        {
            return Some(words.len());
        }
        if plan::day(plain(first), self.now).is_some() {
            return Some(self.up_to(words, &bounds, plan::is_wish));
        }
        let offered = self.tools.iter().any(|tool| tool.name == suggest::TOOL);
        let asks = |end: &usize| suggest::tasks(plain(*end), self.now).is_some();
        let end = bounds.iter().take(3).position(asks).filter(|_| offered)?;
        Some(self.up_to(words, &bounds[end..], |_| false))
    }

    /// How far a request goes on from the first of these bounds: over what adds to it, and over what would be nothing alone.
    fn up_to(&self, words: &[Word], bounds: &[usize], adds: fn(&[Word]) -> bool) -> usize {
        let mut end = bounds.first().copied().unwrap_or(words.len());
        for &bound in bounds.iter().skip(1) {
            let clause = courtesy::without_politeness(skip_joints(&words[end..bound]));
            if !(adds(clause) || self.meaning(clause).is_nothing()) {
                break;
            }
            end = bound;
        }
        end
    }

    fn meaning(&self, words: &[Word]) -> Meaning {
        let words = courtesy::without_politeness(words);
        if words.is_empty() {
            return Meaning::Greeting;
        }
        if courtesy::is_echo(words) {
            return Meaning::Echo;
        }
        match kinds::reading(words, self.now, self.tools) {
            Some(Ok(calls)) if courtesy::hesitates(words) && calls.iter().any(Call::changes) => {
                return Meaning::Nothing;
            }
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
