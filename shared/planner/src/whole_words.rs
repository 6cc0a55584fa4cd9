/// Whether the text contains these words, and neither begins nor ends within one of its words. Both are in lower case.
/// Scripts without case, such as Chinese, often have no spaces between words: there the words may stand anywhere.
pub(crate) fn stands_in(text: &str, words: &str) -> bool {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_lowercase() || c.is_numeric());
    text.match_indices(words).any(|(at, found)| {
        let after = text[at + found.len()..].chars().next();
        !is_part(text[..at].chars().next_back()) && !is_part(after)
    })
}
