//! Web sources, and the marks that cite them in a text.

use serde::{Deserialize, Serialize};

use crate::digest::sha256_hex;

/// A web page returned by a search or a read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    pub url: String,
    /// The page's own title; untrusted.
    pub title: String,
}

impl Source {
    /// The mark that cites this source in a text: `[s1a2b3c]`. It depends only on the address, so a
    /// mark means the same source in all searches of a run.
    pub fn mark(&self) -> String {
        let digest = sha256_hex(self.url.as_bytes());
        format!("[s{}]", &digest[..MARK_DIGITS])
    }
}

/// Hex digits of a mark. With 100 sources, two share a mark in 1 of 3,000 runs.
const MARK_DIGITS: usize = 6;

/// A part of a text: words or a mark. The mark's source may be unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    Words(&'a str),
    /// A mark with its brackets.
    Mark(&'a str),
}

/// Splits a text into words and marks.
pub fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let found = rest.match_indices("[s").find_map(|(at, _)| {
            let mark = rest.get(at..at + MARK_DIGITS + 3)?;
            let digits = mark.strip_prefix("[s")?.strip_suffix(']')?;
            let hex = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
            digits.bytes().all(hex).then_some((at, mark))
        });
        let (piece, length) = match found {
            Some((0, mark)) => (Piece::Mark(mark), mark.len()),
            Some((at, _)) => (Piece::Words(&rest[..at]), at),
            None if rest.is_empty() => return None,
            None => (Piece::Words(rest), rest.len()),
        };
        rest = &rest[length..];
        Some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_found_among_words() {
        let source = Source {
            url: "https://example.com/a".into(),
            title: String::new(),
        };
        let mark = source.mark();
        assert_eq!(mark, source.mark());
        let text = format!("é{mark}{mark} [s12] [sxyzxyz] [S1a2b3c] [s1a2b3c");
        let found: Vec<Piece<'_>> = pieces(&text).collect();
        let words = " [s12] [sxyzxyz] [S1a2b3c] [s1a2b3c";
        let [é, first, second, rest] = found[..] else {
            panic!("{found:?}")
        };
        assert_eq!((é, rest), (Piece::Words("é"), Piece::Words(words)));
        assert_eq!((first, second), (Piece::Mark(&mark), Piece::Mark(&mark)));
        assert_eq!(pieces("").count(), 0);
    }
}
