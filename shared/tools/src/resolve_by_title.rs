//! Resolves words of a title to things.

use crate::fold::{every_word, fold};

/// The things with exactly this title, else those whose title has a word beginning with each of the words.
/// Ignores case and accents.
pub fn resolve_by_title<T>(things: Vec<T>, words: &str, title: impl Fn(&T) -> &str) -> Vec<T> {
    let words = fold(words);
    if words.is_empty() {
        return Vec::new();
    }
    let is_exact = |thing: &T| fold(title(thing)) == words;
    let (exact, others): (Vec<T>, Vec<T>) = things.into_iter().partition(is_exact);
    if !exact.is_empty() {
        return exact;
    }
    let begins = |part: &str, word: &str| part.starts_with(word);
    let fits = |thing: &T| every_word(&words, title(thing), begins);
    others.into_iter().filter(fits).collect()
}
