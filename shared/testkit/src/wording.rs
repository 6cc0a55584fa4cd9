//! Whether a text is for people.

use regex::Regex;
use std::sync::LazyLock;

/// What isn't Alfred's own wording: code, quotations, Slack's marks (names, times, emoji) and addresses. A quotation or
/// code that was cut has no end.
static NOT_OURS: LazyLock<Regex> = LazyLock::new(|| {
    let parts = [
        r"(?s)```.*?(?:```|$)",
        r"(?s)“[^”]*(?:”|$)",
        r"<[@!][^>]*>",
        r":[a-z_]+:",
        r"https?:[^\s>]+",
    ];
    Regex::new(&parts.join("|")).unwrap()
});

/// What belongs to models and programmers, and sentences that are riddles to strangers.
static INTERNAL: LazyLock<Regex> = LazyLock::new(|| {
    let parts = [
        // Names of tools and of arguments.
        r"\w+_\w+",
        r"\b\p{Ll}\w*\p{Lu}\w*",
        // Slack's ids, other ids, digests.
        r"\b[UWCDGT][A-Z]*\d[A-Z\d]*\b",
        r"\b(?:[a-zA-Z]*\d){4}[a-zA-Z\d]{12,}\b",
        r"\b\d{4}-\d\d-\d\d",
        r"\d ?% (?:sure|certain)",
        r"the person(?:'| [^w])",
        r"\bslack of\b",
        r"this is always asked",
        r"three things meet",
        r"focus behind",
        r"it is later already",
        r"each line is one way",
        r"names nobody else",
        r"is nobody Alfred knows",
        r"I took .* as a remark",
        r"nothing I can read",
        r"by parsing",
    ];
    Regex::new(&parts.join("|")).unwrap()
});

/// Panics at a term that isn't for people.
pub fn is_for_people(text: &str) {
    if let Some(term) = internal_term(text) {
        panic!("\"{term}\" isn't for people: {text}");
    }
}

/// The first term that isn't for people: the name of a tool or an argument, an id, a digest, an ISO date.
pub fn internal_term(text: &str) -> Option<String> {
    let own = NOT_OURS.replace_all(text, " ");
    let mut terms = INTERNAL.find_iter(&own).map(|found| found.as_str());
    terms.find(|term| *term != "kB").map(str::to_owned)
}
