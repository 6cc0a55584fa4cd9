//! Decides what a message asks for. One pattern matches all of its words, or nothing is done.

use jiff::civil::Date;

use crate::matching::Reading;
use crate::pattern::{OPEN, Phrasings, Says};
use crate::slot::Reader;
use crate::words::{self, Word, written};

/// Maximum words of a message that is matched.
const LONGEST: usize = 60;

#[derive(Debug, PartialEq)]
pub(crate) enum Understood {
    /// One request, or the requests that one phrase stands for. A request has several readings only
    /// if it may be about an open proposal: those come first.
    Requests(Vec<Vec<Reading>>),
    /// Two requests in one message.
    Two(String, String),
    /// Two patterns match, and their calls differ.
    Several,
    /// The message isn't English.
    Foreign,
    Unclear,
}

/// Reads a message that was written on this day.
pub(crate) fn understand(message: &str, phrasings: &Phrasings, today: Date) -> Understood {
    let words = words::words(message);
    if words.is_empty() || words.len() > LONGEST {
        return Understood::Unclear;
    }
    let read = |words: &[Word]| read(words, phrasings, today);
    match read(&words) {
        Understood::Unclear => {}
        understood => return understood,
    }
    if let Some((first, second)) = halves(&words, phrasings, read) {
        return Understood::Two(first, second);
    }
    if is_foreign(&words, phrasings) {
        Understood::Foreign
    } else {
        Understood::Unclear
    }
}

/// Matches the words as one request.
fn read(words: &[Word], phrasings: &Phrasings, today: Date) -> Understood {
    let mut readings = Reader::new(today, phrasings, words).readings();
    // A refusal knows a request by few of its words.
    let refuses = |one: &Reading| matches!(one.leads.says, Some(Says::Refusal(_)));
    if !readings.iter().all(refuses) {
        readings.retain(|one| !refuses(one));
    }
    readings.sort_by_key(|one| one.leads.via != Some(OPEN));
    let others = readings.iter().filter(|one| one.leads.via != Some(OPEN));
    match (readings.first(), others.count()) {
        (None, _) => Understood::Unclear,
        (Some(first), 2..) if !refuses(first) => Understood::Several,
        (Some(first), _) => match first.leads.says {
            Some(Says::Requests(requests)) => {
                let each = requests.split(" | ").map(words::words);
                let each = each.map(|words| read(&words, phrasings, today));
                let readings = each.filter_map(|one| match one {
                    Understood::Requests(requests) => Some(requests),
                    _ => None,
                });
                Understood::Requests(readings.flatten().collect())
            }
            _ => Understood::Requests(vec![readings]),
        },
    }
}

/// The two requests of a message: one is understood, and the other is too or begins like one.
fn halves(
    words: &[Word],
    phrasings: &Phrasings,
    read: impl Fn(&[Word]) -> Understood,
) -> Option<(String, String)> {
    let splits = |word: &Word| !word.quoted && phrasings.is("splits", &word.low);
    let acts = |words: &[Word]| matches!(read(words), Understood::Requests(_));
    let begins = |words: &[Word]| phrasings.is("beginnings", &words[0].low) || acts(words);
    (1..words.len()).find_map(|at| {
        let joints = words[at..].iter().take_while(|word| splits(word)).count();
        let (first, second) = (&words[..at], words.get(at + joints..)?);
        let split = joints > 0 || words[at - 1].end.is_some();
        let two = split && !second.is_empty() && begins(first) && begins(second);
        let two = two && (acts(first) || acts(second));
        two.then(|| (written(first), written(second)))
    })
}

/// Whether words of other languages, or letters that English hasn't, make up a good part. Names don't count.
fn is_foreign(words: &[Word], phrasings: &Phrasings) -> bool {
    let foreign = |word: &&Word| {
        let strange = |c: char| c.is_alphabetic() && !c.is_ascii();
        let is_strange = word.text.contains(strange) && !word.text.starts_with(char::is_uppercase);
        !word.quoted && (phrasings.is("foreign", &word.low) || is_strange)
    };
    words.iter().filter(foreign).count() * 4 >= words.len()
}
