//! Texts that are taken as they are written, and where they end.

use super::{Read, Reader, longest};
use crate::words::{Word, capitalised, written};

impl Reader<'_> {
    /// Every length that may be meant, the shortest first.
    pub(super) fn free(&self, kind: &str, at: usize) -> Read {
        let words = &self.words[at..];
        if kind == "said" && (at == 0 || self.words[at - 1].end != Some(':')) {
            return Vec::new();
        }
        let lengths = 1..=words.len().min(longest(kind));
        let ours = lengths
            .take_while(|len| *len < 2 || !self.begins_anew(&words[len - 2], &words[len - 1..]));
        let fitting = ours.filter(|len| self.fits(kind, at, &words[..*len]));
        let text = |len: usize| {
            let words = &words[..len];
            let last = &words[len - 1];
            // "the dentist one" is named "dentist".
            let article = usize::from(kind == "name" && len > 1 && self.is("articles", &words[0]));
            let hollow =
                usize::from(kind == "name" && len > 1 + article && self.is("hollow", last));
            let text = written(&words[article..len - hollow]);
            let asks = last
                .end
                .filter(|end| kind == "said" && matches!(end, '?' | '!'));
            let text = if kind == "name" {
                text
            } else {
                capitalised(&text)
            };
            (
                len,
                (text + &asks.map(String::from).unwrap_or_default()).into(),
            )
        };
        fitting.map(text).collect()
    }

    /// Whether behind this word the next request begins: "…, and tell Ben", ". Plan".
    fn begins_anew(&self, before: &Word, words: &[Word]) -> bool {
        let joint = before.end.is_some() || self.is("joints", before);
        let next = words
            .iter()
            .find(|word| !self.is("joints", word) && !self.is("polite", word));
        joint && next.is_some_and(|word| !word.quoted && self.is("beginnings", word))
    }

    /// Whether these words say no more than such a text can hold.
    fn fits(&self, kind: &str, at: usize, words: &[Word]) -> bool {
        let (Some(first), Some(last)) = (words.first(), words.last()) else {
            return false;
        };
        let several = words.len() > 1;
        if !several && first.quoted {
            return true;
        }
        let inner = &words[..words.len() - 1];
        let stops = |ends: &str| {
            inner
                .iter()
                .any(|word| word.end.is_some_and(|end| ends.contains(end)))
        };
        let open = self.is("polite", last)
            || self.is("contrasts", last)
            || several && self.is("prepositions", last);
        let says = matches!(kind, "text" | "said");
        let open = open && !says;
        let part =
            open || kind != "said" && self.is("joints", first) || !says && self.is("joints", last);
        let number = !says && first.text.bytes().all(|byte| byte.is_ascii_digit());
        let letters = !number
            && words
                .iter()
                .any(|word| word.text.contains(char::is_alphabetic));
        let leading = match kind {
            "said" => false,
            "text" => self.is("conjunctions", first) || self.is_moment(at) || self.is_about(words),
            "title" => {
                let open = ["prepositions", "persons", "it"];
                several && open.iter().any(|list| self.is(list, first))
                    || stops(".!?;:")
                    || several && self.is("it", last)
            }
            _ => {
                let article = usize::from(several && self.is("articles", first));
                self.is("pointers", &words[article])
                    || several && words[article..].iter().any(|word| self.is("clauses", word))
                    || several && self.is("kinds", last)
                    || words.iter().any(|word| self.is("elsewhere", word))
                    || stops(",.!?;:")
            }
        };
        let lists = ["pointers", "kinds", "articles", "prepositions"];
        let lists = &lists[..if kind == "name" { 4 } else { 3 }];
        let pointing = words
            .iter()
            .all(|word| lists.iter().any(|list| self.is(list, word)));
        letters && !(part || leading || pointing) && self.says_only_itself(kind, at, words)
    }

    /// Whether it says what is to be said rather than saying it: "a nice note that …", "…, and tell him".
    fn is_about(&self, words: &[Word]) -> bool {
        let note = words
            .iter()
            .take(3)
            .skip(1)
            .any(|word| self.is("notes", word));
        let told = |pair: &[Word]| self.is("told", &pair[0]) && self.is("persons", &pair[1]);
        self.is("articles", &words[0]) && note || words.windows(2).any(told)
    }

    /// Whether it is said when to say something: "tell Ben tomorrow that …".
    fn is_moment(&self, at: usize) -> bool {
        let at = at + usize::from(self.is("at", &self.words[at]));
        let ends = ["day", "time", "duration"].map(|kind| self.read(kind, at));
        let mut ends = ends
            .iter()
            .flat_map(|read| read.iter().map(|(len, _)| at + len));
        ends.any(|end| {
            self.words
                .get(end)
                .is_some_and(|word| self.is("leading", word))
        })
    }

    /// No day, time, length or wish hides in it; others read it in a text.
    fn says_only_itself(&self, kind: &str, from: usize, words: &[Word]) -> bool {
        let hides = |(at, word): (usize, &Word)| {
            let at = at + from;
            let digit = word.text.starts_with(|c: char| c.is_ascii_digit());
            let time = (digit || self.is("times", word))
                && !self.read("time", at).is_empty()
                && (kind != "title" || word.text.contains([':', 'm']) || !digit);
            let several = words.len() > 1;
            !word.quoted
                && (time
                    || several && self.is("bounds", word)
                    || several && kind == "title" && self.is("wishes", word)
                    || at > from && self.is("weeks", word) && self.is("which", &self.words[at - 1])
                    || !self.read("day", at).is_empty()
                    || !self.read("duration", at).is_empty())
        };
        matches!(kind, "text" | "said") || !words.iter().enumerate().any(hides)
    }
}
