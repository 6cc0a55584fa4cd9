//! Which e-mails are meant: "the mail from Ana about the budget", "Ben's email", "all newsletters".

use crate::model::demo::lex::{Word, at};

/// Which e-mails are meant.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Selection {
    /// Words of the sender.
    pub(super) from: Option<String>,
    /// Words of the subject.
    pub(super) about: Option<String>,
    /// Whether only unread ones.
    pub(super) unread: bool,
    /// Whether it is one e-mail.
    pub(super) one: bool,
}

impl Selection {
    /// The words that name one e-mail.
    pub(super) fn named(&self) -> Option<String> {
        let parts = [&self.from, &self.about];
        let said: Vec<&str> = parts.into_iter().flatten().map(String::as_str).collect();
        (!said.is_empty()).then(|| said.join(" "))
    }
}

/// Whether this is a word for e-mails.
pub(super) fn is_noun(word: &Word) -> bool {
    one(word)
        || matches!(
            word.low.as_str(),
            "mail"
                | "mails"
                | "emails"
                | "e-mails"
                | "messages"
                | "newsletters"
                | "inbox"
                | "mailbox"
        )
}

/// Whether this is a word for one e-mail.
fn one(word: &Word) -> bool {
    matches!(
        word.low.as_str(),
        "email" | "e-mail" | "message" | "newsletter"
    )
}

/// What these words select; nothing when they hold something else.
pub(super) fn selection(words: &[Word]) -> Option<Selection> {
    let everything = words
        .iter()
        .position(|word| matches!(word.low.as_str(), "everything" | "anything"));
    // A word such as "e-mail" may be part of what stands before the noun: the last one counts.
    let marker = words.iter().position(marks).unwrap_or(words.len());
    // "The messages in my inbox" are messages.
    let place = |word: &Word| matches!(word.low.as_str(), "inbox" | "mailbox");
    let noun = words[..marker]
        .iter()
        .rposition(|word| is_noun(word) && !place(word))
        .or(everything)
        .or_else(|| words.iter().position(is_noun))?;
    let mut selected = Selection {
        one: one(&words[noun]),
        ..Selection::default()
    };
    if words[noun].low.starts_with("newsletter") {
        selected.about = Some("newsletter".into());
    }
    before(&words[..noun], &mut selected);
    behind(&words[noun + 1..], &mut selected)?;
    Some(selected)
}

fn marks(word: &Word) -> bool {
    from(&word.low) || about(&word.low)
}

fn from(low: &str) -> bool {
    matches!(low, "from" | "by")
}

fn about(low: &str) -> bool {
    matches!(
        low,
        "about"
            | "re"
            | "regarding"
            | "concerning"
            | "on"
            | "titled"
            | "called"
            | "mentioning"
            | "subject"
    )
}

/// "Ben's", "the GDPR audit", "my unread".
fn before(words: &[Word], selected: &mut Selection) {
    const PLAIN: [&str; 27] = [
        "the", "a", "an", "my", "all", "any", "new", "unread", "latest", "last", "newest",
        "recent", "full", "whole", "that", "this", "those", "these", "of", "me", "one", "every",
        "some", "in", "today", "todays", "old",
    ];
    selected.unread |= words
        .iter()
        .any(|word| matches!(word.low.as_str(), "unread" | "new" | "unopened"));
    selected.one &= !words
        .iter()
        .any(|word| matches!(word.low.as_str(), "all" | "every" | "any"));
    let left: Vec<&Word> = words
        .iter()
        .filter(|word| {
            word.quoted || !PLAIN.contains(&word.low.as_str()) && word.low.parse::<u32>().is_err()
        })
        .collect();
    let Some((last, others)) = left.split_last() else {
        return;
    };
    let texts = |words: &[&Word]| {
        words
            .iter()
            .map(|word| word.text.clone())
            .collect::<Vec<_>>()
            .join(" ")
    };
    match last
        .text
        .strip_suffix("'s")
        .or_else(|| last.text.strip_suffix("s'"))
    {
        Some(name) if !last.quoted => {
            let mut said = texts(others);
            if !said.is_empty() {
                said.push(' ');
            }
            said.push_str(name);
            selected.from = Some(said);
        }
        _ if selected.about.is_some() => selected.from = Some(texts(&left)),
        _ => selected.about = Some(texts(&left)),
    }
}

/// "from Ana about the budget", "Chloe e-mailed about the offsite".
fn behind(words: &[Word], selected: &mut Selection) -> Option<()> {
    const PLAIN: [&str; 18] = [
        "in", "out", "of", "my", "the", "inbox", "mailbox", "please", "yet", "i", "havent", "read",
        "have", "for", "me", "to", "do", "today",
    ];
    const SENT: [&str; 6] = [
        "sent",
        "wrote",
        "mailed",
        "emailed",
        "e-mailed",
        "forwarded",
    ];
    let mut place = 0;
    while place < words.len() {
        let low = words[place].low.as_str();
        let sends = words
            .get(place + 1)
            .is_some_and(|word| SENT.contains(&word.low.as_str()));
        let end = |from: usize| {
            let next = words[from..].iter().position(marks);
            next.map_or(words.len(), |next| from + next)
        };
        if from(low) {
            let stop = end(place + 1);
            selected.from = Some(named(&words[place + 1..stop])?);
            place = stop;
        } else if about(low) || low == "with" && at(words, place + 1, &["subject"]) {
            let start = place + 1 + usize::from(low == "with");
            let start = start
                + words[start..]
                    .iter()
                    .take_while(|word| about(&word.low))
                    .count();
            let sender = words[start..].iter().position(|word| from(&word.low));
            let stop = sender.map_or(words.len(), |sender| start + sender);
            let said = named(&words[start..stop])?;
            selected.about = Some(match selected.about.take() {
                Some(before) => format!("{before} {said}"),
                None => said,
            });
            place = stop;
        } else if sends {
            selected.from = Some(words[place].text.clone());
            place += 2 + usize::from(at(words, place + 2, &["me"]));
        } else if PLAIN.contains(&low) {
            selected.unread |= low == "havent";
            place += 1;
        } else {
            return None;
        }
    }
    Some(())
}

/// The words without articles.
fn named(words: &[Word]) -> Option<String> {
    const ARTICLES: [&str; 8] = ["the", "a", "an", "my", "our", "please", "his", "her"];
    let end = words
        .windows(2)
        .position(|pair| matches!(pair[0].low.as_str(), "in" | "out") && is_noun(&pair[1]))
        .unwrap_or(words.len());
    let telling: Vec<String> = words[..end]
        .iter()
        .filter(|word| !ARTICLES.contains(&word.low.as_str()))
        .map(|word| word.text.clone())
        .collect();
    (!telling.is_empty()).then(|| telling.join(" "))
}
