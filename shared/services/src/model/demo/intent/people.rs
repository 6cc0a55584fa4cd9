//! Who is who.

use super::{Call, Reading, written};
use crate::model::demo::dates::Now;
use crate::model::demo::lex::{Word, at, has};

/// Nouns for people as a group.
const GROUPS: [&str; 15] = [
    "users",
    "people",
    "everybody",
    "everyone",
    "members",
    "team",
    "teammates",
    "colleagues",
    "coworkers",
    "persons",
    "registered",
    "workspace",
    "directory",
    "staff",
    "anyone",
];

/// `user_list` and `user_lookup`.
pub(super) fn find(words: &[Word], _: &Now) -> Reading {
    if asks_for_all(words) {
        return Some(Ok(vec![Call::new("user_list")]));
    }
    let query = named(words)
        .or_else(|| possessed(words))
        .or_else(|| address(words))?;
    Some(Ok(vec![Call::new("user_lookup").with("query", query)]))
}

fn asks_for_all(words: &[Word]) -> bool {
    let asks = has(
        words,
        &[
            "list", "show", "who", "whos", "all", "give", "which", "name",
        ],
    );
    let group = words.iter().any(|word| GROUPS.contains(&word.low.as_str()));
    let known = has(
        words,
        &["who do you know", "who is registered", "who can you see"],
    );
    let other = has(words, &["task", "tasks", "schedule", "invented", "won"]);
    (asks && group || known) && !other
}

/// "who is X", "look up X", "find X in the directory".
fn named(words: &[Word]) -> Option<String> {
    const OPENINGS: [&[&str]; 27] = [
        &["is", "there", "someone"],
        &["is", "there", "anyone"],
        &["is", "there", "somebody"],
        &["which"],
        &["info", "on"],
        &["contact"],
        &["who", "is"],
        &["whos"],
        &["who", "are"],
        &["look", "up"],
        &["lookup"],
        &["look", "for"],
        &["search", "for"],
        &["search"],
        &["find"],
        &["find", "me"],
        &["do", "you", "know"],
        &["tell", "me", "about"],
        &["tell", "me", "who"],
        &["tell", "me", "more", "about"],
        &["what", "do", "you", "know", "about"],
        &["how", "do", "i", "reach"],
        &["how", "can", "i", "reach"],
        &["how", "do", "i", "contact"],
        &["how", "can", "i", "contact"],
        &["contact", "details", "of"],
        &["contact", "details", "for"],
    ];
    let opening = OPENINGS
        .iter()
        .filter(|opening| at(words, 0, opening))
        .max_by_key(|opening| opening.len())?;
    let mut name = &words[opening.len()..];
    while name.first().is_some_and(|word| {
        [
            "my",
            "our",
            "the",
            "a",
            "user",
            "person",
            "colleague",
            "somebody",
            "someone",
            "named",
            "called",
            "is",
            "member",
        ]
        .contains(&word.low.as_str())
    }) {
        name = &name[1..];
    }
    if let Some(end) = name
        .iter()
        .position(|word| matches!(word.low.as_str(), "in" | "on" | "do" | "works"))
    {
        name = &name[..end];
    }
    while name
        .last()
        .is_some_and(|word| ["is", "again", "exactly"].contains(&word.low.as_str()))
    {
        name = &name[..name.len() - 1];
    }
    is_name(name).then(|| person(name))
}

/// A name is a capitalised word or two, an address or a Slack id.
fn is_name(words: &[Word]) -> bool {
    let looks = |word: &Word| {
        word.text.contains('@') || word.text.chars().next().is_some_and(char::is_uppercase)
    };
    (1..=3).contains(&words.len()) && words.iter().all(looks)
        || matches!(words, [one] if one.low.len() > 1 && one.low.chars().all(char::is_alphabetic))
}

fn person(words: &[Word]) -> String {
    let name = written(words);
    name.strip_suffix("'s").map_or(name.clone(), str::to_owned)
}

/// "what is Ana's e-mail", "what time zone is Chidi in".
fn possessed(words: &[Word]) -> Option<String> {
    let about = [
        "email", "e-mail", "mail", "address", "phone", "timezone", "role", "handle", "username",
        "details", "contact", "profile", "slack", "tz",
    ];
    let zone_of = has(words, &["time zone", "timezone"]) && has(words, &["is"]);
    if !zone_of && !words.iter().any(|word| about.contains(&word.low.as_str())) {
        return None;
    }
    if let Some(owner) = words.iter().position(|word| {
        word.text.ends_with("'s")
            && is_name(std::slice::from_ref(word))
            && (word.text.starts_with(char::is_uppercase) || *word == words[0])
            && owner_not_question(word)
    }) {
        let first = words[..owner]
            .iter()
            .rposition(|word| {
                !word.text.starts_with(char::is_uppercase) || !owner_not_question(word)
            })
            .map_or(0, |place| place + 1);
        return Some(person(&words[first..=owner]));
    }
    let start = words.iter().position(|word| word.low == "is")? + 1;
    let name: Vec<Word> = words[start..]
        .iter()
        .take_while(|word| word.text.starts_with(char::is_uppercase))
        .cloned()
        .collect();
    (zone_of && !name.is_empty()).then(|| person(&name))
}

fn owner_not_question(word: &Word) -> bool {
    ![
        "whats", "whos", "hows", "wheres", "its", "lets", "what", "who", "is",
    ]
    .contains(&word.low.as_str())
}

/// An address alone.
fn address(words: &[Word]) -> Option<String> {
    match words {
        [one] if one.text.contains('@') && one.text.contains('.') => Some(one.text.clone()),
        _ => None,
    }
}
