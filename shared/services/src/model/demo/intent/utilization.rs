//! How a day is used.

use super::{Call, Reading, slot};
use crate::model::demo::dates::Now;
use crate::model::demo::lex::{Word, at, has};

/// `schedule_analyzeUtilization`.
pub(super) fn analyze(words: &[Word], now: &Now) -> Reading {
    let named = has(
        words,
        &[
            "utilization",
            "utilisation",
            "overbooked",
            "overloaded",
            "overcommitted",
            "double booked",
            "how busy",
            "how full",
            "how packed",
            "how productive",
            "how booked",
            "too much on",
            "workload",
        ],
    );
    let looks = has(words, &["how does", "hows", "how is", "how do"])
        && has(words, &["look", "looking", "shaping up", "my day", "days"])
        && !has(words, &["how do i look"]);
    let analyzes = ["analyze", "analyse", "evaluate", "assess", "review"]
        .iter()
        .any(|verb| at(words, 0, &[verb]))
        && has(words, &["day", "schedule", "calendar", "utilization"]);
    let share = has(
        words,
        &["how much of", "what percentage of", "what share of"],
    ) && has(
        words,
        &[
            "planned",
            "booked",
            "focus",
            "focus time",
            "free",
            "full",
            "taken",
            "used",
            "wasted",
        ],
    );
    let other = has(
        words,
        &[
            "task",
            "tasks",
            "mail",
            "email",
            "inbox",
            "week",
            "weather",
            "time is it",
        ],
    );
    if !(named || looks || analyzes || share) || other {
        return None;
    }
    let mut taken = vec![false; words.len()];
    let day = slot::take_day(words, &mut taken, now);
    if looks && !named && day.is_none() && !has(words, &["day", "days", "schedule", "calendar"]) {
        return None;
    }
    let call = Call::new("schedule_analyzeUtilization");
    Some(Ok(vec![
        call.with("date", day.unwrap_or_else(|| super::today(now))),
    ]))
}
