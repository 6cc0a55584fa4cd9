//! A sentence as words, times and lengths.

use crate::clock_time::ClockTime;

/// A time as it was said: perhaps without its half of the day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SaidTime {
    /// 9am, 14:00, noon.
    Exact(ClockTime),
    /// 9, half past two: hour 1 to 12 and minute.
    Bare(u16, u16),
}

/// A part of the day that has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DayPart {
    Morning,
    Afternoon,
    Evening,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// In lower case.
    Word(String),
    Time(SaidTime),
    Minutes(u32),
    Part(DayPart),
    /// The end of a part of the sentence.
    Stop,
}

/// A token, and how it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Said {
    pub token: Token,
    pub text: String,
}

const HOURS: [&str; 12] = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve",
];

/// Reads a sentence.
pub(super) fn tokens(text: &str) -> Vec<Said> {
    let tidy = text
        .replace('’', "'")
        .replace(['–', '—'], "-")
        .replace("p.m.", "pm")
        .replace("P.M.", "pm")
        .replace("a.m.", "am")
        .replace("A.M.", "am");
    let mut words: Vec<Said> = Vec::new();
    for raw in tidy.split_whitespace() {
        let stops = raw.ends_with([',', ';', '.', '!', '?', ':']);
        let word = raw.trim_matches(|c: char| ",;.!?:()".contains(c));
        if !word.is_empty() {
            words.extend(split_range(word));
        }
        if stops {
            words.push(said(Token::Stop, ""));
        }
    }
    merge(&words)
}

fn said(token: Token, text: &str) -> Said {
    let text = text.to_owned();
    Said { token, text }
}

/// `9-11` is three words; `e-mail` and `90-minute` are one.
fn split_range(word: &str) -> Vec<Said> {
    let plain = |word: &str| said(Token::Word(word.to_lowercase()), word);
    match word.split_once('-') {
        Some((from, to)) if starts_with_digit(from) && starts_with_digit(to) => {
            vec![plain(from), said(Token::Word("to".into()), "-"), plain(to)]
        }
        _ => vec![plain(word)],
    }
}

fn starts_with_digit(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}

/// Puts words together that mean one time, one length or one part of the day.
fn merge(words: &[Said]) -> Vec<Said> {
    let mut merged = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let rest: Vec<&str> = words[at..].iter().take(5).map(word).collect();
        let (token, taken) = length(&rest)
            .or_else(|| part(&rest))
            .or_else(|| time(&rest))
            .unwrap_or_else(|| (words[at].token.clone(), 1));
        let text: Vec<&str> = words[at..at + taken]
            .iter()
            .map(|w| w.text.as_str())
            .collect();
        merged.push(said(token, &text.join(" ")));
        at += taken;
    }
    merged
}

fn word(said: &Said) -> &str {
    match &said.token {
        Token::Word(word) => word,
        _ => "",
    }
}

/// `90 minutes`, `2h`, `90-minute`, `1.5 hours`, `an hour and a half`, `half an hour`.
fn length(words: &[&str]) -> Option<(Token, usize)> {
    let (minutes, taken) = match words {
        ["half", "an" | "a", "hour", ..] => (30, 3),
        ["quarter", "of", "an", "hour", ..] => (15, 4),
        ["an" | "one" | "1", "hour", "and", "a", "half"] => (90, 5),
        ["half-hour", ..] => (30, 1),
        [count, unit, ..] if per_unit(unit).is_some() => (in_minutes(count, per_unit(unit)?)?, 2),
        [both, ..] => {
            let letters = both.find(|c: char| c.is_ascii_alphabetic() || c == '-')?;
            let unit = both[letters..].trim_start_matches('-');
            (in_minutes(&both[..letters], per_unit(unit)?)?, 1)
        }
        [] => return None,
    };
    Some((Token::Minutes(minutes), taken))
}

fn per_unit(unit: &str) -> Option<f64> {
    match unit {
        "minutes" | "minute" | "mins" | "min" | "m" => Some(1.0),
        "hours" | "hour" | "hrs" | "hr" | "h" => Some(60.0),
        _ => None,
    }
}

fn in_minutes(count: &str, per_unit: f64) -> Option<u32> {
    let count = match count {
        "an" | "a" => 1.0,
        word => match hour(word) {
            Some(hour) if !starts_with_digit(word) => f64::from(hour),
            _ if starts_with_digit(word) => word.parse::<f64>().ok()?,
            _ => return None,
        },
    };
    let minutes = (count * per_unit).round();
    // A float in this range is exact as an integer.
    (0.0..=100_000.0)
        .contains(&minutes)
        .then_some(minutes as u32)
}

fn part(words: &[&str]) -> Option<(Token, usize)> {
    let named = |word: &str| match word {
        "morning" | "mornings" => Some(DayPart::Morning),
        "afternoon" | "afternoons" => Some(DayPart::Afternoon),
        "evening" | "evenings" => Some(DayPart::Evening),
        _ => None,
    };
    match words {
        ["in", "the", part, ..] | ["during", "the", part, ..] => named(part).map(|p| (p, 3)),
        ["the" | "this" | "my", part, ..] => named(part).map(|p| (p, 2)),
        [part, ..] => named(part).map(|p| (p, 1)),
        [] => None,
    }
    .map(|(part, taken)| (Token::Part(part), taken))
}

/// `9`, `9:30`, `9am`, `9 am`, `half past nine`, `quarter to ten`, `ten thirty`, `10 o'clock`, `noon`.
fn time(words: &[&str]) -> Option<(Token, usize)> {
    let (time, taken) = match words {
        ["half", "past", at, ..] => (SaidTime::Bare(hour(at)?, 30), 3),
        ["quarter", "past", at, ..] => (SaidTime::Bare(hour(at)?, 15), 3),
        ["quarter", "to", at, ..] => (
            SaidTime::Bare(if hour(at)? == 1 { 12 } else { hour(at)? - 1 }, 45),
            3,
        ),
        [at, "o'clock", ..] => (SaidTime::Bare(hour(at)?, 0), 2),
        [at, half @ ("am" | "pm"), ..] => (exact(&format!("{}{half}", digits(at)))?, 2),
        [at, "thirty", ..] => (SaidTime::Bare(hour(at)?, 30), 2),
        [at, ..] => (single(at)?, 1),
        [] => return None,
    };
    Some((Token::Time(time), taken))
}

fn digits(word: &str) -> String {
    let hour = HOURS.iter().position(|hour| *hour == word);
    hour.map_or_else(|| word.to_owned(), |hour| (hour + 1).to_string())
}

fn single(word: &str) -> Option<SaidTime> {
    if let Some(hour) = hour(word) {
        return Some(SaidTime::Bare(hour, 0));
    }
    // 9:30 could be either half; 09:30 and 14:30 are meant as written.
    if let Some((hours, minutes)) = word.split_once([':', '.'])
        && hours.len() == 1
        && minutes.len() == 2
    {
        let (hours, minutes) = (hours.parse().ok()?, minutes.parse().ok()?);
        return ((1..=9).contains(&hours) && minutes < 60)
            .then_some(SaidTime::Bare(hours, minutes));
    }
    if word.len() == 2
        && word
            .parse::<u16>()
            .is_ok_and(|hour| (13..=24).contains(&hour))
    {
        return exact(&format!("{word}:00"));
    }
    exact(word)
}

fn exact(text: &str) -> Option<SaidTime> {
    ClockTime::parse_end("time", text).ok().map(SaidTime::Exact)
}

/// An hour of a half day.
fn hour(word: &str) -> Option<u16> {
    if let Some(position) = HOURS.iter().position(|hour| *hour == word) {
        return u16::try_from(position + 1).ok();
    }
    let short = (1..=2).contains(&word.len()) && word.bytes().all(|b| b.is_ascii_digit());
    word.parse()
        .ok()
        .filter(|hour| short && (1..=12).contains(hour))
}
