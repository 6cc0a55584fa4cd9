//! A task out of a mail (annex 2, `createTaskFromEmail`).

use super::{MailFacts, own_words, phrases};

/// An action phrase of at least this many characters is no title.
const LONGEST_TITLE: usize = 100;
/// Characters of a subject that becomes a title.
const LONGEST_SUBJECT: usize = 200;

/// What a phrase that asks for an action begins with. It is no part of the title.
const ASKS: &[&str] = &[
    "please ",
    "could you please ",
    "can you please ",
    "would you please ",
    "could you ",
    "can you ",
    "would you ",
    "will you ",
    "i need you to ",
    "we need you to ",
    "need you to ",
    "you need to ",
    "we need to ",
    "don't forget to ",
    "remember to ",
    "make sure to ",
    "action item: ",
    "action required: ",
    "action: ",
    "todo: ",
    "to do: ",
    "to-do: ",
    "task: ",
];

/// What a task made of a mail is called and how long it takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MailTask {
    /// Its title.
    pub title: String,
    /// Minutes it will take.
    pub estimated_minutes: u32,
}

/// Reads a task out of a mail: the first action phrase of the sender's own words that is
/// short enough is its title, else the subject.
pub fn extract_task(mail: &MailFacts) -> MailTask {
    let subject = subject_without_prefixes(&mail.subject);
    let body = own_words(&mail.text);
    let title = action_phrase(&body).unwrap_or_else(|| match subject {
        "" => "Answer an e-mail".to_owned(),
        subject => subject.chars().take(LONGEST_SUBJECT).collect(),
    });
    MailTask {
        title,
        estimated_minutes: minutes(&format!("{subject}\n{body}").to_lowercase()),
    }
}

/// The subject without any `Re:`, `Fwd:`, `AW:` or `Re[2]:` before it.
pub fn subject_without_prefixes(subject: &str) -> &str {
    let mut rest = subject.trim();
    while let Some((prefix, after)) = rest.split_once(':') {
        let word = prefix
            .trim()
            .trim_end_matches(|c: char| c.is_ascii_digit() || "[]()".contains(c));
        let known = ["re", "fw", "fwd", "aw", "wg", "sv", "vs", "antw"];
        if !known.iter().any(|known| word.eq_ignore_ascii_case(known)) {
            break;
        }
        rest = after.trim_start();
    }
    rest
}

fn minutes(text: &str) -> u32 {
    let says = |list| phrases::find(text, list).is_some();
    if says("quick, quickly, brief, short question") {
        15
    } else if says(phrases::URGENT) {
        60
    } else if says("meeting, meet, call, review") {
        45
    } else {
        30
    }
}

fn action_phrase(body: &str) -> Option<String> {
    body.split(['\n', '.', '!', '?', ';'])
        .map(|sentence| sentence.trim().trim_start_matches(['-', '*', '•', ' ']))
        .find_map(|sentence| {
            let action = asked_for(sentence)?.trim_end_matches([',', ':', ' ']);
            let long_enough = action.split_whitespace().count() >= 2;
            (long_enough && action.chars().count() < LONGEST_TITLE).then(|| capitalized(action))
        })
}

/// What follows the longest of the known beginnings, at the start or after a comma ("Hi Ann, please …").
fn asked_for(sentence: &str) -> Option<&str> {
    let starts = std::iter::once(0).chain(sentence.match_indices(", ").map(|(at, _)| at + 2));
    starts.into_iter().find_map(|start| {
        let rest = &sentence[start..];
        ASKS.iter()
            .filter(|ask| {
                rest.get(..ask.len())
                    .is_some_and(|head| head.eq_ignore_ascii_case(ask))
            })
            .max_by_key(|ask| ask.len())
            .map(|ask| rest[ask.len()..].trim())
    })
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}
