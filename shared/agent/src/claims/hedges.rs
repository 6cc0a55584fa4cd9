//! What around a verb makes it no claim: reports, conditions, denials, dates, other doers.

use super::text::Sentence;
use super::words::*;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tense {
    /// "has been sent", "is now booked": it happened, and matters now.
    Perfect,
    Past,
    Present,
}

/// Whether the clause before a subject "I" leaves it the writer's own statement.
pub(super) fn own_clause(s: &Sentence, subject: usize) -> bool {
    let start = s.clause_start(subject);
    let announced = s.has(ANNOUNCES, 0, subject);
    let quoted = start > 0 && s.at(start - 1) == ":" && s.has(REPORTS, 0, start);
    !s.has(NEGATIONS, start, subject)
        && !s.conditional(start, subject)
        && (announced || !(s.has(REPORTS, start, subject) || s.has(RELATIVES, start, subject)))
        && !quoted
        && !(s.listed && s.has(":", 0, subject))
        && !s.has("according", 0, s.words.len())
}

/// Whether what follows an active participle leaves it an effect of now.
pub(super) fn active(s: &Sentence, i: usize, kind: Kind) -> bool {
    let (verb, next, end) = (s.at(i), s.at(i + 1), s.clause_end(i + 1));
    let spoken_to_reader = next == "you" && matches!(kind, Kind::Tell | Kind::With(_));
    let aside = s
        .range(i + 1, end.min(i + 5))
        .take_while(|w| !any_of("to in on for with from into", w));
    let own_text = match kind {
        Kind::Change | Kind::State | Kind::With(_) => aside.into_iter().any(|w| any_of(WRITING, w)),
        Kind::Send | Kind::Tell => {
            any_of("answered responded replied", verb) && s.has("question questions", i + 1, i + 5)
        }
    };
    let sorted = any_of(
        "sorted ordered organised organized labeled labelled marked tagged arranged",
        verb,
    ) && s.has("by", i + 1, end);
    let other_sense = matches!(
        (verb, next),
        ("confirmed", "that" | "it" | "whether")
            | ("adjusted" | "corrected", "for")
            | ("added", "up")
            | ("asked", "for")
    );
    let denied = any_of("nothing no none neither nor not", next) || failed_after(s, i);
    let reply = own_text || sorted || s.has(IN_REPLY, i + 1, end);
    !(denied || reply || spoken_to_reader || other_sense || reported_time(s, i))
}

/// A time long past in the clause of a verb, unless another verb stands between.
pub(super) fn reported_time(s: &Sentence, i: usize) -> bool {
    let (start, end) = (s.clause_start(i), s.clause_end(i));
    let lead = if any_of(",", s.at(start.saturating_sub(1))) {
        0
    } else {
        start
    };
    let past = |k: usize| match s.at(k) {
        "ago" => !any_of(
            "moment moments minute minutes second seconds",
            s.at(k.saturating_sub(1)),
        ),
        "last" => {
            any_of("week month year night time quarter", s.at(k + 1)) || any_of(DAYS, s.at(k + 1))
        }
        "yesterday" => s.at(k + 1) != "'s",
        word => any_of(PAST_TIMES, word),
    };
    let after = (i + 1..end).find(|&k| past(k));
    let after = after.is_some_and(|k| !(i + 1..k).any(|j| VERBS.contains_key(s.at(j))));
    after || (lead..i).any(past)
}

/// "… but it bounced".
pub(super) fn failed_after(s: &Sentence, i: usize) -> bool {
    let n = s.words.len();
    let Some(but) = (i..n).find(|&k| any_of("but however though although", s.at(k))) else {
        return false;
    };
    s.has("failed bounced rejected refused error", but, n)
        || (any_of("it that this the", s.at(but + 1)) && s.has("not never", but, n))
}

pub(super) fn passive(s: &Sentence, auxiliary: usize, i: usize, kind: Kind, tense: Tense) -> bool {
    let start = s.clause_start(auxiliary);
    let Some(subject) = s.before_adverbs(auxiliary).filter(|&k| k >= start) else {
        return false;
    };
    let present = tense == Tense::Present;
    // "Messages are delivered within a second" holds for any message.
    let generic = present
        && subject == start
        && any_of(OBJECTS, s.at(subject))
        && s.at(subject).ends_with('s');
    let end = s.clause_end(i);
    let passenger = any_of(
        "booked registered signed subscribed unsubscribed enrolled enroled rebooked",
        s.at(i),
    );
    let subject_fits = match s.at(subject) {
        "i" | "we" | "there" | "," | ":" | "—" => false,
        "you" => passenger && !present || s.has("now all", auxiliary, i),
        _ => true,
    };
    let state = match kind {
        Kind::State => !any_of("sorted handled settled", s.at(i)),
        Kind::Tell => true,
        _ => false,
    };
    let dated = tense == Tense::Past && (i..end).any(|k| dated(s, k));
    subject_fits
        && !(present && (state || generic || s.has(HABITS, start, end)))
        && !s.has("already", auxiliary, i)
        && s.at(i) != "called"
        && !dated
        && unhedged(s, start, auxiliary, subject)
        && !(present && s.conditional(i, s.words.len()))
        && !by_another(s, i, end)
        && !reported_time(s, i)
        && !s.has("since", i, end)
        && !s.has(IN_REPLY, start, end)
        && !s.has("action", start, auxiliary)
        && !failed_after(s, i)
        && !(tense == Tense::Past
            && s.has("this", i, end)
            && s.has("morning week month year", i, end))
}

/// Whether nothing before a subject makes its clause a report, a condition or a denial.
pub(super) fn unhedged(s: &Sentence, start: usize, verb: usize, subject: usize) -> bool {
    let n = s.words.len();
    let alone = subject == start && s.at(verb) != "was" && any_of("that everything", s.at(subject));
    let announced = s.has(ANNOUNCES, 0, verb);
    let reported = s.has(REPORTS, 0, verb)
        || (s.has(LOOKS, 0, start.max(1)) && s.has(": that", 0, verb))
        || (any_of("in from per", s.at(0)) && !any_of("short addition fact", s.at(1)))
        || (s.has(RELATIVES, start, verb) && !alone);
    let opened = s.conditional(0, 1) || s.at(0) == "as" && s.conditional(0, 2);
    let denied = s.has(NEGATIONS, start, verb);
    let sourced = s.has("according apparently says seemingly", 0, n) || s.listed;
    let reported = sourced || reported && !announced;
    !(denied || opened || reported || s.conditional(start, verb))
}

/// "on Monday", "at 10", "in March": a date that a report gives.
pub(super) fn dated(s: &Sentence, k: usize) -> bool {
    let next = s.at(k + 1);
    let day = any_of(DAYS, next.trim_end_matches(|c: char| c.is_ascii_digit()));
    let number = next.starts_with(|c: char| c.is_ascii_digit());
    any_of("on at in since", s.at(k)) && (day || number)
}

/// "by Chiyo", but not "by Friday" or "by e-mail".
pub(super) fn by_another(s: &Sentence, i: usize, end: usize) -> bool {
    let agent = |k: usize| {
        let name = s
            .words
            .get(k + 1)
            .is_some_and(|w| w.name && !any_of(DAYS, &w.text));
        let other = any_of(DETERMINERS, s.at(k + 1)) && !any_of("end time way", s.at(k + 2));
        name || other || any_of("someone accounting hr", s.at(k + 1))
    };
    (i..end).any(|k| s.at(k) == "by" && agent(k))
}
