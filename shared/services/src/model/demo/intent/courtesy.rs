//! What is said around a request: greetings, thanks, and what there is to ask.

use crate::model::demo::lex::{self, Word, at};

/// The request without "Hi Alfred, could you please … for me, thanks".
pub(super) fn without_politeness(mut words: &[Word]) -> &[Word] {
    const BEFORE: [&[&str]; 26] = [
        &["can", "you"],
        &["could", "you"],
        &["would", "you"],
        &["will", "you"],
        &["i", "would", "like", "you", "to"],
        &["i", "want", "you", "to"],
        &["id", "like", "you", "to"],
        &["id", "like", "to"],
        &["i", "would", "like", "to"],
        &["i", "want", "to", "know"],
        &["go", "ahead"],
        &["hi", "alfred"],
        &["hello", "alfred"],
        &["hey", "alfred"],
        &["good", "morning", "alfred"],
        &["alfred"],
        &["please"],
        &["pls"],
        &["kindly"],
        &["ok"],
        &["okay"],
        &["so"],
        &["now"],
        &["just"],
        &["quickly"],
        &["lets"],
    ];
    const AFTER: [&[&str]; 7] = [
        &["please"],
        &["pls"],
        &["thanks"],
        &["thank", "you"],
        &["for", "me"],
        &["from", "now", "on"],
        &["alfred"],
    ];
    loop {
        let before = BEFORE
            .iter()
            .find(|words_before| at(words, 0, words_before));
        let after = AFTER.iter().find(|behind| {
            words.len() > behind.len() && at(words, words.len() - behind.len(), behind)
        });
        words = match (before, after) {
            // "thanks" and "hi Alfred" alone are the whole message.
            (Some(found), _) => &words[found.len()..],
            (None, Some(found)) => &words[..words.len() - found.len()],
            (None, None) => return words,
        };
    }
}

pub(super) fn asks_for_help(words: &[Word]) -> bool {
    let alone = words.len() <= 3 && lex::has(words, &["help", "commands", "usage"]);
    let about_you = lex::has(words, &["you"])
        && lex::has(words, &["what", "how", "which"])
        && lex::has(
            words,
            &[
                "can",
                "able",
                "do",
                "help",
                "capable",
                "features",
                "abilities",
            ],
        )
        && words.iter().all(|word| {
            [
                "what",
                "how",
                "which",
                "can",
                "are",
                "you",
                "able",
                "do",
                "to",
                "help",
                "me",
                "with",
                "capable",
                "of",
                "for",
                "things",
                "the",
                "else",
                "all",
                "have",
                "features",
                "abilities",
                "kind",
                "stuff",
                "does",
                "it",
                "alfred",
            ]
            .contains(&word.low.as_str())
        });
    alone || about_you
}

pub(super) fn is_greeting(words: &[Word]) -> bool {
    const WORDS: [&str; 34] = [
        "hi",
        "hello",
        "hey",
        "hiya",
        "howdy",
        "good",
        "morning",
        "afternoon",
        "evening",
        "night",
        "there",
        "thanks",
        "thank",
        "you",
        "alfred",
        "cheers",
        "bye",
        "goodbye",
        "great",
        "nice",
        "ok",
        "okay",
        "very",
        "much",
        "so",
        "a",
        "lot",
        "again",
        "how",
        "are",
        "ty",
        "thx",
        "greetings",
        "welcome",
    ];
    words.len() <= 6 && words.iter().all(|word| WORDS.contains(&word.low.as_str()))
}
