//! Reads a task out of a mail.

use jiff::civil::Date;

use super::MailFacts;
use super::body::own_words;
use super::deadline::deadline;
use super::phrases::List;

/// An action phrase of at least this many characters is no title.
const LONGEST_TITLE: usize = 100;
const LONGEST_SUBJECT: usize = 150;
/// Words of a deadline at the end of a title, at most.
const LONGEST_DEADLINE: usize = 4;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MailTask {
    pub title: String,
    pub due: Option<Date>,
    pub estimated_minutes: u32,
}

/// Reads a task out of a mail. Its title is the first action phrase of the sender's own words that is short enough, else
/// that a person is to be answered; of an automated mail, it is the subject.
pub fn extract_task(mail: &MailFacts) -> MailTask {
    let subject = subject_without_prefixes(&mail.subject);
    let cut: String = subject.chars().take(LONGEST_SUBJECT).collect();
    let body = own_words(&mail.text);
    let text = format!("{subject}\n{body}").to_lowercase();
    let title = action_phrase(&body, mail).unwrap_or_else(|| match subject {
        "" => format!("Answer {}", mail.sender),
        _ if mail.automated => cut,
        _ => format!("Answer {}: {cut}", mail.sender),
    });
    MailTask {
        title,
        due: deadline(&text, mail.received).filter(|due| *due >= mail.received),
        estimated_minutes: minutes(&text),
    }
}

/// The subject without any `Re:`, `Fwd:`, `AW:` or `Re[2]:` before it.
pub fn subject_without_prefixes(subject: &str) -> &str {
    let mut rest = subject.trim();
    while let Some((prefix, after)) = rest.split_once(':') {
        let is_count = |c: char| c.is_ascii_digit() || "[]()".contains(c);
        let word = prefix.trim().trim_end_matches(is_count);
        let known = ["re", "fw", "fwd", "aw", "wg", "sv", "vs", "antw"];
        if !known.iter().any(|known| word.eq_ignore_ascii_case(known)) {
            break;
        }
        rest = after.trim_start();
    }
    rest
}

fn minutes(text: &str) -> u32 {
    let lists = [(List::Quick, 15), (List::Urgent, 60), (List::Meeting, 45)];
    let mut found = lists.iter().filter(|(list, _)| list.find(text).is_some());
    found.next().map_or(30, |(_, minutes)| *minutes)
}

fn action_phrase(body: &str, mail: &MailFacts) -> Option<String> {
    let mut text = String::new();
    for line in body.lines() {
        // A line that begins in lower case goes on with the sentence of the line above.
        let goes_on = line.starts_with(char::is_lowercase);
        text += if goes_on { " " } else { "\n" };
        text += line;
    }
    text.split(['\n', '.', '!', '?', ';'])
        .map(|sentence| sentence.trim().trim_start_matches(['-', '*', '•', ' ']))
        .find_map(|sentence| {
            let action = without_deadline(asked_for(sentence)?, mail.received);
            let action = action.trim_end_matches([',', ':', ' ']);
            let long_enough = action.split_whitespace().count() >= 2;
            let short_enough = action.chars().count() < LONGEST_TITLE;
            (long_enough && short_enough).then(|| own_task(action, mail))?
        })
}

/// The action in words of the person who was asked: "send me the plan" names the sender. `None` if it is a question
/// such as "have time", or is about the person or the sender in other words.
fn own_task(action: &str, mail: &MailFacts) -> Option<String> {
    let mut words: Vec<&str> = action.split(' ').collect();
    if matches!(words[1], "me" | "us") {
        words[1] = &mail.sender;
    }
    let is = |list: List, word: &&str| list.phrases().contains(&&*word.to_lowercase());
    let is_unclear = is(List::States, &words[0]) || words.iter().any(|one| is(List::Persons, one));
    (!is_unclear).then(|| capitalized(&words.join(" ")))
}

/// The action without a deadline at its end, which is the due date.
fn without_deadline(action: &str, received: Date) -> &str {
    let is_deadline = |at: &usize| {
        let end = action[*at..].trim().to_lowercase();
        let is_short = end.split(' ').count() <= LONGEST_DEADLINE;
        let begins = |word: &&str| end.split(' ').next() == Some(word);
        is_short && List::Due.phrases().iter().any(begins) && deadline(&end, received).is_some()
    };
    let mut spaces = action.match_indices(' ').map(|(at, _)| at);
    &action[..spaces.find(is_deadline).unwrap_or(action.len())]
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
