//! How Alfred should serve.

use serde_json::Value;

use super::{Call, written};
use crate::model::demo::clock::{self, Clock};
use crate::model::demo::dates::{self, Now};
use crate::model::demo::lex::{Word, find, has};
use crate::model::demo::places;

pub(super) const TOOL: &str = "preference_updatePreferences";

/// Reads one kind of preference.
type Kind = fn(&[Word], &Now) -> Option<Call>;

/// `preference_updatePreferences`.
pub(super) fn update(words: &[Word], now: &Now) -> Option<Vec<Call>> {
    if words
        .iter()
        .any(|word| matches!(word.low.as_str(), "task" | "todo" | "remind"))
    {
        return None;
    }
    let kinds: [Kind; 6] = [custom, timezone, style, first_words, hours, lengths];
    let call = kinds.iter().find_map(|kind| kind(words, now))?;
    Some(vec![call])
}

fn set(name: &str, value: impl Into<Value>) -> Option<Call> {
    Some(Call::new(TOOL).with(name, value))
}

/// "set my timezone to Rome", "I'm in Singapore now, update my timezone", "I moved to Lisbon".
fn timezone(words: &[Word], _: &Now) -> Option<Call> {
    let names_it = has(
        words,
        &[
            "my timezone",
            "my time zone",
            "my tz",
            "timezone to",
            "time zone to",
            "timezone should",
        ],
    );
    let moved = has(
        words,
        &["i moved to", "i live in", "ive moved to", "i am moving to"],
    );
    let changes = has(
        words,
        &[
            "set", "change", "update", "switch", "make", "to", "is", "use", "now",
        ],
    );
    let wanted = moved || names_it && changes;
    if !wanted || has(words, &["what", "whats", "which"]) {
        return None;
    }
    let found = (0..words.len()).find_map(|place| places::at(words, place));
    if let Some(found) = found {
        return set("timezone", found.zone);
    }
    // A name this parser doesn't know goes to the tool, which says so.
    let to = words
        .iter()
        .rposition(|word| word.low == "to" || word.low == "is")?;
    let name = words.get(to + 1..).filter(|name| !name.is_empty())?;
    set("timezone", written(name))
}

/// "use a custom personality: …"
fn custom(words: &[Word], _: &Now) -> Option<Call> {
    let place = find(words, &["personality"])?;
    let text = words.get(place + 1..).filter(|text| !text.is_empty())?;
    if !has(&words[..place], &["custom", "own"]) {
        return None;
    }
    let text = text.strip_prefix(
        text.iter()
            .take(1)
            .filter(|word| word.low == "of" || word.low == "to")
            .cloned()
            .collect::<Vec<_>>()
            .as_slice(),
    )?;
    set("personality", "custom").map(|call| call.with("personalityText", written(text)))
}

/// Verbosity and personality.
fn style(words: &[Word], _: &Now) -> Option<Call> {
    const PERSONALITIES: [&str; 5] = ["alfred", "jarvis", "donna", "dwight", "jim"];
    let about_style = has(
        words,
        &[
            "personality",
            "youre",
            "you are",
            "persona",
            "act like",
            "talk like",
            "talk to me like",
            "be like",
            "behave like",
            "sound like",
            "act as",
            "speak like",
            "switch to",
            "be more like",
        ],
    );
    let named = words.iter().find(|word| {
        PERSONALITIES.contains(&word.low.trim_end_matches("s"))
            || PERSONALITIES.contains(&word.low.as_str())
    });
    if let Some(named) = named.filter(|_| about_style) {
        let name = PERSONALITIES
            .iter()
            .find(|name| named.low.starts_with(**name))?;
        return set("personality", *name);
    }
    let about_answers = words.first().is_some_and(|word| {
        matches!(
            word.low.as_str(),
            "be" | "more"
                | "less"
                | "give"
                | "write"
                | "answer"
                | "reply"
                | "keep"
                | "make"
                | "set"
        )
    }) || has(
        words,
        &[
            "i prefer",
            "i want",
            "i like",
            "answers",
            "replies",
            "responses",
            "verbosity",
        ],
    );
    let long = [
        "detailed",
        "verbose",
        "thorough",
        "longer",
        "detail",
        "details",
        "elaborate",
        "comprehensive",
    ];
    let short = [
        "concise", "brief", "short", "shorter", "terse", "succinct", "briefer", "crisp",
    ];
    let says = |list: &[&str]| words.iter().any(|word| list.contains(&word.low.as_str()));
    let less = has(words, &["less", "not so", "fewer", "dont be"]);
    let subject = has(
        words,
        &[
            "answers",
            "answer",
            "replies",
            "responses",
            "verbosity",
            "be",
            "it",
            "detail",
            "details",
            "more detail",
        ],
    );
    if !about_answers || !subject || words.len() > 10 {
        return None;
    }
    match (says(&long), says(&short), less) {
        (true, false, false) | (false, true, true) => set("verbosity", "detailed"),
        (false, true, false) | (true, false, true) => set("verbosity", "concise"),
        _ => None,
    }
}

/// Whether Alfred may write first.
fn first_words(words: &[Word], _: &Now) -> Option<Call> {
    let about = has(
        words,
        &[
            "proactive",
            "proactively",
            "unless i ask",
            "unprompted",
            "unsolicited",
            "write to me first",
            "writing to me first",
            "write me first",
            "message me first",
            "messaging me first",
            "notifications",
            "contact me first",
            "unasked",
        ],
    );
    if !about {
        return None;
    }
    let no = has(
        words,
        &[
            "stop", "dont", "no", "never", "off", "disable", "not", "without", "mute",
        ],
    );
    let yes = has(
        words,
        &[
            "on",
            "enable",
            "may",
            "can",
            "start",
            "allow",
            "again",
            "please",
            "want",
            "feel free",
            "resume",
        ],
    );
    (no || yes)
        .then(|| set("proactiveNotifications", !no))
        .flatten()
}

/// Working hours and lunch.
fn hours(words: &[Word], _: &Now) -> Option<Call> {
    let creates = has(
        words,
        &[
            "block", "book", "schedule", "add", "put", "reserve", "today", "tomorrow", "with",
        ],
    ) || words.iter().any(|word| dates::weekday(&word.low).is_some());
    if creates {
        return None;
    }
    if has(words, &["lunch"])
        && has(
            words,
            &[
                "my lunch",
                "i have lunch",
                "i eat lunch",
                "i take lunch",
                "lunch time",
                "lunch is",
                "set",
                "lunch should",
            ],
        )
    {
        return lunch(words);
    }
    let about_work = has(words, &["work", "working", "workday", "office"])
        && has(words, &["my", "i", "set", "work hours", "working hours"]);
    if !about_work {
        return None;
    }
    let clocks = clocks(words);
    let ends = has(
        words,
        &[
            "end", "ends", "finish", "stop", "until", "till", "leave", "finishes",
        ],
    );
    let starts = has(
        words,
        &["start", "starts", "begin", "begins", "from", "hours"],
    );
    match clocks.as_slice() {
        [start, end] => {
            let end = if end.minutes <= start.minutes && !end.sure {
                end.minutes + 720
            } else {
                end.minutes
            };
            let end = Clock {
                minutes: end % 1440,
                sure: true,
            };
            set("workStartTime", start.text()).map(|call| call.with("workEndTime", end.text()))
        }
        [one] if ends => {
            let late = if one.minutes < 720 && !one.sure {
                one.minutes + 720
            } else {
                one.minutes
            };
            set(
                "workEndTime",
                Clock {
                    minutes: late,
                    sure: true,
                }
                .text(),
            )
        }
        [one] if starts => set("workStartTime", one.text()),
        _ => None,
    }
}

fn lunch(words: &[Word]) -> Option<Call> {
    let mut call = Call::new(TOOL);
    if let Some(clock) = clocks(words).first() {
        call = call.with("lunchTime", clock.by_day().text());
    }
    if let Some(minutes) = minutes(words) {
        call = call.with("lunchDuration", minutes);
    }
    (!call.arguments.is_empty()).then_some(call)
}

/// Lengths of blocks, breaks and buffers.
fn lengths(words: &[Word], _: &Now) -> Option<Call> {
    let minutes = minutes(words)?;
    // A clock time or a day makes it one block, not a habit.
    if !clocks(words).is_empty() || has(words, &["today", "tomorrow", "remind"]) {
        return None;
    }
    if has(
        words,
        &[
            "focus blocks",
            "focus block",
            "focus time blocks",
            "focus sessions",
            "deep work blocks",
        ],
    ) {
        set("focusBlockDuration", minutes)
    } else if has(
        words,
        &[
            "break every",
            "breaks every",
            "break after",
            "break frequency",
        ],
    ) {
        set("breakFrequency", minutes)
    } else if has(
        words,
        &[
            "email blocks",
            "e-mail blocks",
            "email batches",
            "e-mail batches",
            "email block",
            "email batch",
            "mail blocks",
        ],
    ) {
        set("emailBatchSize", minutes)
    } else if has(
        words,
        &[
            "between meetings",
            "meeting buffer",
            "around meetings",
            "before meetings",
            "buffer",
        ],
    ) {
        set("meetingBuffer", minutes)
    } else {
        None
    }
}

fn minutes(words: &[Word]) -> Option<i64> {
    (0..words.len())
        .find_map(|place| clock::length(words, place))
        .and_then(|(length, _)| length.minutes())
        .filter(|minutes| *minutes > 0)
}

/// All clock times, lone hours after a preposition included.
fn clocks(words: &[Word]) -> Vec<Clock> {
    let mut found = Vec::new();
    let mut place = 0;
    while place < words.len() {
        let before = place
            .checked_sub(1)
            .map_or("", |place| words[place].low.as_str());
        let bare = matches!(
            before,
            "at" | "from"
                | "to"
                | "until"
                | "till"
                | "-"
                | "by"
                | "and"
                | "are"
                | "work"
                | "is"
                | "starts"
                | "ends"
        ) || words.get(place + 1).is_some_and(|word| word.low == "-");
        let length = clock::length(words, place);
        match clock::clock(words, place, bare).filter(|_| length.is_none()) {
            Some((clock, len)) => {
                found.push(clock);
                place += len;
            }
            None => place += length.map_or(1, |(_, len)| len),
        }
    }
    found
}
