/// Whether a text contains these words as whole words. Both are in lower case. Scripts without case, such as Chinese,
/// often have no spaces between words: there the words may be anywhere.
pub(crate) fn contains_words(text: &str, words: &str) -> bool {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_lowercase() || c.is_numeric());
    text.match_indices(words).any(|(at, found)| {
        let after = text[at + found.len()..].chars().next();
        !is_part(text[..at].chars().next_back()) && !is_part(after)
    })
}
