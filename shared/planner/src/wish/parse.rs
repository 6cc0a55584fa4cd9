//! Wishes out of sentences in plain English. A part of a sentence is
//! understood as a whole or not at all: no word of it is ignored but those that carry nothing.

use serde::Serialize;

use super::Wish;
use super::shape::{FILLERS, Shape, clock, of_working_day};
use super::tokens::{Said, SaidTime, Token, tokens};
use crate::clock_time::ClockTime;

/// What feedback says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Feedback {
    /// What was understood, in order.
    pub wishes: Vec<Wish>,
    /// The parts that were not, as they were written.
    pub not_understood: Vec<String>,
    /// Whether it is about one day, such as today, and says nothing of others.
    #[serde(skip)]
    pub of_one_day: bool,
}

/// Words for one day among those that carry nothing in a plan of that day.
const ONE_DAY: [&str; 3] = ["today", "tomorrow", "this"];

impl Feedback {
    /// Whether it can be followed on other days as it was meant: what wasn't
    /// understood may be what it depends on.
    #[must_use]
    pub fn is_lasting(&self) -> bool {
        self.not_understood.is_empty() && !self.of_one_day
    }
}

/// Reads feedback; several wishes may be joined by commas, "and", "or", "but"
/// or full stops. Hours without a half of the day are those of a working day:
/// 7 to 12 as they are, 1 to 6 after noon; what ends at 7 to 11 ends in the evening.
#[must_use]
pub fn parse_feedback(text: &str) -> Feedback {
    let mut feedback = Feedback::default();
    let mut subject: Option<&'static str> = None;
    for clause in clauses(tokens(text)) {
        let one_day = |said: &Said| {
            // "this afternoon" is one token.
            let words = said.text.to_lowercase();
            words.split_whitespace().any(|word| ONE_DAY.contains(&word))
        };
        feedback.of_one_day |= clause.iter().any(one_day);
        let shape = Shape::of(&clause);
        if shape.is_empty() {
            continue;
        }
        let wishes = shape
            .wishes()
            .or_else(|| shape.continuing(subject?).wishes())
            .or_else(|| about_a_title(&clause));
        match wishes {
            Some(wishes) => {
                subject = subject_of(&wishes).or(subject);
                feedback.wishes.extend(wishes);
            }
            None => feedback.not_understood.push(written(&clause)),
        }
    }
    feedback
}

fn written(clause: &[Said]) -> String {
    let words: Vec<&str> = clause.iter().map(|said| said.text.as_str()).collect();
    words.join(" ")
}

/// Parts of the text that may each be a wish. "between 2 and 3" is one.
fn clauses(tokens: Vec<Said>) -> Vec<Vec<Said>> {
    let mut clauses: Vec<Vec<Said>> = vec![Vec::new()];
    for said in tokens {
        let open = clauses.last().is_some_and(|clause| {
            clause.iter().any(|said| is_word(said, "between"))
                && matches!(clause.last(), Some(last) if matches!(last.token, Token::Time(_)))
                && clause
                    .iter()
                    .filter(|s| matches!(s.token, Token::Time(_)))
                    .count()
                    == 1
        });
        let joins = ["and", "or", "but", "plus"]
            .iter()
            .any(|word| is_word(&said, word));
        if said.token == Token::Stop || (joins && !(open && is_word(&said, "and"))) {
            clauses.push(Vec::new());
        } else if let Some(clause) = clauses.last_mut() {
            clause.push(said);
        }
    }
    clauses.retain(|clause| !clause.is_empty());
    clauses
}

fn is_word(said: &Said, word: &str) -> bool {
    matches!(&said.token, Token::Word(own) if own == word)
}

fn subject_of(wishes: &[Wish]) -> Option<&'static str> {
    match wishes.last()? {
        Wish::NoMeetingsBefore(_) | Wish::NoMeetingsAfter(_) => Some("meeting"),
        Wish::NoFocusBefore(_) | Wish::NoFocusAfter(_) => Some("focus"),
        _ => None,
    }
}

/// Wishes about something by its title: drop it, move it, do it first.
fn about_a_title(clause: &[Said]) -> Option<Vec<Wish>> {
    let clause = without_fillers(clause);
    let verb = clause.first().map(|said| match &said.token {
        Token::Word(word) => word.as_str(),
        _ => "",
    })?;
    let last = clause.last()?;
    let wish = match verb {
        "drop" | "skip" | "remove" | "cancel" | "delete" | "without" => {
            Wish::Drop(title(&clause[1..])?)
        }
        "move" | "shift" | "push" => {
            let to = clause.iter().rposition(|said| is_word(said, "to"))?;
            let [time] = clause.get(to + 1..)? else {
                return None;
            };
            let Token::Time(time) = time.token else {
                return None;
            };
            let to_time = match time {
                SaidTime::Exact(time) if time < ClockTime::END_OF_DAY => time,
                SaidTime::Exact(_) => return None,
                SaidTime::Bare(hour, minute) => clock(of_working_day(hour) * 60 + minute)?,
            };
            Wish::Move {
                title: title(clause.get(1..to)?)?,
                to: to_time,
            }
        }
        "start" | "begin" if clause.get(1).is_some_and(|said| is_word(said, "with")) => {
            Wish::First(title(&clause[2..])?)
        }
        _ if is_word(last, "first") => {
            let from = usize::from(matches!(verb, "do" | "put" | "finish"));
            Wish::First(title(&clause[from..clause.len() - 1])?)
        }
        _ => return None,
    };
    Some(vec![wish])
}

/// Fillers before a verb: "please could you drop …".
fn without_fillers(clause: &[Said]) -> &[Said] {
    let leading = clause.iter().take_while(|said| match &said.token {
        Token::Word(word) => {
            FILLERS.contains(&word.as_str()) && !matches!(word.as_str(), "do" | "put")
        }
        _ => false,
    });
    &clause[leading.count()..]
}

fn title(words: &[Said]) -> Option<String> {
    let articles = words.iter().take_while(|said| {
        ["the", "my", "a", "an", "that"]
            .iter()
            .any(|word| is_word(said, word))
    });
    let words = &words[articles.count()..];
    let end = words.iter().rposition(|said| {
        !["today", "tomorrow", "please"]
            .iter()
            .any(|word| is_word(said, word))
    })?;
    let title = written(&words[..=end]);
    let title = title.trim_matches(|c| "\"'“”".contains(c)).trim();
    (!title.is_empty()).then(|| title.to_owned())
}
