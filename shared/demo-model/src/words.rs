//! Splits a message into words.

use alfred_tools::fold;

/// One word, everything between two quotes, or a quotation.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Word {
    /// As written, without the punctuation after it.
    pub(crate) text: String,
    /// As patterns have it: small letters, no accents and signs.
    pub(crate) low: String,
    /// Between quotes, or a quotation: a value whatever it says.
    pub(crate) quoted: bool,
    /// The punctuation after it.
    pub(crate) end: Option<char>,
}

const ENDS: [char; 7] = [',', '.', ';', ':', '!', '?', '…'];
const QUOTES: [(char, char); 5] = [('"', '"'), ('“', '”'), ('„', '“'), ('\'', '\''), ('‘', '’')];
/// Slack's marks for bold and the like, and brackets.
const MARKS: [char; 6] = ['(', ')', '*', '_', '~', '`'];

/// Splits a text. A line's end ends a sentence.
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
        let before = &text[..text.len() - rest.len()];
        let quotation = quotation(rest).filter(|_| before.is_empty() || before.ends_with('\n'));
        if let Some((inside, after)) = quotation.or_else(|| quoted(rest, first)) {
            words.push(word(inside, true));
            rest = after;
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

/// The first of the lines that begin with a mark, and what follows all of them.
fn quotation(text: &str) -> Option<(&str, &str)> {
    let inside = text.strip_prefix("> ")?.lines().next()?.trim();
    let mut after = text;
    while after.starts_with('>') {
        after = after.split_once('\n').map_or("", |(_, after)| after);
    }
    (!inside.is_empty()).then_some((inside, after))
}

fn quoted(text: &str, first: char) -> Option<(&str, &str)> {
    let (_, close) = QUOTES.iter().find(|(open, _)| *open == first)?;
    let inside = &text[first.len_utf8()..];
    // A letter follows an apostrophe.
    let closes = |(at, sign): &(usize, &str)| {
        let next = inside[at + sign.len()..].chars().next();
        *at > 0 && !next.is_some_and(char::is_alphanumeric)
    };
    let (end, _) = inside.match_indices(*close).find(closes)?;
    Some((&inside[..end], &inside[end + close.len_utf8()..]))
}

/// `9-11` is three words, `e-mail` is one.
fn bare(text: &str, words: &mut Vec<Word>) {
    let marked = text.trim_matches(MARKS);
    let inner = marked.trim_end_matches(ENDS);
    let end = marked[inner.len()..].chars().last();
    let digits = |part: &str| part.starts_with(|c: char| c.is_ascii_digit());
    let range = inner.split_once(['-', '–']);
    match range.filter(|(from, to)| digits(from) && digits(to) && !to.contains('-')) {
        Some((from, to)) => words.extend([from, "to", to].map(|part| word(part, false))),
        None if inner.chars().all(|c| "-–—".contains(c)) => {}
        None => words.push(word(inner, false)),
    }
    if let (Some(last), Some(end)) = (words.last_mut(), end) {
        last.end = Some(end);
    }
}

/// A word as patterns have it: `E-mail` is `email`.
pub(crate) fn plain(word: &str) -> String {
    fold(word).replace(' ', "")
}

fn word(text: &str, quoted: bool) -> Word {
    let text = text.trim().replace('’', "'");
    let low = Some(plain(&text)).filter(|low| !low.is_empty());
    Word {
        low: low.unwrap_or_else(|| text.clone()),
        text,
        quoted,
        end: None,
    }
}

/// The words as they were written.
pub(crate) fn written(words: &[Word]) -> String {
    let each = |word: &Word| word.text.clone() + &word.end.map_or(String::new(), String::from);
    let text = words.iter().map(each).collect::<Vec<_>>().join(" ");
    let end = words.last().and_then(|last| last.end);
    let bare = end.and_then(|end| text.strip_suffix(end));
    bare.unwrap_or(&text).to_owned()
}

/// The text with a capital at its beginning.
pub(crate) fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().into_iter().flat_map(char::to_uppercase);
    first.chain(chars).collect()
}
