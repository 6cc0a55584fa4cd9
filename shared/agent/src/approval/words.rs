//! A decision in words: "yes", "lgtm", "no, wrong address" (annex 1). A yes
//! with a "but" is none: it is a new request.

use super::Verdict;

const YES: [&str; 24] = [
    "yes",
    "y",
    "yep",
    "yeah",
    "yes please",
    "ok",
    "okay",
    "sure",
    "lgtm",
    "looks good",
    "looks good to me",
    "go",
    "go ahead",
    "go for it",
    "do it",
    "ship it",
    "send it",
    "approve",
    "approved",
    "i approve",
    "confirm",
    "confirmed",
    "sounds good",
    "please do",
];
const NO: [&str; 14] = [
    "no",
    "n",
    "nope",
    "no thanks",
    "no thank you",
    "don't",
    "do not",
    "don't do it",
    "don't send it",
    "reject",
    "rejected",
    "deny",
    "decline",
    "cancel it",
];
/// Words that may follow a yes without changing it.
const POLITE: [&str; 9] = [
    "please", "thanks", "thank", "you", "alfred", "now", "that's", "fine", "great",
];

/// What a message decides, with what the person said about a no; `None` when it is no decision.
#[must_use]
pub fn decision(text: &str) -> Option<(Verdict, Option<String>)> {
    let said = text
        .trim()
        .trim_matches(|c: char| "*_~`\"' ".contains(c))
        .replace('’', "'")
        .to_lowercase();
    let plain = said.trim_end_matches(['.', '!', '👍', ' ']).trim();
    if matches!(plain, "👍" | ":+1:" | ":thumbsup:" | "✅") || text.trim() == "👍" {
        return Some((Verdict::Approve, None));
    }
    // Nobody agrees in more words than these, and every further one could be a condition.
    if plain.len() <= 80 && is_polite_yes(plain) {
        return Some((Verdict::Approve, None));
    }
    if NO.contains(&plain) {
        return Some((Verdict::Reject, None));
    }
    let (first, rest) = plain.split_once([',', ':', '–', '—', '-'])?;
    if NO.contains(&first.trim()) && !rest.trim().is_empty() {
        let cut = text.trim().find([',', ':', '–', '—', '-'])?;
        let rest = text.trim()[cut..].trim_start_matches([',', ':', '–', '—', '-', ' ']);
        return Some((Verdict::Reject, Some(rest.to_owned())));
    }
    None
}

/// A yes, maybe said twice, and nothing behind it but courtesy.
fn is_polite_yes(text: &str) -> bool {
    let words: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || ",.!;".contains(c))
        .filter(|word| !word.is_empty())
        .collect();
    (1..=words.len().min(4))
        .any(|at| YES.contains(&words[..at].join(" ").as_str()) && is_courtesy(&words[at..]))
}

fn is_courtesy(words: &[&str]) -> bool {
    words.is_empty()
        || (POLITE.contains(&words[0]) && is_courtesy(&words[1..]))
        || (1..=words.len().min(4))
            .any(|at| YES.contains(&words[..at].join(" ").as_str()) && is_courtesy(&words[at..]))
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
    }
}
