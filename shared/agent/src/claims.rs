//! What a reply says was done, read from its words: verbs, subjects and hedges, no model.
//! Takes time linear in the reply. English only: another language is never a claim.

mod ellipsis;
mod hedges;
mod results;
mod text;
mod words;

use ellipsis::{ellipsis, noun_ellipsis};
use hedges::{Tense, active, own_clause, passive};
use results::result_claims;
use text::{Sentence, sentences};
use words::*;

/// Whether a reply claims that an effect of this run was done ("I've sent it", "Invite's out").
///
/// Offers, questions, denials, plans, drafts, quotations, states and reports of what was found or
/// of what others did are no claims. In doubt it is none.
pub fn claims_effect(text: &str) -> bool {
    sentences(text, claims).iter().any(claims)
}

/// Whether a reply speaks of effects at all: claimed, offered, drafted or denied.
pub fn mentions_effect(text: &str) -> bool {
    let sentences = sentences(text, claims);
    sentences
        .iter()
        .any(|sentence| claims(sentence) || mentions(sentence))
}

fn claims(sentence: &Sentence) -> bool {
    let answered;
    let sentence = match sentence.question {
        true => {
            answered = before_question(sentence);
            &answered
        }
        false => sentence,
    };
    let n = sentence.words.len();
    (0..n).any(|i| verb_claims(sentence, i) || progress_claims(sentence, i))
        || (!sentence.listed && (0..n).any(|i| result_claims(sentence, i)))
}

/// What a question says before it asks: "Sent, anything else?".
fn before_question(sentence: &Sentence) -> Sentence {
    let asks = any_of(ASKING, sentence.at(0)) || any_of(CONDITIONS, sentence.at(0));
    let mut ends = (0..sentence.words.len()).rev();
    let last = ends.find(|&k| any_of(SEPARATORS, sentence.at(k)));
    let mut before = sentence.clone();
    before.words.truncate(last.filter(|_| !asks).unwrap_or(0));
    before
}

const ASKING: &str = "have has had did do does is are was were will would shall should can could may \
    might who what when where why how which whom whose want need any anything";

enum Group {
    /// "I have sent", from its subject.
    Active(usize),
    /// "was sent", from its auxiliary.
    Passive(usize, Tense),
}

fn verb_claims(s: &Sentence, i: usize) -> bool {
    let did = done_by_writer(s, i);
    let Some(kind) = VERBS.get(s.at(i)).copied().or(did.map(|_| Kind::Change)) else {
        return false;
    };
    let found = did.map(Group::Active).or_else(|| group(s, i));
    if let Kind::With(needed) = kind {
        let from = match found {
            Some(Group::Active(_)) => i + 1,
            Some(Group::Passive(..)) | None => s.clause_start(i),
        };
        let to = s.clause_end(i).min(i + 7);
        if !s.has(&needed.replace(',', " "), from, to) {
            return false;
        }
    }
    match found {
        Some(Group::Active(subject)) => own_clause(s, subject) && active(s, i, kind),
        Some(Group::Passive(auxiliary, tense)) => passive(s, auxiliary, i, kind, tense),
        None => ellipsis(s, i, kind) || noun_ellipsis(s, i, kind),
    }
}

/// The auxiliaries and the subject around a participle.
fn group(s: &Sentence, i: usize) -> Option<Group> {
    let k = s.before_adverbs(i)?;
    let current = s.has("now all", k, i) || s.at(i + 1) == "now";
    match s.at(k) {
        "i" | "we" => Some(Group::Active(k)),
        "have" => writer(s, k).map(Group::Active),
        "been" => {
            let have = s
                .before_adverbs(k)
                .filter(|&h| any_of("has have 's", s.at(h)))?;
            let before = s.before_adverbs(have)?;
            (!any_of(MODALS, s.at(before))).then_some(Group::Passive(have, Tense::Perfect))
        }
        "was" | "were" | "got" => Some(Group::Passive(k, Tense::Past)),
        "is" | "are" | "'s" if current => Some(Group::Passive(k, Tense::Perfect)),
        "is" | "are" => Some(Group::Passive(k, Tense::Present)),
        // "It's sent" and "invite's sent", but not "Ben's updated slides".
        "'s" if k > 0
            && (any_of(OBJECTS, s.at(k - 1)) || any_of("it that everything", s.at(k - 1))) =>
        {
            Some(Group::Passive(k, Tense::Present))
        }
        "and" | "then" | "but" | "—" => carried(s, k).map(Group::Active),
        _ => arranged(s, i).map(Group::Active),
    }
}

/// The "I" before an auxiliary.
fn writer(s: &Sentence, auxiliary: usize) -> Option<usize> {
    s.before_adverbs(auxiliary)
        .filter(|&k| any_of("i we", s.at(k)))
}

/// "I did send", "I was able to send", "I managed to send": the subject of a base form.
fn done_by_writer(s: &Sentence, i: usize) -> Option<usize> {
    if BASES.get(s.at(i)).is_none_or(|base| base != s.at(i)) {
        return None;
    }
    let k = s.before_adverbs(i)?;
    match s.at(k) {
        "did" => writer(s, k),
        "to" if s.at(k.checked_sub(1)?) == "managed" => {
            let k = s.before_adverbs(k - 1)?;
            if any_of("i we", s.at(k)) {
                Some(k)
            } else {
                writer(s, k)
            }
        }
        "to" if s.at(k - 1) == "able" => {
            let was = s
                .before_adverbs(k - 1)
                .filter(|&w| any_of("was were been", s.at(w)))?;
            if s.at(was) == "been" {
                writer(s, s.before_adverbs(was)?)
            } else {
                writer(s, was)
            }
        }
        _ => None,
    }
}

/// The "I" of an earlier verb that goes on: "I checked the list and sent it".
fn carried(s: &Sentence, k: usize) -> Option<usize> {
    let subject = (0..k).rev().find(|&j| any_of("i we", s.at(j)))?;
    let mut verb = subject + 1;
    while any_of(ADVERBS, s.at(verb)) || s.at(verb) == "have" {
        verb += 1;
    }
    let other = |j: usize| {
        let word = s.at(j);
        let next = s.at(j + 1);
        (any_of(FINITE, word) && word != "'s")
            || any_of("he she they you who which that : not never", word)
            || (s.words[j].name && (next.ends_with("ed") || VERBS.contains_key(next)))
    };
    let first = s.at(verb);
    let acted = first.ends_with("ed") || VERBS.contains_key(first) || any_of(PASTS, first);
    (acted && !(verb..k).any(other)).then_some(subject)
}

const PASTS: &str = "found went saw took made got had read ran wrote chose picked gave gone seen taken done \
    spoke met drew built thought caught dug figured put";

/// "I have it scheduled", "I've got you booked".
fn arranged(s: &Sentence, i: usize) -> Option<usize> {
    let from = i.saturating_sub(5).max(s.clause_start(i));
    let have = (from..i).rev().find(|&k| any_of("have got had", s.at(k)))?;
    let object = any_of(
        "you it that this them everything all the your",
        s.at(have + 1),
    );
    let plain = !s.has("to not which who", have + 1, i) && have + 1 < i;
    let subject = s.before_adverbs(have)?;
    let subject = if s.at(subject) == "have" {
        s.before_adverbs(subject)?
    } else {
        subject
    };
    (object && plain && any_of("i we", s.at(subject))).then_some(subject)
}

/// "I'm sending it now": over when the reply is.
fn progress_claims(s: &Sentence, i: usize) -> bool {
    if !s.at(i).ends_with("ing") || !BASES.contains_key(s.at(i)) {
        return false;
    }
    let subject = s.before_adverbs(i).filter(|&k| s.at(k) == "am" && k > 0);
    let liberty = s.at(i.saturating_sub(1)) == "of" && s.at(i.saturating_sub(2)) == "liberty";
    let taken = liberty && s.has("took taken", 0, i) && s.has("i we", 0, i);
    let before = s
        .before_adverbs(i)
        .filter(|&k| any_of("finished completed", s.at(k)));
    let taken = taken
        || before
            .is_some_and(|k| matches!(group(s, k), Some(Group::Active(j)) if own_clause(s, j)));
    let now = subject.is_some_and(|k| own_clause(s, k - 1)) && s.has("now", 0, s.clause_end(i));
    (taken || now) && !s.conditional(0, s.words.len()) && !s.has(IN_REPLY, i, s.words.len())
}

fn mentions(s: &Sentence) -> bool {
    let colon = (0..s.words.len()).find(|&k| s.at(k) == ":");
    let inventory =
        |&colon: &usize| s.has("have has are is tasks list today schedule agenda", 0, colon);
    let end = colon.filter(inventory).unwrap_or(s.words.len());
    !s.listed && (0..end).any(|i| mentions_at(s, i))
}

fn mentions_at(s: &Sentence, i: usize) -> bool {
    let word = s.at(i);
    let before = s.before_adverbs(i).map_or("", |k| s.at(k));
    if any_of(
        "draft drafts drafted approval approve approved unsent undo",
        word,
    ) {
        return true;
    }
    match VERBS.get(word) {
        Some(Kind::With(needed)) => return s.has(&needed.replace(',', " "), i + 1, i + 7),
        Some(Kind::State) if any_of("is are 's", before) || any_of(OBJECTS, before) => {}
        Some(_) if BASES.get(word).is_none() => return true,
        _ => {}
    }
    match BASES.get(word) {
        Some(base) if base == word => {
            let asked = any_of(MODALS, before) || any_of(BEFORE_BASE, before);
            asked || (i == 0 && any_of(DETERMINERS, s.at(1)))
        }
        Some(_) => {
            !any_of("booking setting planning posting", word)
                || any_of("am are is before without", before)
        }
        None => false,
    }
}

const BEFORE_BASE: &str = "i we you me not and or please let did do does";

#[cfg(test)]
#[path = "claims_tests.rs"]
mod tests;
