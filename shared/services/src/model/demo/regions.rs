//! States and countries behind a place.

use std::collections::HashSet;
use std::sync::OnceLock;

use super::lex::Word;
use super::places::{LONGEST, known};

/// Short names of states that are words too.
const LITTLE: [&str; 15] = [
    "al", "as", "co", "de", "hi", "id", "in", "ma", "me", "mo", "oh", "ok", "on", "or", "pa",
];

/// The words of a state or country behind a place that say where it lies, not
/// what else is asked about: behind a comma, or at once behind a name that
/// several places have.
pub(super) fn region_behind(words: &[Word], start: usize, len: usize, zone: &str) -> Option<usize> {
    let next = start + len;
    let comma = words[next - 1].end == Some(',');
    let several = zone == "?";
    let at_once = several && words[next - 1].end.is_none();
    if !(comma || at_once) || is_region(words, start, len) {
        return None;
    }
    (1..=LONGEST.min(words.len().saturating_sub(next)))
        .rev()
        .find(|&size| {
            let (name, span) = (low(words, next, size), &words[next..next + size]);
            if span[..size - 1].iter().any(|word| word.end.is_some()) {
                return false;
            }
            let capitals = span[0].text.chars().all(char::is_uppercase);
            let short = size == 1 && name.len() == 2;
            if states().contains(name.as_str()) {
                // "Tokyo, LA" are two cities, and "in" or "or" are words.
                let city = matches!(name.as_str(), "la" | "ny" | "new york");
                return (!short || capitals || !LITTLE.contains(&name.as_str()))
                    && (several || !city);
            }
            // "Tokyo, Germany" are two places; "Perth, Australia" is one.
            let other = known(&name);
            countries().contains(name.as_str())
                && (several || other == Some(zone) || other == Some("?"))
        })
}

fn is_region(words: &[Word], start: usize, len: usize) -> bool {
    let name = low(words, start, len);
    states().contains(name.as_str()) && name != "washington" && name != "new york"
        || countries().contains(name.as_str())
}

/// These words, folded.
pub(super) fn low(words: &[Word], start: usize, len: usize) -> String {
    let lows: Vec<&str> = words[start..start + len]
        .iter()
        .map(|word| word.low.as_str())
        .collect();
    lows.join(" ")
}

fn states() -> &'static HashSet<&'static str> {
    static STATES: OnceLock<HashSet<&'static str>> = OnceLock::new();
    STATES.get_or_init(|| table(include_str!("states.txt")))
}

fn countries() -> &'static HashSet<&'static str> {
    static COUNTRIES: OnceLock<HashSet<&'static str>> = OnceLock::new();
    COUNTRIES.get_or_init(|| table(include_str!("countries.txt")))
}

fn table(text: &'static str) -> HashSet<&'static str> {
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .flat_map(|line| line.split(','))
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .collect()
}
