//! Claims without a verb of effect.

use super::ellipsis::opening;
use super::hedges::{dated, reported_time, unhedged};
use super::text::Sentence;
use super::words::*;

/// Results without a verb of effect: "All set", "It's in her inbox", "Ben has your note now".
pub(super) fn result_claims(s: &Sentence, i: usize) -> bool {
    if !any_of(RESULT_WORDS, s.at(i)) {
        return false;
    }
    let (start, end, n) = (s.clause_start(i), s.clause_end(i), s.words.len());
    let found = settled(s, i)
        || (went_out(s, i) || received(s, i) || holds_now(s, i)) && unhedged(s, start, i, start);
    found
        && !s.has(NEGATIONS, start, end)
        && !s.conditional(0, n)
        && !s.has(IN_REPLY, 0, n)
        && !s.has("according says apparently would could", 0, n)
        && !reported_time(s, i)
}

/// Where a result can be: the words that `settled` and the three after it look at.
const RESULT_WORDS: &str = "done finished all mission job good consider is are 's has have \
    will should can went in into now been knows know";

pub(super) fn settled(s: &Sentence, i: usize) -> bool {
    let next = s.at(i + 1);
    let closed = next.is_empty() || any_of(SEPARATORS, next) || any_of("and so for", next);
    let opens = opening(s, i).is_some_and(|start| (start..i).all(|k| any_of(ADVERBS, s.at(k))));
    let subject = s.at(i.saturating_sub(1));
    match s.at(i) {
        "done" | "finished" if opens => closed && next != "for",
        "all" if any_of("set done sorted handled booked squared", next) => {
            (opens || any_of("are is 's", subject)) && s.at(i + 2) != "of" && s.at(i + 2) != "by"
        }
        "been" => {
            next == "done"
                && any_of("has 's", subject)
                && any_of("it that this everything", s.at(i.saturating_sub(2)))
        }
        "mission" | "job" => any_of("accomplished done", next),
        "good" => {
            next == "to" && s.at(i + 2) == "go" && (opens || any_of("are is 's all", subject))
        }
        "consider" => {
            any_of("it that this them", next)
                && (s.at(i + 2) == "done" || VERBS.contains_key(s.at(i + 2)))
        }
        "is" | "'s" | "are" => {
            let whole =
                any_of("it that this everything both they", subject) && s.clause_start(i) + 1 == i;
            let k = if any_of("all now", next) {
                i + 2
            } else {
                i + 1
            };
            let after = s.at(k + 1);
            let ends =
                after.is_empty() || any_of(SEPARATORS, after) || any_of("and for now", after);
            whole && any_of("done sorted handled settled", s.at(k)) && ends
        }
        _ => false,
    }
}

/// "The mail is on its way", "your reply is out".
pub(super) fn went_out(s: &Sentence, i: usize) -> bool {
    let start = s.clause_start(i);
    let letter = s.has(LETTERS, start, i);
    let it = any_of("it both they", s.at(i.saturating_sub(1)));
    let mut k = i + 1;
    while any_of(ADVERBS, s.at(k)) {
        k += 1;
    }
    let live = s.at(k) == "live" && s.has(OBJECTS, start, i) && any_of("is are 's", s.at(i));
    let way = s.at(k) == "on" && any_of("its their the", s.at(k + 1)) && s.at(k + 2) == "way";
    let way = way && any_of("is are 's", s.at(i)) && (it || s.has(OBJECTS, start, i));
    let gone = any_of("has have 's", s.at(i))
        && s.at(k) == "gone"
        && any_of("out off to through", s.at(k + 1));
    let out = any_of("is are 's", s.at(i))
        && (s.at(k) == "out" && s.at(k + 1) != "of" || s.at(k) == "off" && s.at(k + 1) == "to");
    let went = s.at(i) == "went" && any_of("out off to through", s.at(k)) && s.at(k + 1) != "of";
    let delivered = any_of("in into", s.at(i))
        && (s.at(i + 2) == "inbox" && any_of("her his their", s.at(i + 1))
            || s.at(i + 2) == "'s" && s.at(i + 3) == "inbox");
    let travels = (gone || out || went) && !(i..s.clause_end(i)).any(|k| dated(s, k));
    (live || way || letter || it && travels || s.at(start) == "it")
        && (live || way || travels || delivered)
        && !s.has("i you from", start, i)
}

/// "Ben will see your message", "Ana has it in her inbox".
pub(super) fn received(s: &Sentence, i: usize) -> bool {
    let end = s.clause_end(i);
    let Some(subject) = s.before_adverbs(i) else {
        return false;
    };
    let mut k = i + 1;
    while any_of(ADVERBS, s.at(k)) || s.at(k) == "have" || s.at(k) == "got" {
        k += 1;
    }
    let will = any_of("will should can", s.at(i));
    let owns = any_of("has have", s.at(i)) || (s.at(i) == "'s" && s.at(i + 1) == "got");
    let gets = any_of("see get receive find hear notice", s.at(k)) || s.at(k - 1) == "have";
    let k = if will && s.at(k - 1) != "have" {
        k + 1
    } else {
        k
    };
    let letter = (k..end.min(k + 4)).any(|j| any_of(LETTERS, s.at(j)));
    let yours = s.at(k) == "your" && letter;
    let arrived = s.has("now", subject, end) || s.has("inbox hands", k, end);
    let it = s.at(k) == "it" && s.at(k + 1) != "s";
    match s.at(subject) {
        "i" | "we" | "it" | "there" | "who" | "that" => false,
        "you" => {
            let where_to = s.has("calendar list tasks", k, end);
            let reminder = s.has("reminder notification nudge ping", k, end.min(k + 4));
            s.at(i) == "will" && gets && (it && where_to || reminder && s.at(k) == "a")
        }
        _ if will => gets && (yours || it || letter && s.at(k) == "the"),
        _ => {
            owns && (yours || (it || letter || s.at(k) == "your") && arrived)
                && !s.has("from", k, end)
        }
    }
}

/// "Ben now has access", "It's now on your calendar", "your afternoon is free again".
pub(super) fn holds_now(s: &Sentence, i: usize) -> bool {
    let subject = s.at(i.saturating_sub(1));
    let end = s.clause_end(i);
    let place = |k: usize| {
        any_of("on in off", s.at(k))
            && any_of("your the her his their", s.at(k + 1))
            && s.has(
                "calendar list tasks diary schedule agenda plate inbox",
                k,
                end.min(k + 5),
            )
    };
    match s.at(i) {
        "now" => {
            let result = any_of(
                "has have knows know sees shows reads starts ends includes contains lives sits",
                s.at(i + 1),
            );
            let state = any_of("is are 's", subject)
                && (place(i + 1)
                    || any_of(
                        "free live visible empty clear public private complete",
                        s.at(i + 1),
                    ));
            i > 0 && (result && !any_of("i we who", subject) || state)
        }
        "is" | "are" | "'s" => {
            let free = any_of("free clear empty", s.at(i + 1)) && s.at(i + 2) == "again";
            let there =
                place(i + 1) && (s.at(end.saturating_sub(1)) == "now" || s.at(i + 1) == "off");
            i > 0 && (free || there)
        }
        "knows" | "know" => {
            i > 0 && s.at(end.saturating_sub(1)) == "now" && !any_of("i we you who to", subject)
        }
        _ => false,
    }
}
