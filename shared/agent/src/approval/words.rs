//! A decision in words: "yes", "lgtm", "no, wrong address" (annex 1). A yes
//! with a "but" is none: it is a new request.

use super::Verdict;

const YES: [&str; 41] = [
    "yes",
    "y",
    "yep",
    "yup",
    "yeah",
    "yes please",
    "ok",
    "okay",
    "sure",
    "sure thing",
    "of course",
    "absolutely",
    "perfect",
    "alright",
    "all right",
    "lgtm",
    "looks good",
    "looks good to me",
    "go",
    "go ahead",
    "go for it",
    "do it",
    "ship it",
    "send it",
    "please send it",
    "approve",
    "approve it",
    "approve that",
    "approved",
    "i approve",
    "confirm",
    "confirm it",
    "confirmed",
    "sounds good",
    "please do",
    "ja",
    "ja bitte",
    "ja gerne",
    "passt",
    "einverstanden",
    "mach das",
];
const NO: [&str; 34] = [
    "no",
    "n",
    "nope",
    "no thanks",
    "no thank you",
    "don't",
    "do not",
    "please don't",
    "don't do it",
    "don't do that",
    "don't send",
    "don't send it",
    "do not send",
    "do not send it",
    "reject",
    "reject it",
    "rejected",
    "deny",
    "decline",
    "cancel",
    "cancel it",
    "cancel that",
    "stop",
    "stop it",
    "never mind",
    "nevermind",
    "forget it",
    "leave it",
    "rather not",
    "nein",
    "nein danke",
    "abbrechen",
    "nicht senden",
    "lass es",
];
/// Words that may follow a yes or a no without changing it.
const POLITE: [&str; 11] = [
    "please", "thanks", "thank", "you", "alfred", "now", "that's", "fine", "great", "bitte",
    "danke",
];
/// What a decision that names what it is about begins with. Of "cancel" and "send" nobody can tell whether
/// the thing on the card is meant.
const NAMING: [(&str, Verdict); 5] = [
    ("approve", Verdict::Approve),
    ("confirm", Verdict::Approve),
    ("go ahead with", Verdict::Approve),
    ("reject", Verdict::Reject),
    ("deny", Verdict::Reject),
];
/// The same for an answer: behind a question of another thing it is about that.
const ANSWERING: [(&str, Verdict); 4] = [
    ("yes to", Verdict::Approve),
    ("yes,", Verdict::Approve),
    ("no to", Verdict::Reject),
    ("no,", Verdict::Reject),
];
/// Words of a name that name nothing by themselves.
const PARTICLES: [&str; 14] = [
    "the", "a", "an", "my", "this", "that", "one", "to", "for", "of", "with", "please", "thanks",
    "alfred",
];

/// What a message decides, with what the person said about a no; `None` when it is no decision.
pub fn decision(text: &str) -> Option<(Verdict, Option<String>)> {
    let said = folded(text);
    let plain = said.trim_end_matches(['.', '!', '👍', ' ']).trim();
    if matches!(plain, "👍" | ":+1:" | ":thumbsup:" | "✅") || text.trim() == "👍" {
        return Some((Verdict::Approve, None));
    }
    // Nobody agrees in more words than these, and every further one could be a condition.
    for (words, verdict) in [(&YES[..], Verdict::Approve), (&NO[..], Verdict::Reject)] {
        if plain.len() <= 80 && says_only(words, plain) {
            return Some((verdict, None));
        }
    }
    let (first, rest) = plain.split_once([',', ':', '–', '—', '-'])?;
    if NO.contains(&first.trim()) && !rest.trim().is_empty() {
        let cut = text.trim().find([',', ':', '–', '—', '-'])?;
        let rest = text.trim()[cut..].trim_start_matches([',', ':', '–', '—', '-', ' ']);
        return Some((Verdict::Reject, Some(rest.to_owned())));
    }
    None
}

/// A decision that names what it is about: "approve the message to Ben".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Naming {
    /// What is decided.
    pub verdict: Verdict,
    /// The words it is named by.
    pub name: String,
    /// Whether it may answer a question of something else: "yes, the message to Ben".
    pub answers: bool,
}

/// A decision that names what it is about, if this is one.
pub fn naming(text: &str) -> Option<Naming> {
    let said = folded(text);
    let any = [(&NAMING[..], false), (&ANSWERING[..], true)];
    let mut ways = any.into_iter().flat_map(|(list, answers)| {
        let each = list.iter();
        each.map(move |(first, verdict)| (*first, *verdict, answers))
    });
    ways.find_map(|(first, verdict, answers)| {
        let name = said.strip_prefix(first)?;
        let whole = name.starts_with(' ') && says_something(name);
        let name = name.trim().to_owned();
        whole.then_some(Naming {
            verdict,
            name,
            answers,
        })
    })
}

/// Whether this is what a name says: all its words stand in the title, and not only "the" and "to".
pub fn names(name: &str, title: &str) -> bool {
    let title = folded(title);
    let known: Vec<&str> = words(&title).collect();
    let is_known = |word: &str| known.contains(&word);
    words(name).all(|word| PARTICLES.contains(&word) || is_known(word)) && says_something(name)
}

fn says_something(name: &str) -> bool {
    words(name).any(|word| !PARTICLES.contains(&word))
}

fn folded(text: &str) -> String {
    text.trim()
        .trim_matches(|c: char| "*_~`\"' ".contains(c))
        .replace('’', "'")
        .to_lowercase()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split(|c: char| !(c.is_alphanumeric() || c == '\''));
    parts.filter(|word| !word.is_empty())
}

/// One of these phrases, maybe two of them, and nothing behind but courtesy.
fn says_only(phrases: &[&str], text: &str) -> bool {
    let words: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || ",.!;".contains(c))
        .filter(|word| !word.is_empty())
        .collect();
    starts_with(phrases, &words)
}

/// Whether a phrase stands first, and behind it more of them or courtesy.
fn starts_with(phrases: &[&str], words: &[&str]) -> bool {
    (1..=words.len().min(4)).any(|at| {
        phrases.contains(&words[..at].join(" ").as_str()) && is_courtesy(phrases, &words[at..])
    })
}

fn is_courtesy(phrases: &[&str], words: &[&str]) -> bool {
    words.is_empty()
        || (POLITE.contains(&words[0]) && is_courtesy(phrases, &words[1..]))
        || starts_with(phrases, words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_yes_is_a_yes() {
        for text in [
            "yes",
            "Yes!",
            "LGTM",
            "go ahead",
            "Go ahead, please",
            "ship it",
            "ok thanks",
            "👍",
            "*approve*",
            "Yes, do it",
            "looks good, go ahead",
            "send it.",
            "sure, thank you Alfred",
            "perfect",
            "approve it",
            "Ja, bitte!",
        ] {
            assert_eq!(decision(text), Some((Verdict::Approve, None)), "{text}");
        }
    }

    #[test]
    fn a_yes_with_a_condition_is_none() {
        for text in [
            "yes but change the subject",
            "ok, wait",
            "go ahead and book a room too",
            "yes, send it to Ben instead",
            "sure, but not before noon",
            "approve all my expenses",
            "is it ok?",
            "yes?",
            "what time is it",
            "do it tomorrow",
            "not ok",
            "perfect weather",
            "stop by the bakery",
            "cancel the meeting with Ana",
            "no yes",
            "ja aber später",
            "",
        ] {
            assert_eq!(decision(text), None, "{text}");
        }
    }

    #[test]
    fn a_no_may_say_why() {
        assert_eq!(decision("No."), Some((Verdict::Reject, None)));
        assert_eq!(
            decision("No, use the Berlin address"),
            Some((Verdict::Reject, Some("use the Berlin address".into())))
        );
        assert_eq!(decision("no idea what that is"), None);
        for text in [
            "cancel",
            "Stop!",
            "don't send it, please",
            "don’t send",
            "nein",
            "never mind",
        ] {
            assert_eq!(decision(text), Some((Verdict::Reject, None)), "{text}");
        }
    }

    #[test]
    fn a_name_is_all_words_of_a_title() {
        let title = "Send a Slack message: Ben (@ben)";
        let named = |text: &str| naming(text).filter(|it| names(&it.name, title));
        let verdict = |text: &str| named(text).map(|it| it.verdict);
        assert_eq!(
            verdict("Approve the message to Ben"),
            Some(Verdict::Approve)
        );
        assert_eq!(
            verdict("yes, the one to Ben please"),
            Some(Verdict::Approve)
        );
        assert_eq!(verdict("no to the message"), Some(Verdict::Reject));
        for other in [
            "approve the message to Carla",
            "approve it",
            "yes, send it to Ben at noon",
            "yes, but not to Ben",
            "approved message",
            "yes, the one",
            "cancel the message to Ben",
        ] {
            assert_eq!(verdict(other), None, "{other}");
        }
    }
}
