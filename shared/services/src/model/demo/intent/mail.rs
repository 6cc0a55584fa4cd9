//! Looking at e-mails: lists of them, and one.

use jiff::civil::Date;
use serde_json::json;

use super::mail_selection::{is_noun, selection};
use super::{Call, Reading, slot, take};
use crate::model::demo::clock::spoken_number;
use crate::model::demo::dates::Now;
use crate::model::demo::lex::{Word, at, has};

/// `email_readEmail`: a verb of reading, or "what does … say".
pub(super) fn read(words: &[Word], _: &Now) -> Reading {
    const OPENINGS: [&[&str]; 14] = [
        &["read", "me"],
        &["read", "out"],
        &["read"],
        &["open", "up"],
        &["open"],
        &["what", "does"],
        &["what", "did"],
        &["whats", "in"],
        &["show", "me"],
        &["show"],
        &["pull", "up"],
        &["display"],
        &["let", "me", "see"],
        &["bring", "up"],
    ];
    let opening = OPENINGS
        .iter()
        .filter(|opening| at(words, 0, opening))
        .max_by_key(|opening| opening.len())?;
    let mut rest = &words[opening.len()..];
    let asks = opening[0] == "what";
    match rest {
        [said @ .., last]
            if asks && matches!(last.low.as_str(), "say" | "says" | "want" | "contain") =>
        {
            rest = said;
        }
        _ if asks => return None,
        _ => {}
    }
    let verb = matches!(opening[0], "read" | "open") || asks;
    let plural = rest.iter().any(|word| {
        matches!(
            word.low.as_str(),
            "emails"
                | "mails"
                | "messages"
                | "e-mails"
                | "newsletters"
                | "unread"
                | "all"
                | "inbox"
        )
    });
    let which = selection(rest)?;
    let one = verb || which.about.is_some();
    let named = which.named().filter(|_| one && !plural)?;
    Some(Ok(vec![
        Call::new("email_readEmail").with("emailId", named),
    ]))
}

/// `email_viewEmails`.
pub(super) fn list(words: &[Word], now: &Now) -> Reading {
    const ASKS: [&str; 29] = [
        "show",
        "list",
        "any",
        "whats",
        "what",
        "check",
        "do i have",
        "have i got",
        "which",
        "unread",
        "new",
        "see",
        "display",
        "view",
        "find",
        "search",
        "how many",
        "look at",
        "look for",
        "my mail",
        "my email",
        "my emails",
        "my inbox",
        "get",
        "give",
        "inbox",
        "did",
        "has",
        "mail",
    ];
    let came =
        has(words, &["came in", "come in", "arrived", "did i get"]) && at(words, 0, &["what"]);
    let noun = words.iter().any(is_noun);
    let acts = has(
        words,
        &[
            "archive",
            "delete",
            "send",
            "reply",
            "task",
            "tasks",
            "todo",
            "to-do",
            "block",
            "triage",
            "write",
            "address",
            "of everyone",
            "time",
            "draft",
            "wait",
        ],
    );
    let question_of_person = words.iter().any(|word| {
        let asks = ["whats", "whos", "wheres", "hows", "todays", "yesterdays"];
        word.text.ends_with("'s") && !asks.contains(&word.low.as_str())
    }) && !has(words, &["emails", "mails", "messages"]);
    if !(noun && has(words, &ASKS) || came)
        || acts
        || question_of_person && !has(words, &["mail from", "email from"])
    {
        return None;
    }
    let mut taken = vec![false; words.len()];
    let mut call = Call::new("email_viewEmails");
    if has(
        words,
        &[
            "unread",
            "new",
            "unopened",
            "havent read",
            "not read",
            "havent opened",
        ],
    ) {
        call = call.with("status", json!(["unread"]));
    }
    if let Some(limit) = limit(words, &mut taken) {
        call = call.with("limit", limit);
    }
    if has(
        words,
        &["since", "today", "yesterday", "from today", "todays"],
    ) {
        let place = words.iter().position(|word| word.low == "since");
        if let Some(place) = place {
            take(&mut taken, place, 1);
        }
        if let Some(day) = slot::take_day(words, &mut taken, now) {
            call = call.with("since", past(day, now));
        }
    }
    let left: Vec<Word> = (0..words.len())
        .filter(|&place| !taken[place])
        .map(|place| words[place].clone())
        .collect();
    // Behind the noun, or behind "what came in".
    let place = left
        .iter()
        .position(is_noun)
        .or_else(|| left.iter().position(|word| word.low == "from"))?;
    let from = if is_noun(&left[place]) {
        place
    } else {
        place.saturating_sub(1)
    };
    let mut about = left[from..].to_vec();
    if !is_noun(&about[0]) {
        about[0].low = "mail".into();
    }
    let which = selection(&about)?;
    if which.unread {
        call = call.with("status", json!(["unread"]));
    }
    if let Some(from) = which.from {
        call = call.with("from", from);
    }
    if let Some(about) = which.about {
        call = call.with("query", about);
    }
    Some(Ok(vec![call]))
}

/// Mail came on the weekday before today, not on the one after.
fn past(day: String, now: &Now) -> String {
    let (Ok(date), Some(today)) = (day.parse::<Date>(), now.date) else {
        return day;
    };
    let before = today.nth_weekday(-1, date.weekday()).ok();
    match before.filter(|_| date > today) {
        Some(before) => before.to_string(),
        None => day,
    }
}

/// "my last 10 emails", "the newest five".
fn limit(words: &[Word], taken: &mut [bool]) -> Option<i64> {
    let place = words.iter().position(|word| {
        matches!(
            word.low.as_str(),
            "last" | "latest" | "newest" | "first" | "recent" | "top"
        )
    })?;
    let number = words.get(place + 1)?.low.as_str();
    let number = number
        .parse()
        .ok()
        .or_else(|| spoken_number(number).map(i64::from))?;
    take(taken, place, 2);
    (1..=100).contains(&number).then_some(number)
}
