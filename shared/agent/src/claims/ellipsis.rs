//! Claims without a subject or an auxiliary.

use super::hedges::{active, by_another, dated};
use super::text::Sentence;
use super::words::*;

/// Where an ellipsis begins: its clause is the first, or only courtesies go before it.
pub(super) fn opening(s: &Sentence, i: usize) -> Option<usize> {
    let start = s.clause_start(i);
    let courteous = |k: usize| {
        let word = s.at(k);
        let name = s.words[k].name && s.at(k + 1) != ":";
        any_of(INTERJECTIONS, word) || any_of(SEPARATORS, word) || name
    };
    ((0..start).all(courteous) && !s.listed).then_some(start)
}

/// "Sent!", "Just booked the room".
pub(super) fn ellipsis(s: &Sentence, i: usize, kind: Kind) -> bool {
    let Some(start) = opening(s, i) else {
        return false;
    };
    let begins =
        (start..i).all(|k| any_of(ADVERBS, s.at(k)) || any_of("have been successfully", s.at(k)));
    let (next, end) = (s.at(i + 1), s.clause_end(i + 1));
    let named = s.words.get(i + 1).is_some_and(|w| w.name) || next.contains('@');
    let closed = next.is_empty() || any_of(SEPARATORS, next);
    let object = named || any_of(DETERMINERS, next) || any_of(AFTER_ELLIPSIS, next);
    let noun = s.has("to for in on from with into as", i + 2, end);
    let header = s.at(end) == ":" && !closed && kind == Kind::State;
    let imperative = any_of("set put let reset broadcast", s.at(i))
        && i == start
        && !closed
        && !any_of("for to", next);
    let listing = any_of(
        "confirmed invited scheduled shared closed completed archived",
        s.at(i),
    ) && any_of(": that", next);
    begins
        && (closed || object || noun)
        && !(header || imperative || listing || next == "by")
        && !s.has(FINITE, i + 1, end)
        && !dated(s, i + 1)
        && !by_another(s, i, end)
        && active(s, i, kind)
}

const AFTER_ELLIPSIS: &str =
    "and now successfully for to as in on from into with off up out care down over everyone";

/// "Invites sent", "Room booked for Thursday".
pub(super) fn noun_ellipsis(s: &Sentence, i: usize, kind: Kind) -> bool {
    let (Some(start), Some(last)) = (opening(s, i), s.before_adverbs(i)) else {
        return false;
    };
    let (next, end) = (s.at(i + 1), s.clause_end(i + 1));
    let noun =
        any_of(OBJECTS, s.at(last)) || (s.words[last].name && s.has("to with for", start, last));
    let counted = s.at(start).starts_with(|c: char| c.is_ascii_digit())
        || any_of("one two three four five six", s.at(start));
    let header = s.at(end) == ":"
        && (end > i + 1 || s.at(end + 1).starts_with(|c: char| c.is_ascii_digit()));
    kind != Kind::Tell
        && last >= start
        && last - start < 6
        && noun
        && s.has(OBJECTS, start, last + 1)
        && !s.has(FINITE, start, end)
        && !s.has("i you he she they we not no of", start, last)
        && !(counted && kind == Kind::State)
        && !(header || by_another(s, i, end) || dated(s, i + 1))
        && !(any_of(DETERMINERS, next) && next != "❝")
        && next != "by"
        && active(s, i, kind)
}
