//! Resolves words of a title to things.

use crate::fold::{every_word, fold};

/// The things with exactly this title, else those whose title has a word beginning with each of the words.
/// Ignores case and accents.
pub(crate) fn resolve_by_title<T>(
    things: Vec<T>,
    words: &str,
    title: impl Fn(&T) -> &str,
) -> Vec<T> {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn of(words: &str) -> Vec<&'static str> {
        let titles = vec!["Focus time", "Deep focus", "Lunch", "Focus", "Café visit"];
        resolve_by_title(titles, words, |title| title)
    }

    #[test]
    fn the_exact_title_hides_those_that_only_contain_it() {
        assert_eq!(of(" FOCUS "), ["Focus"]);
        assert_eq!(of("focus t"), ["Focus time"]);
        assert_eq!(of("time focus"), ["Focus time"]);
        assert_eq!(of("cafe"), ["Café visit"]);
        assert_eq!(of("foc"), ["Focus time", "Deep focus", "Focus"]);
        assert!(of("ocus").is_empty() && of("").is_empty() && of("…").is_empty());
    }
}
