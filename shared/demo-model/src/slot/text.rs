//! Texts that are taken as they are written, and where they end.
//!
//! What such a text can't be is data: the words of a list that `@title.first` names begin no title,
//! those of `title.last` end none, those of `title.any` stand in none, and those of `title.alone` aren't one.

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
        let mut fitting: Vec<usize> = fitting.collect();
        if kind == "said" {
            // All that stands behind a colon: "then" and "thanks" are part of it.
            fitting.drain(..fitting.len().saturating_sub(1));
        }
        let value = |len: usize| (len, self.value(kind, &words[..len]).into());
        fitting.into_iter().map(value).collect()
    }

    /// "the dentist one" is named "dentist"; what is said to others keeps its sign.
    fn value(&self, kind: &str, words: &[Word]) -> String {
        let last = words.len() - 1;
        let article = self.articles(kind, words);
        let hollow =
            usize::from(kind == "name" && last > article && self.is("hollow", &words[last]));
        let text = written(&words[article..=last - hollow]);
        let sign = words[last]
            .end
            .filter(|end| kind == "said" && "?!".contains(*end));
        match kind {
            "name" | "words" => text,
            _ => capitalised(&text) + &sign.map(String::from).unwrap_or_default(),
        }
    }

    /// How many words a name begins with that aren't its own.
    fn articles(&self, kind: &str, words: &[Word]) -> usize {
        usize::from(kind == "name" && words.len() > 1 && self.is("articles", &words[0]))
    }

    /// Whether behind this word the next request begins: "…, and tell Ben", ". Plan".
    fn begins_anew(&self, before: &Word, words: &[Word]) -> bool {
        let joint = before.end.is_some() || self.is("joints", before);
        let light = |word: &&Word| self.is("joints", word) || self.is("polite", word);
        let next = words.iter().find(|word| !light(word));
        joint && next.is_some_and(|word| self.is("beginnings", word))
    }

    /// Whether these words say no more than such a text can hold.
    fn fits(&self, kind: &str, at: usize, words: &[Word]) -> bool {
        let last = words.len() - 1;
        if last == 0 && words[0].quoted {
            return kind != "remark";
        }
        let said = matches!(kind, "text" | "words" | "said");
        let article = self.articles(kind, words);
        let bare = &words[article..];
        let places = match last {
            0 => ["alone"; 3],
            _ => ["first", "last", "any"],
        };
        let [first, end, any] = places.map(|place| format!("{kind}.{place}"));
        let barred =
            |by: &str, word: &Word| !word.quoted && self.phrasings.is_barred(by, &word.low);
        let stops = match kind {
            "title" => ".!?;:",
            "name" | "remark" => ",.!?;:",
            _ => "",
        };
        let stopped = |word: &Word| word.end.is_some_and(|end| stops.contains(end));
        let hollow = |word: &Word| self.phrasings.is_barred("pointing", &word.low);
        let letters = words
            .iter()
            .any(|word| word.text.contains(char::is_alphabetic));
        let number = words[0].text.bytes().all(|byte| byte.is_ascii_digit());
        letters
            && (said || !number)
            && !barred(&first, &bare[0])
            && !barred(&end, &words[last])
            && !bare.iter().any(|word| barred(&any, word))
            && !words[..last].iter().any(stopped)
            && !words.iter().all(hollow)
            && match kind {
                "said" => true,
                "text" | "words" => !self.is_moment(at) && !self.is_about(words),
                "remark" => self.states(at, words),
                _ => !(at..=at + last).any(|place| self.hides(kind, at, place)),
            }
    }

    /// Whether it says what is to be said rather than saying it: "a nice note that …", "… tell him".
    fn is_about(&self, words: &[Word]) -> bool {
        let mut near = words.iter().take(3).skip(1);
        let note = self.is("articles", &words[0]) && near.any(|word| self.is("notes", word));
        let told = |pair: &[Word]| self.is("told", &pair[0]) && self.is("persons", &pair[1]);
        note || words.windows(2).any(told)
    }

    /// Whether it is said when to say something: "tell Ben tomorrow that …".
    fn is_moment(&self, at: usize) -> bool {
        let at = at + usize::from(self.is("at", &self.words[at]));
        let leads = |end: usize| {
            self.words
                .get(end)
                .is_some_and(|word| self.is("leading", word))
        };
        let moment = |kind| self.read(kind, at).iter().any(|(len, _)| leads(at + len));
        ["day", "time", "duration"].into_iter().any(moment)
    }

    /// Whether these words, up to a stop, state something that asks for nothing and sets no time or number.
    fn states(&self, at: usize, words: &[Word]) -> bool {
        let heavy = |place: usize| {
            let word = &self.words[place];
            let moment = |kind| !self.read(kind, place).is_empty();
            word.quoted
                || word.text.contains(|c: char| c.is_ascii_digit())
                || ["day", "time", "duration"].into_iter().any(moment)
        };
        let end = at + words.len();
        self.is("statements", &words[0])
            && words.iter().any(|word| self.is("verbs", word))
            && (end == self.words.len() || self.words[end - 1].end.is_some())
            && !(at..end).any(heavy)
    }

    /// Whether a day, time or length begins at a word of what begins at another.
    fn hides(&self, kind: &str, from: usize, at: usize) -> bool {
        let word = &self.words[at];
        let digit = word.text.starts_with(|c: char| c.is_ascii_digit());
        let shaped = kind != "title" || word.text.contains([':', 'm']);
        let time = if digit {
            shaped
        } else {
            self.is("times", word)
        };
        let week = || at > from && self.is("weeks", word) && self.is("which", &self.words[at - 1]);
        !word.quoted
            && (time && !self.read("time", at).is_empty()
                || week()
                || digit && !self.read("range", at).is_empty()
                || !self.read("day", at).is_empty()
                || !self.read("duration", at).is_empty())
    }
}
