//! Reads a task out of a mail.

use super::MailFacts;
use super::body::own_words;
use super::phrases::List;

/// An action phrase of at least this many characters is no title.
const LONGEST_TITLE: usize = 100;
const LONGEST_SUBJECT: usize = 200;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MailTask {
    pub title: String,
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
    let says = |list: List| list.find(text).is_some();
    match () {
        () if says(List::Quick) => 15,
        () if says(List::Urgent) => 60,
        () if says(List::Meeting) => 45,
        () => 30,
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
    let after_commas = sentence.match_indices(", ").map(|(at, _)| at + 2);
    std::iter::once(0).chain(after_commas).find_map(|start| {
        let after = |ask: &&str| {
            let (head, rest) = sentence[start..].split_at_checked(ask.len())?;
            let rest = rest.strip_prefix(' ')?;
            head.eq_ignore_ascii_case(ask).then_some(rest.trim())
        };
        let asks = List::Asks.phrases().iter();
        asks.filter_map(after).min_by_key(|rest| rest.len())
    })
}

pub fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(letters).collect()
}
