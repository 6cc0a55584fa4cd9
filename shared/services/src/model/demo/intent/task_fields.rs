//! What a sentence says about a new task besides its title.

use super::{Refusal, take};
use crate::model::demo::clock;
use crate::model::demo::dates::{self, Now};
use crate::model::demo::length;
use crate::model::demo::lex::{Word, at};

/// How much it matters.
pub(super) fn take_priority(words: &[Word], taken: &mut [bool]) -> Option<&'static str> {
    let level = |low: &str| match low {
        "high" | "top" | "highest" | "urgent" | "important" | "critical" | "p1" => Some("high"),
        "medium" | "normal" | "mid" | "p2" => Some("medium"),
        "low" | "lowest" | "p3" => Some("low"),
        _ => None,
    };
    for place in 0..words.len() {
        let pair = |first: usize, second: usize| {
            let named = words
                .get(second)
                .is_some_and(|word| matches!(word.low.as_str(), "priority" | "prio"));
            words
                .get(first)
                .and_then(|word| level(&word.low))
                .filter(|_| named)
        };
        if let Some(found) = pair(place, place + 1).or_else(|| pair(place + 1, place)) {
            let before = place
                .checked_sub(1)
                .filter(|&before| matches!(words[before].low.as_str(), "with" | "at"));
            take(
                taken,
                before.unwrap_or(place),
                place + 2 - before.unwrap_or(place),
            );
            return Some(found);
        }
    }
    let clauses: [(&[&str], &str); 7] = [
        (&["not", "urgent"], "low"),
        (&["its", "urgent"], "high"),
        (&["its", "important"], "high"),
        (&["this", "is", "urgent"], "high"),
        (&["urgently"], "high"),
        (&["asap"], "high"),
        (&["p1"], "high"),
    ];
    for (clause, found) in clauses {
        if let Some(place) = (0..words.len()).find(|&place| at(words, place, clause)) {
            take(taken, place, clause.len());
            return Some(found);
        }
    }
    // "urgent" alone counts between commas or at the end, not inside a title.
    let place = words
        .iter()
        .rposition(|word| matches!(word.low.as_str(), "urgent" | "important"))?;
    let stands_alone = place > 0 && words[place - 1].end.is_some();
    stands_alone.then(|| {
        take(taken, place, 1);
        "high"
    })
}

/// A day counts as the due date after a preposition, at the end, after a comma, or when it is "tomorrow".
pub(super) fn take_due(words: &[Word], taken: &mut [bool], now: &Now) -> Option<String> {
    const BEFORE: [&str; 8] = [
        "due", "by", "on", "until", "before", "deadline", "for", "is",
    ];
    for place in 0..words.len() {
        if taken[place] {
            continue;
        }
        let low = words[place].low.as_str();
        let found = if low == "in" {
            length::length(words, place + 1)
                .and_then(|(length, len)| Some((length.after(now.date?)?.to_string(), len + 1)))
        } else {
            dates::day(words, place, now)
        };
        let Some((day, len)) = found else { continue };
        let mut first = place;
        while first > 0 && BEFORE.contains(&words[first - 1].low.as_str()) && !taken[first - 1] {
            first -= 1;
        }
        let relative = matches!(
            low,
            "today" | "tomorrow" | "tonight" | "next" | "this" | "in" | "tmrw"
        ) || low.starts_with("20");
        let last = place + len == words.len() || words[place + len - 1].end.is_some();
        if first < place || relative || last {
            take(taken, first, place + len - first);
            return Some(day);
        }
    }
    None
}

/// Minutes it will take.
pub(super) fn take_estimate(words: &[Word], taken: &mut [bool]) -> Option<i64> {
    const BEFORE: [&str; 14] = [
        "for",
        "about",
        "takes",
        "take",
        "should",
        "will",
        "it",
        "needs",
        "roughly",
        "estimated",
        "estimate",
        "around",
        "duration",
        "of",
    ];
    let (place, (length, len)) = (0..words.len())
        .filter(|&place| !taken[place])
        .find_map(|place| length::length(words, place).map(|found| (place, found)))?;
    let minutes = length.minutes().filter(|minutes| *minutes > 0)?;
    let mut first = place;
    while first > 0 && BEFORE.contains(&words[first - 1].low.as_str()) && !taken[first - 1] {
        first -= 1;
    }
    take(taken, first, place + len - first);
    Some(minutes)
}

/// When on its day; no tool checks a task's time, so that a wrong one is said here.
pub(super) fn take_clock(words: &[Word], taken: &mut [bool]) -> Result<Option<String>, Refusal> {
    for place in 0..words.len() {
        let marked = place > 0 && words[place - 1].low == "at" && !taken[place - 1];
        if taken[place] {
            continue;
        }
        let Some((clock, len)) = clock::clock(words, place, marked) else {
            continue;
        };
        return match clock.problem() {
            Some(problem) if marked => Err(Refusal(problem)),
            Some(_) => continue,
            None => {
                take(
                    taken,
                    place - usize::from(marked),
                    len + usize::from(marked),
                );
                Ok(Some(clock.by_day().text()))
            }
        };
    }
    Ok(None)
}
