//! A message as words.

use alfred_tools::fold;

/// One word, or everything between two quotes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Word {
    /// As written, without the punctuation behind it.
    pub(crate) text: String,
    /// As patterns have it.
    pub(crate) low: String,
    /// Between quotes: a value whatever it says.
    pub(crate) quoted: bool,
    /// The punctuation behind it.
    pub(crate) end: Option<char>,
}

const ENDS: [char; 7] = [',', '.', ';', ':', '!', '?', '…'];
const QUOTES: [(char, char); 5] = [('"', '"'), ('“', '”'), ('„', '“'), ('\'', '\''), ('‘', '’')];

/// Takes a text apart. A line's end ends a sentence.
pub(crate) fn words(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if first.is_whitespace() {
            if let Some(last) = words.last_mut().filter(|_| first == '\n') {
                last.end = last.end.or(Some('.'));
            }
            rest = &rest[first.len_utf8()..];
            continue;
        }
        if let Some((inside, behind)) = quoted(rest, first) {
            words.push(word(inside, true));
            rest = behind;
        } else {
            let len = rest.find(char::is_whitespace).unwrap_or(rest.len());
            bare(&rest[..len], &mut words);
            rest = &rest[len..];
        }
        let ends = rest.len() - rest.trim_start_matches(ENDS).len();
        if let (Some(last), Some(end)) = (words.last_mut(), rest[..ends].chars().last()) {
            last.end = Some(end);
        }
        rest = &rest[ends..];
    }
    words
}

fn quoted(text: &str, first: char) -> Option<(&str, &str)> {
    let (_, close) = QUOTES.iter().find(|(open, _)| *open == first)?;
    let inside = &text[first.len_utf8()..];
    // An apostrophe has a letter behind it.
    let closes = |(at, sign): &(usize, &str)| {
        let behind = inside[at + sign.len()..].chars().next();
        *at > 0 && !behind.is_some_and(char::is_alphanumeric)
    };
    let (end, _) = inside.match_indices(*close).find(closes)?;
    Some((&inside[..end], &inside[end + close.len_utf8()..]))
}

/// `9-11` is three words, `e-mail` is one.
fn bare(text: &str, words: &mut Vec<Word>) {
    let text = text.trim_start_matches(['(', '*', '_', '~', '`']);
    let end = text.trim_end_matches([')', '*', '_', '~', '`']);
    let inner = end.trim_end_matches(ENDS);
    let stop = end[inner.len()..].chars().last();
    let digits = |part: &str| part.starts_with(|c: char| c.is_ascii_digit());
    let range = inner
        .split_once(['-', '–'])
        .filter(|(from, to)| digits(from) && digits(to) && !to.contains('-'));
    match range {
        Some((from, to)) => words.extend([from, "to", to].map(|part| word(part, false))),
        None if inner.chars().all(|c| "-–—".contains(c)) => {}
        None => words.push(word(inner, false)),
    }
    if let (Some(last), Some(stop)) = (words.last_mut(), stop) {
        last.end = Some(stop);
    }
}

/// A word as patterns have it: `E-mail` is `email`.
pub(crate) fn plain(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    match word.bytes().all(plain) {
        true => word.to_owned(),
        false => fold(word).replace(' ', ""),
    }
}

fn word(text: &str, quoted: bool) -> Word {
    let text = text.trim().replace('’', "'");
    let low = match plain(&text) {
        low if low.is_empty() => text.clone(),
        low => low,
    };
    Word {
        low,
        text,
        quoted,
        end: None,
    }
}

/// The words as they were written.
pub(crate) fn written(words: &[Word]) -> String {
    let mut text = String::new();
    for (place, word) in words.iter().enumerate() {
        text.push_str(&word.text);
        let last = place + 1 == words.len();
        text.extend(word.end.filter(|_| !last));
        text.push_str(if last { "" } else { " " });
    }
    text
}

/// The words in small letters, without what stands between them.
pub(crate) fn lower(words: &[Word]) -> String {
    let texts: Vec<String> = words.iter().map(|word| word.text.to_lowercase()).collect();
    texts.join(" ")
}

/// With a capital at its beginning.
pub(crate) fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().into_iter().flat_map(char::to_uppercase);
    first.chain(chars).collect()
}
