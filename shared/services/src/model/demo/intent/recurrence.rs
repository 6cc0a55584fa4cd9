//! What is to repeat. No tool does that yet, and one block or task instead
//! would be another thing than was asked for.

use crate::model::demo::dates;
use crate::model::demo::lex::{Word, at};

/// Whether a block is to come again and again. When a single day was named,
/// "daily" and the like only describe it.
pub(super) fn of_block(words: &[Word], dated: bool) -> bool {
    unquoted(words).any(|place| every(words, place) || !dated && adverb(words, place))
}

/// Whether a task is: "remind me daily to stretch", but not "write the daily report".
pub(super) fn of_task(words: &[Word]) -> bool {
    let outside =
        |place: usize| place + 1 == words.len() || at(words, 0, &["remind", "me"]) && place == 2;
    unquoted(words).any(|place| every(words, place) || outside(place) && adverb(words, place))
}

fn unquoted(words: &[Word]) -> impl Iterator<Item = usize> + '_ {
    (0..words.len()).filter(|&place| !words[place].quoted)
}

/// "every day", "each Monday", "every other week", "every 2 hours", "on Mondays", "on weekdays".
fn every(words: &[Word], place: usize) -> bool {
    let low = |at: usize| words.get(at).map_or("", |word| word.low.as_str());
    if matches!(low(place), "every" | "each") {
        let next = place + 1 + usize::from(matches!(low(place + 1), "other" | "second" | "single"));
        let counted = low(next).parse::<u32>().is_ok();
        return is_period(low(next)) || counted && is_period(low(next + 1));
    }
    let plural = low(place).ends_with('s')
        && low(place).len() > 5
        && dates::weekday(low(place)).is_some()
        && !words[place].text.ends_with("'s");
    plural || matches!(low(place), "weekdays" | "weeknights") || at(words, place, &["weekends"])
}

fn is_period(low: &str) -> bool {
    let unit = [
        "day",
        "morning",
        "afternoon",
        "evening",
        "night",
        "weekday",
        "week",
        "weekend",
        "month",
        "quarter",
        "year",
        "hour",
        "minute",
        "workday",
        "noon",
    ];
    unit.contains(&low.trim_end_matches('s')) || dates::weekday(low).is_some()
}

fn adverb(words: &[Word], place: usize) -> bool {
    matches!(
        words[place].low.as_str(),
        "daily"
            | "weekly"
            | "biweekly"
            | "fortnightly"
            | "monthly"
            | "yearly"
            | "recurring"
            | "repeating"
    )
}
