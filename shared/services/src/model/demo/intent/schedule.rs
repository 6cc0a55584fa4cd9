//! The day: what is on.

use super::{Call, Reading};
use crate::model::demo::dates::{self, Now};
use crate::model::demo::lex::{Word, at, has};

/// `schedule_viewSchedule`, one call for each day asked about.
pub(super) fn view(words: &[Word], now: &Now) -> Reading {
    let noun = has(
        words,
        &[
            "schedule",
            "calendar",
            "agenda",
            "diary",
            "timetable",
            "meetings",
            "appointments",
            "plans",
            "my day",
            "my week",
            "my morning",
            "my afternoon",
            "next meeting",
            "next appointment",
        ],
    );
    let question = has(
        words,
        &[
            "whats on",
            "what is on",
            "what do i have",
            "what have i got",
            "do i have anything",
            "have i got anything",
            "am i free",
            "am i busy",
            "how busy am i",
            "whats planned",
            "what is planned",
            "anything on",
            "anything planned",
            "whats happening",
            "what am i doing",
            "whats up",
            "whats coming up",
            "do i have any meetings",
            "what did i do",
            "how full",
            "is my next meeting",
            "my next meeting",
        ],
    );
    let days = days(words, now);
    let dated = days.is_some();
    // "Schedule a …" asks for a block, or for something nobody here can do.
    if at(words, 0, &["schedule", "a"]) || at(words, 0, &["schedule", "the"]) {
        return None;
    }
    if only_days(words, now) {
        return Some(Ok(views(days?)));
    }
    let about_time = has(words, &["time", "clock", "weather"]) && !noun;
    // "What's on" alone could be anything; a day or a calendar word makes it this.
    if about_time || !(noun || question && (dated || words.len() <= 4)) {
        return None;
    }
    let verb = has(
        words,
        &[
            "delete",
            "cancel",
            "move",
            "share",
            "invite",
            "clear",
            "reschedule",
        ],
    );
    if verb {
        return None;
    }
    let days = days.unwrap_or_else(|| {
        vec![
            now.date
                .map_or_else(|| "today".into(), |day| day.to_string()),
        ]
    });
    Some(Ok(views(days)))
}

fn views(days: Vec<String>) -> Vec<Call> {
    let call = |day: String| Call::new("schedule_viewSchedule").with("date", day);
    days.into_iter().map(call).collect()
}

/// "tomorrow?", "is Friday packed?", "and on Monday?"
fn only_days(words: &[Word], now: &Now) -> bool {
    const FILLER: [&str; 12] = [
        "is", "packed", "busy", "full", "free", "open", "on", "and", "what", "about", "how", "for",
    ];
    let mut place = 0;
    let mut seen = false;
    while place < words.len() {
        if let Some((_, len)) = dates::day(words, place, now) {
            seen = true;
            place += len;
        } else if FILLER.contains(&words[place].low.as_str()) {
            place += 1;
        } else {
            return false;
        }
    }
    seen
}

fn days(words: &[Word], now: &Now) -> Option<Vec<String>> {
    let mut days = Vec::new();
    let mut place = 0;
    while place < words.len() {
        match dates::day(words, place, now) {
            Some((day, len)) => {
                days.push(day);
                place += len;
            }
            None => place += 1,
        }
    }
    if days.is_empty() {
        return dates::week(words, now);
    }
    Some(days)
}
