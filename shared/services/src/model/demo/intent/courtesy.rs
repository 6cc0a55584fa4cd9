//! What is said around a request: greetings, thanks, and what there is to ask.

use crate::model::demo::lex::{self, Word, at};

/// The request without "Hi Alfred, could you please … for me, thanks".
pub(super) fn without_politeness(mut words: &[Word]) -> &[Word] {
    const BEFORE: [&[&str]; 31] = [
        &["can", "you"],
        &["can", "u"],
        &["could", "u"],
        &["can", "we"],
        &["could", "we"],
        &["do", "me", "a", "favour", "and"],
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

/// Words that point back to the request before them: "add that to my tasks", "tick it off".
pub(super) fn is_echo(words: &[Word]) -> bool {
    let points = |place: usize| {
        words
            .get(place)
            .is_some_and(|word| matches!(word.low.as_str(), "it" | "that" | "this" | "them"))
    };
    let verb = words
        .first()
        .is_some_and(|word| ECHOES.iter().any(|(verb, _)| *verb == word.low));
    let about_it = lex::has(words, &["of it", "of that"]) && lex::has(words, &["how much"]);
    verb && points(1) && words.len() <= 7 || about_it
}

/// What repeats a request, and the verbs of the tools that do it.
const ECHOES: [(&str, &[&str]); 16] = [
    ("add", &["create", "update", "schedule"]),
    ("put", &["create", "update", "schedule"]),
    ("save", &["create", "update"]),
    ("book", &["create", "schedule"]),
    ("schedule", &["create", "schedule"]),
    ("sort", &["schedule", "reschedule", "create", "fill"]),
    ("arrange", &["schedule", "reschedule"]),
    ("tick", &["complete"]),
    ("check", &["complete"]),
    ("cross", &["complete"]),
    ("mark", &["complete"]),
    ("fill", &["fill"]),
    ("delete", &["delete"]),
    ("remove", &["delete"]),
    ("archive", &["archive"]),
    ("how", &["analyze"]),
];

/// Whether these words repeat what this tool does.
pub(super) fn echoes(words: &[Word], tool: &str) -> bool {
    let words = without_politeness(words);
    let verb = tool.split('_').nth(1).unwrap_or_default();
    words.first().is_some_and(|first| {
        ECHOES.iter().any(|(word, verbs)| {
            *word == first.low && verbs.iter().any(|own| verb.starts_with(own))
        })
    })
}

/// "I don't need the reading block any more, delete it": the request with what "it" stands for.
pub(super) fn resolved(before: &[Word], echo: &[Word]) -> Option<Vec<Word>> {
    const OPENINGS: [&[&str]; 5] = [
        &["i", "dont", "need"],
        &["i", "no", "longer", "need"],
        &["i", "do", "not", "need"],
        &["i", "wont", "need"],
        &["im", "not", "doing"],
    ];
    let opening = OPENINGS.iter().find(|opening| at(before, 0, opening))?;
    let mut thing = &before[opening.len()..];
    for end in [&["any", "more"][..], &["anymore"], &["any", "longer"]] {
        if thing.len() > end.len() && at(thing, thing.len() - end.len(), end) {
            thing = &thing[..thing.len() - end.len()];
        }
    }
    let (verb, rest) = without_politeness(echo).split_first()?;
    let behind = rest.get(1..)?;
    Some([std::slice::from_ref(verb), thing, behind].concat())
}

/// Whether something is not to be done, not yet, or only perhaps.
pub(super) fn hesitates(words: &[Word]) -> bool {
    let first = words.first().is_some_and(|word| {
        matches!(
            word.low.as_str(),
            "if" | "unless" | "once" | "maybe" | "perhaps" | "suppose"
        )
    });
    first
        || lex::has(
            words,
            &[
                "but i wont",
                "or not",
                "or maybe not",
                "never mind",
                "nevermind",
                "no need",
                "but dont",
                "on second thought",
            ],
        )
}
