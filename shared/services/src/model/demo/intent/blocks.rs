//! New blocks of the day.

use super::{Call, take};
use crate::model::demo::clock::{self, Clock};
use crate::model::demo::dates::{self, Now};
use crate::model::demo::lex::{Word, at, has};

/// "Tuesday 3-4pm: 1:1 with Kim", "lunch with Bo on Thursday at 12:30".
fn is_note(words: &[Word], now: &Now) -> bool {
    let mut taken = vec![false; words.len()];
    let dated = take_day(words, &mut taken, now).is_some();
    let timed = take_slot(words, &mut taken).is_some();
    let title = title(words, &taken);
    let plain = !title.is_empty() && kind(&title, &[]) != "work" && words.len() <= 12;
    let other = [
        "what",
        "whats",
        "when",
        "is",
        "are",
        "was",
        "do",
        "did",
        "who",
        "how",
        "move",
        "cancel",
        "delete",
        "send",
        "call",
        "convert",
        "if",
        "reschedule",
        "remove",
        "change",
        "mark",
        "tell",
        "write",
    ];
    dated && timed && plain && !words.iter().any(|word| other.contains(&word.low.as_str()))
}

/// A block's time as found in a sentence.
struct Slot {
    start: Clock,
    end: Option<Clock>,
}

const VERBS: [&[&str]; 20] = [
    &["block", "off"],
    &["block", "out"],
    &["block"],
    &["book"],
    &["schedule"],
    &["reserve"],
    &["set", "up"],
    &["set", "aside"],
    &["add"],
    &["put"],
    &["create"],
    &["make"],
    &["plan"],
    &["pencil", "in"],
    &["pencil"],
    &["arrange"],
    &["new"],
    &["i", "need"],
    &["i", "have"],
    &["keep"],
];

/// `schedule_createTimeBlock`: a verb of planning and a clock time.
pub(super) fn create(words: &[Word], now: &Now) -> Option<Vec<Call>> {
    let verb = VERBS
        .iter()
        .filter(|verb| at(words, 0, verb))
        .max_by_key(|verb| verb.len());
    // Without a verb only a day, a time and a title that names its kind are plain enough.
    let verb = match verb {
        Some(verb) => *verb,
        None if is_note(words, now) => &[],
        None => return None,
    };
    // Things this can't arrange.
    if has(
        words,
        &[
            "flight", "hotel", "taxi", "table", "ticket", "task", "timezone", "post", "tweet",
            "linkedin", "blog", "what", "whats", "when", "make me", "get me",
        ],
    ) || at(words, 0, &["i", "need", "to"])
        || at(words, 0, &["i", "have", "to"])
    {
        return None;
    }
    let mut taken = vec![false; words.len()];
    take(&mut taken, 0, verb.len());
    let day = take_day(words, &mut taken, now);
    let length = take_length(words, &mut taken);
    let slot = take_slot(words, &mut taken)?;
    let title = title(words, &taken);
    let kind = kind(&title, verb);
    let start = slot.start.minutes;
    let end = slot.end.map(|end| end.minutes).unwrap_or_else(|| {
        let usual = match kind {
            _ if title.to_lowercase().contains("lunch") => 60,
            "break" => 15,
            "meeting" | "email" => 30,
            _ => 60,
        };
        start
            + length
                .and_then(|minutes| i32::try_from(minutes).ok())
                .unwrap_or(usual)
    });
    // A block ends on its own day.
    let end = Clock {
        minutes: end.min(1439),
        sure: true,
    };
    let title = if title.is_empty() {
        default_title(kind)
    } else {
        title
    };
    let today = || {
        now.date
            .map_or_else(|| "today".into(), |day| day.to_string())
    };
    let call = Call::new("schedule_createTimeBlock")
        .with("date", day.unwrap_or_else(today))
        .with("type", kind)
        .with("title", dates::capitalised(&title))
        .with("startTime", slot.start.text())
        .with("endTime", end.text());
    Some(vec![call])
}

pub(super) fn take_day(words: &[Word], taken: &mut [bool], now: &Now) -> Option<String> {
    let (place, (day, len)) = (0..words.len())
        .filter(|&place| !taken[place])
        .find_map(|place| dates::day(words, place, now).map(|found| (place, found)))?;
    let before = usize::from(
        place > 0 && matches!(words[place - 1].low.as_str(), "on" | "by" | "due" | "for"),
    );
    take(taken, place - before, len + before);
    Some(day)
}

fn take_length(words: &[Word], taken: &mut [bool]) -> Option<i64> {
    let (place, (length, len)) = (0..words.len())
        .filter(|&place| !taken[place])
        .find_map(|place| clock::length(words, place).map(|found| (place, found)))?;
    let minutes = length.minutes()?;
    let before = usize::from(place > 0 && words[place - 1].low == "for");
    take(taken, place - before, len + before);
    Some(minutes)
}

/// "from 2pm to 3pm", "9 to 11", "between 9 and 10", "at 3pm", "8-10".
fn take_slot(words: &[Word], taken: &mut [bool]) -> Option<Slot> {
    let free = |place: usize, taken: &[bool]| taken.get(place).is_some_and(|taken| !taken);
    for place in 0..words.len() {
        if !free(place, taken) {
            continue;
        }
        let Some((start, len)) = clock::clock(words, place, true) else {
            continue;
        };
        let joint = words.get(place + len).map(|word| word.low.as_str());
        let between = place > 0 && words[place - 1].low == "between";
        let joined = matches!(joint, Some("to" | "-" | "until" | "till" | "->"))
            || between && joint == Some("and");
        let end = clock::clock(words, place + len + 1, true).filter(|_| joined);
        let before = place
            .checked_sub(1)
            .map_or("", |place| words[place].low.as_str());
        let marked = matches!(before, "from" | "between" | "at" | "@" | "starting");
        if end.is_none() && !marked && clock::clock(words, place, false).is_none() {
            continue;
        }
        take(
            taken,
            place - usize::from(marked),
            len + usize::from(marked),
        );
        let start = start.by_day();
        let Some((end, end_len)) = end else {
            return Some(Slot { start, end: None });
        };
        take(taken, place + len, 1 + end_len);
        return Some(range(words, place, len, end));
    }
    None
}

/// "4 to 5:30pm" is in the afternoon, "9 to 5pm" begins in the morning.
fn range(words: &[Word], place: usize, len: usize, end: Clock) -> Slot {
    let written = clock::clock(words, place, true).map_or(end, |(clock, _)| clock);
    let mut start = written.by_day();
    let mut end = if end.sure { end } else { end.by_day() };
    if !written.sure
        && end.sure
        && written.minutes + 720 < end.minutes
        && len == 1
        && end.minutes < 1200
    {
        let both_afternoon = written.minutes < 420;
        start.minutes = written.minutes + if both_afternoon { 720 } else { 0 };
    }
    if end.minutes <= start.minutes && end.minutes + 720 < 1440 {
        end.minutes += 720;
    }
    Slot {
        start,
        end: Some(end),
    }
}

/// What is left when verb, day, time and length are gone; a quoted or a called title wins.
fn title(words: &[Word], taken: &[bool]) -> String {
    let quoted: Vec<&str> = words
        .iter()
        .filter(|word| word.quoted)
        .map(|word| word.text.as_str())
        .collect();
    if !quoted.is_empty() {
        return quoted.join(" ");
    }
    let mut left: Vec<&Word> = words
        .iter()
        .zip(taken)
        .filter(|(_, taken)| !**taken)
        .map(|(word, _)| word)
        .collect();
    for phrase in [
        &["on", "my", "calendar"][..],
        &["in", "my", "calendar"],
        &["to", "my", "calendar"],
        &["on", "the", "calendar"],
        &["to", "my", "schedule"],
        &["in", "my", "schedule"],
        &["on", "my", "schedule"],
        &["my", "calendar"],
        &["my", "schedule"],
        &["a", "time", "block"],
        &["time", "block"],
        &["a", "block"],
        &["a", "slot"],
    ] {
        if let Some(place) = left
            .windows(phrase.len())
            .position(|span| span.iter().zip(phrase).all(|(word, low)| word.low == *low))
        {
            left.drain(place..place + phrase.len());
        }
    }
    let edges = [
        "a",
        "an",
        "for",
        "called",
        "titled",
        "named",
        "to",
        "on",
        "at",
        "in",
        "off",
        "out",
        "morning",
        "afternoon",
        "evening",
        "me",
        "please",
        "and",
        "some",
        "my",
        "of",
        "-",
        "from",
        "block",
    ];
    while left
        .first()
        .is_some_and(|word| edges.contains(&word.low.as_str()))
    {
        left.remove(0);
    }
    while left
        .last()
        .is_some_and(|word| edges.contains(&word.low.as_str()) || word.low == "the")
    {
        left.pop();
    }
    let texts: Vec<&str> = left.iter().map(|word| word.text.as_str()).collect();
    texts.join(" ")
}

/// The type of a block by the words of its title.
fn kind(title: &str, verb: &[&str]) -> &'static str {
    let low = title.to_lowercase();
    let says = |list: &[&str]| {
        low.split(|c: char| !c.is_alphanumeric() && c != '-' && c != ':')
            .any(|word| list.contains(&word))
    };
    if says(&[
        "break",
        "coffee",
        "lunch",
        "rest",
        "walk",
        "nap",
        "pause",
        "tea",
        "breakfast",
        "dinner",
    ]) {
        "break"
    } else if says(&[
        "email", "e-mail", "emails", "e-mails", "inbox", "mail", "mails",
    ]) {
        "email"
    } else if says(&[
        "meeting",
        "call",
        "sync",
        "1:1",
        "standup",
        "stand-up",
        "interview",
        "catch-up",
        "catchup",
        "chat",
        "workshop",
        "demo",
        "appointment-with",
        "huddle",
    ]) {
        "meeting"
    } else if low.is_empty()
        || says(&[
            "dentist",
            "doctor",
            "gym",
            "appointment",
            "haircut",
            "school",
            "kids",
            "travel",
            "commute",
            "vacation",
            "holiday",
            "private",
            "personal",
            "therapist",
            "errand",
            "errands",
            "yoga",
            "train",
            "pickup",
            "unavailable",
            "busy",
            "workout",
            "run",
            "sport",
            "hairdresser",
            "physio",
            "church",
            "party",
            "birthday",
            "family",
        ])
    {
        // Without any words only "block" means that nothing else fits in.
        if low.is_empty() && verb.first() != Some(&"block") {
            "work"
        } else {
            "blocked"
        }
    } else {
        "work"
    }
}

fn default_title(kind: &str) -> String {
    match kind {
        "break" => "Break",
        "meeting" => "Meeting",
        "email" => "E-mail",
        "blocked" => "Blocked",
        _ => "Work",
    }
    .into()
}
