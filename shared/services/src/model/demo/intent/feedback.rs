//! What is to be kept in mind.

use super::{Call, Reading};
use crate::model::demo::dates::Now;
use crate::model::demo::lex::{Word, at, has};

pub(super) const TOOL: &str = "system_provideFeedback";

/// What feedback is about, by words of it.
const CATEGORIES: [(&[&str], &str); 3] = [
    (
        &[
            "email", "emails", "mail", "mails", "triage", "inbox", "e-mails",
        ],
        "email",
    ),
    (
        &["task", "tasks", "backlog", "estimate", "estimates"],
        "tasks",
    ),
    (
        &[
            "plan",
            "plans",
            "schedule",
            "day",
            "days",
            "lunch",
            "meeting",
            "meetings",
            "focus",
            "break",
            "breaks",
            "morning",
            "mornings",
            "afternoon",
            "afternoons",
            "block",
            "blocks",
            "deep work",
            "mondays",
            "tuesdays",
            "wednesdays",
            "thursdays",
            "fridays",
            "weekends",
        ],
        "schedule",
    ),
];
const PRAISE: [&str; 10] = [
    "love",
    "great",
    "good",
    "perfect",
    "excellent",
    "awesome",
    "well done",
    "like the",
    "thank you",
    "helpful",
];
const BLAME: [&str; 14] = [
    "too",
    "bad",
    "wrong",
    "annoying",
    "hate",
    "dont like",
    "didnt like",
    "did not like",
    "terrible",
    "useless",
    "awful",
    "not good",
    "disappointing",
    "poor",
];

/// Words before what is to be remembered, and the kind of feedback they make it, if they do.
const OPENINGS: [(&[&str], Option<&str>); 17] = [
    (&["feedback"], None),
    (&["give", "feedback"], None),
    (&["my", "feedback"], None),
    (&["some", "feedback"], None),
    (&["positive", "feedback"], Some("positive")),
    (&["negative", "feedback"], Some("negative")),
    (&["remember"], Some("suggestion")),
    (&["please", "remember"], Some("suggestion")),
    (&["keep", "in", "mind"], Some("suggestion")),
    (&["suggestion"], Some("suggestion")),
    (&["a", "suggestion"], Some("suggestion")),
    (&["suggestion", "for", "you"], Some("suggestion")),
    (&["bug"], Some("bug")),
    (&["report", "a", "bug"], Some("bug")),
    (&["report", "bug"], Some("bug")),
    (&["bug", "report"], Some("bug")),
    (&["file", "a", "bug"], Some("bug")),
];

/// `system_provideFeedback`: "remember: no meetings before 10". The colon tells it from a task to remember.
pub(super) fn keep(words: &[Word], _: &Now) -> Reading {
    let headed = |(opening, kind): &(&[&str], Option<&'static str>)| {
        let colon = words.get(opening.len() - 1)?.end == Some(':');
        (colon && at(words, 0, opening)).then_some((opening.len(), *kind))
    };
    let found = OPENINGS.iter().find_map(headed);
    let behind = [
        "pass that on as positive feedback",
        "pass this on as positive feedback",
    ];
    let (message, kind) = match found {
        Some((len, kind)) => (&words[len..], kind),
        None => {
            let ending = behind
                .iter()
                .map(|ending| ending.split(' ').collect::<Vec<_>>());
            let end = ending.into_iter().find_map(|ending| {
                let start = words.len().checked_sub(ending.len())?;
                at(words, start, &ending).then_some(start)
            })?;
            (&words[..end], Some("positive"))
        }
    };
    if message.is_empty() {
        return None;
    }
    let kind = kind.unwrap_or_else(|| match (has(message, &PRAISE), has(message, &BLAME)) {
        (_, true) => "negative",
        (true, false) => "positive",
        (false, false) => "suggestion",
    });
    let category = CATEGORIES.iter().find(|(named, _)| has(message, named));
    let text = super::punctuated(message);
    let text = text.trim_end_matches(['.', '!', ',', ';', ':']);
    let call = Call::new(TOOL)
        .with("type", kind)
        .with(
            "category",
            category.map_or("general", |(_, category)| *category),
        )
        .with("message", text);
    Some(Ok(vec![call]))
}

/// Whether these words begin feedback: all behind them belongs to it.
pub(super) fn begins(words: &[Word], now: &Now) -> bool {
    keep(words, now).is_some()
}
