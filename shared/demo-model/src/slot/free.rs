//! Free slots: words that are taken as they are. The lists in `words.txt` say what they can't hold:
//! words of the lists that `@title.first` names begin no title, those of `title.last` end none, and
//! those of `title.any` stand in none.

use super::{Reader, Values, is_broken};
use crate::words::{Word, capitalised, written};

/// Maximum words of a free slot; 0 for other slots.
pub(super) fn longest(kind: &str) -> usize {
    match kind {
        "name" | "activity" => 6,
        "title" | "query" => 12,
        "text" | "line" | "said" => 40,
        _ => 0,
    }
}

impl Reader<'_> {
    /// Every length that is possible, the shortest first.
    pub(super) fn free(&self, kind: &str, at: usize) -> Values {
        let words = &self.words[at..];
        let colon = at > 0 && self.words[at - 1].end == Some(':');
        if kind == "said" && !colon {
            return Vec::new();
        }
        // Whatever a single word says, it is the title if a colon stands before it.
        let whole = words[0].quoted || kind == "title" && colon && words.len() == 1;
        let most = words.len().min(longest(kind));
        let longest = if whole { 1 } else { most };
        let fitting = (1..=longest).filter(|len| whole || self.fits(kind, at, &words[..*len]));
        let from = |len: usize| self.articles(kind, &words[..len]);
        let value = |len: usize| (len, value(kind, &words[from(len)..len]));
        fitting.map(value).collect()
    }

    /// How many articles the words begin with that aren't part of a name.
    fn articles(&self, kind: &str, words: &[Word]) -> usize {
        usize::from(kind == "name" && words.len() > 1 && self.is("articles", &words[0]))
    }

    /// Whether a slot of this kind can hold these words.
    fn fits(&self, kind: &str, at: usize, words: &[Word]) -> bool {
        let bare = &words[self.articles(kind, words)..];
        let barred = |place: &str, word: &Word| {
            let list = format!("{kind}.{place}");
            word.quoted || self.phrasings.is_barred(&list, &word.low)
        };
        let points = |word: &Word| self.phrasings.is_barred("pointing", &word.low);
        let is_word = |word: &Word| word.text.contains(char::is_alphabetic);
        let letters = words.iter().any(is_word);
        letters
            && !barred("first", &bare[0])
            && !barred("last", &words[words.len() - 1])
            && !bare.iter().any(|word| barred("any", word))
            && !words.iter().all(points)
            && !self.is_broken(kind, words)
            && !(kind == "name" && words[words.len() - 1].text.ends_with("'s"))
            && match kind {
                "text" | "said" | "query" => !self.is_moment(at) && !self.is_about(words),
                _ => !(at..at + words.len()).any(|place| self.is_time(kind, place)),
            }
    }

    /// Whether it holds more than one sentence or part of one. After a colon commas are allowed.
    fn is_broken(&self, kind: &str, words: &[Word]) -> bool {
        let comma = |pair: &[Word]| pair[0].end == Some(',') && !self.is("beginnings", &pair[1]);
        is_broken(words)
            && !(kind == "said"
                && words
                    .windows(2)
                    .all(|pair| pair[0].end.is_none() || comma(pair)))
    }

    /// Whether it describes a message instead of being one: "a nice note that …", "… tell him".
    fn is_about(&self, words: &[Word]) -> bool {
        let mut near = words.iter().take(3).skip(1);
        let note = self.is("articles", &words[0]) && near.any(|word| self.is("notes", word));
        let told = |pair: &[Word]| self.is("told", &pair[0]) && self.is("persons", &pair[1]);
        note || words.windows(2).any(told)
    }

    /// Whether a day, time or length begins here: "tell Ben tomorrow that …" says when to tell him.
    fn is_moment(&self, at: usize) -> bool {
        let at = at + usize::from(self.is("at", &self.words[at]));
        let moment = |kind| !self.read(kind, at).is_empty();
        ["day", "time", "duration", "span"].into_iter().any(moment)
    }

    /// Whether a day, time or length begins at this word of a name or title. A number alone is one
    /// in a name only.
    fn is_time(&self, kind: &str, at: usize) -> bool {
        let word = &self.words[at];
        let digit = word.text.starts_with(|c: char| c.is_ascii_digit());
        let time = if digit {
            !matches!(kind, "title" | "activity") || word.text.contains([':', 'm'])
        } else {
            self.is("times", word)
        };
        !word.quoted
            && (time && !self.read("time", at).is_empty()
                || digit && !self.read("range", at).is_empty()
                || !self.read("day", at).is_empty()
                || !self.read("duration", at).is_empty())
    }
}

/// The words as an argument: a title or message begins with a capital, and a message after a colon
/// keeps its question mark.
fn value(kind: &str, words: &[Word]) -> serde_json::Value {
    let text = written(words);
    if words[0].quoted || matches!(kind, "name" | "query") {
        return text.into();
    }
    let sign = words.last().and_then(|last| last.end);
    let sign = sign.filter(|end| kind == "said" && "?!".contains(*end));
    (capitalised(&text) + &sign.map(String::from).unwrap_or_default()).into()
}
