/// Whether the words stand in the text as whole words; both are in lower case. Letters of scripts without case, such as
/// Chinese, end no word, since these scripts often have no spaces.
pub(crate) fn stands_in(text: &str, words: &str) -> bool {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_lowercase() || c.is_numeric());
    text.match_indices(words).any(|(at, found)| {
        let after = text[at + found.len()..].chars().next();
        !is_part(text[..at].chars().next_back()) && !is_part(after)
    })
}
