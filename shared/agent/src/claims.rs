//! Whether a reply says that something was sent or changed, by the words in `claims/words.txt`. English
//! alone, and not every claim: the ledger under each reply is the guarantee. This gives the model a chance to
//! mend its answer, so in doubt it is no claim.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

/// By the name of its list, each word with those of which one must follow it.
static LISTS: LazyLock<HashMap<&str, HashMap<&str, Vec<&str>>>> = LazyLock::new(|| {
    let mut lists: HashMap<&str, HashMap<&str, Vec<&str>>> = HashMap::new();
    let mut list = "";
    for entry in include_str!("claims/words.txt").split_whitespace() {
        let (word, needs) = entry.split_once('>').unwrap_or((entry, ""));
        let needs = needs.split(',').filter(|word| !word.is_empty()).collect();
        match entry.strip_suffix('=') {
            Some(name) => list = name,
            None => drop(lists.entry(list).or_default().insert(word, needs)),
        }
    }
    lists
});
/// Longer sentences are cut, so that looking around in one stays cheap.
const WORDS: usize = 60;

/// Whether a reply claims an effect of its run: "I've sent it", "Your task has been created". Offers, questions,
/// denials, drafts, quotations, and what others did are none. Linear in the reply's length.
pub fn claims_effect(text: &str) -> bool {
    let (mut reports, mut code) = (false, false);
    for line in text.lines().map(str::trim) {
        code ^= line.starts_with("```");
        let item = line.trim_start_matches(|c: char| c.is_ascii_digit() || ".)-•*+ ".contains(c));
        // Items below "Your tasks:" tell what was found, those below "What I did:" don't.
        let listed = item.len() < line.len();
        if line.is_empty() {
            continue;
        }
        let introduces = line.trim_end_matches('*').ends_with(':');
        let last = line.rsplit(". ").next().unwrap_or(line);
        reports = (listed && reports) || (!listed && introduces && !last.contains("did"));
        if code || line.starts_with('>') || (listed && reports) {
            continue;
        }
        for sentence in sentences(item) {
            if sentence.has("colon", 0..WORDS) && sentence.has("drafts", 0..WORDS) {
                // What follows is what would be sent.
                return false;
            }
            if sentence.claims() {
                return true;
            }
        }
    }
    false
}

fn is(list: &str, word: &str) -> bool {
    LISTS[list].contains_key(word)
}

/// Words in lower case without hyphens, contractions apart, with `,` and `:` between them.
struct Sentence(Vec<String>);

impl Sentence {
    fn at(&self, i: usize) -> &str {
        self.0.get(i).map_or("", String::as_str)
    }

    fn has(&self, list: &str, mut range: Range<usize>) -> bool {
        range.any(|k| is(list, self.at(k)))
    }

    fn claims(&self) -> bool {
        let effect = |i| self.is_effect(i) && (self.is_active(i) || self.is_passive(i));
        let claims = |i| (effect(i) || self.is_phrase(i)) && self.is_own(i);
        (0..self.0.len()).any(claims) || self.is_elliptic()
    }

    fn clause(&self, i: usize) -> Range<usize> {
        let ends = |k: &usize| is("parts", self.at(*k));
        let start = (0..i).rev().find(ends).map_or(0, |k| k + 1);
        start..(i..self.0.len()).find(ends).unwrap_or(self.0.len())
    }

    /// "sent", "put … on", but not "added a summary below", "told you".
    fn is_effect(&self, i: usize) -> bool {
        let (word, end) = (self.at(i), self.clause(i).end);
        let of = |list| {
            let mut near = i + 1..end.min(i + 7);
            let needs: Option<&Vec<&str>> = LISTS[list].get(word);
            needs.is_some_and(|of| of.is_empty() || near.any(|k| of.contains(&self.at(k))))
        };
        let to_reader = is("reader", word) && self.at(i + 1) == "you";
        !to_reader && (of("sends") || (of("changes") && !self.has("own", i + 1..end)))
    }

    /// The nearest word before that isn't an adverb or auxiliary.
    fn before(&self, i: usize) -> usize {
        (0..i).rev().find(|k| !is("skip", self.at(*k))).unwrap_or(i)
    }

    /// "I've just sent", and "I looked it up and sent".
    fn is_active(&self, i: usize) -> bool {
        let clause = self.clause(i);
        let is_writer = |k: usize| matches!(self.at(k), "i" | "we");
        let carried = i > 0 && matches!(self.at(i - 1), "and" | "then") && is_writer(clause.start);
        carried || is_writer(self.before(i))
    }

    /// "has been sent", "is now scheduled", "was just posted".
    fn is_passive(&self, i: usize) -> bool {
        let (k, clause) = (self.before(i), self.clause(i));
        let done = match self.at(k) {
            "been" => true,
            "is" | "are" | "was" | "were" => (k..i).any(|k| matches!(self.at(k), "now" | "just")),
            _ => false,
        };
        let by = (i..clause.end).any(|k| self.at(k) == "by");
        done && !by && self.at(clause.start) != "you"
    }

    /// "taken care of".
    fn is_phrase(&self, i: usize) -> bool {
        let is_here = |phrase: &&str| {
            let mut words = phrase.split('_').zip(i..);
            words.all(|(word, k)| self.at(k) == word)
        };
        LISTS["phrases"].keys().any(is_here)
    }

    /// "Sent.", "Okay, booked you a taxi", "Meeting moved to Friday".
    fn is_elliptic(&self) -> bool {
        let leads = (0..self.0.len()).take_while(|k| is("lead", self.at(*k)));
        let first = leads.count();
        let named = (first + 1..first + 3).find(|k| is("things", self.at(*k - 1)));
        let acts = |k: usize| {
            let next = self.at(k + 1);
            self.is_effect(k) && (next.is_empty() || is("after", next)) && self.is_own(k)
        };
        let plain = !self.has("finite", 0..WORDS) && !self.has("colon", 0..WORDS);
        plain && (acts(first) || named.is_some_and(acts))
    }

    /// Not denied, conditional, reported, or of an earlier time.
    fn is_own(&self, i: usize) -> bool {
        let clause = self.clause(i);
        !self.has("off", clause.start..i)
            && !self.has("times", clause)
            && !self.has("reports", 0..i)
    }
}

fn sentences(line: &str) -> Vec<Sentence> {
    let (mut all, mut words) = (Vec::new(), Vec::new());
    for chunk in unquoted(line).split_whitespace() {
        let core = chunk.trim_matches(|c: char| !c.is_alphanumeric() && c != '❝');
        words.extend(parts(core));
        let marks = chunk.rsplit_once(core).filter(|_| !core.is_empty());
        let marks = marks.map_or(chunk, |(_, behind)| behind);
        if marks.contains('?') {
            let clause = words.iter().rposition(|word| word == ",");
            words.truncate(clause.unwrap_or_default());
        }
        let ends = |c: char| ".!?;…".contains(c) || (c as u32 > 0x2190 && c != '❝');
        if marks.contains(ends) || words.len() >= WORDS {
            all.push(Sentence(std::mem::take(&mut words)));
        } else if marks.contains(':') {
            words.push(":".into());
        } else if marks.contains([',', ')', '—', '–']) || marks == "-" {
            words.push(",".into());
        }
    }
    all.push(Sentence(words));
    all
}

fn parts(core: &str) -> Vec<String> {
    let mut word = core.to_lowercase().replace('-', "").replace('’', "'");
    for (short, long) in &LISTS["apart"] {
        word = word.replace(short, &format!(" {}", long.concat()));
    }
    word.split_whitespace().map(str::to_owned).collect()
}

/// A line without what stands between quotation marks, or behind one that doesn't close.
fn unquoted(line: &str) -> String {
    const MARKS: [&str; 5] = ["\"\"", "“”", "„“", "«»", "``"];
    let (mut plain, mut close) = (String::new(), None);
    for c in line.chars() {
        match (close, MARKS.iter().find(|mark| mark.starts_with(c))) {
            (Some(_), _) => close = close.filter(|close| *close != c),
            (None, Some(mark)) => {
                plain.push_str(" ❝ ");
                close = mark.chars().last();
            }
            (None, None) => plain.push(c),
        }
    }
    plain
}

#[cfg(test)]
mod tests;
