//! Days, times and lengths as people write them, read by the parsers that tools use.

use alfred_planner::{ClockTime, parse_date};
use alfred_tools::time::zone::parse_zone;
use jiff::civil::Date;
use jiff::{SignedDuration, ToSpan};

const NUMBERS: [&str; 12] = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve",
];
/// Minutes of half a day.
const HALF: u16 = 720;

/// `7`, `seven`, `a`.
pub(crate) fn number(word: &str) -> Option<u32> {
    let place = NUMBERS.iter().position(|number| *number == word);
    let named = place.and_then(|place| u32::try_from(place + 1).ok());
    let number = named.or_else(|| word.parse().ok());
    number.filter(|number| *number <= 1_000)
}

/// `friday`, `2026-11-21`, `december 24th`, `24 december 2026`, `in two weeks`, `christmas`.
pub(crate) fn day(text: &str, today: Date) -> Option<Date> {
    if let Ok(date) = parse_date("date", text, today) {
        return Some(date);
    }
    let words = text
        .split(' ')
        .filter(|word| !matches!(*word, "the" | "of"));
    let words: Vec<&str> = words.collect();
    match words.as_slice() {
        ["in", count, unit] => {
            let count = number(count).or_else(|| matches!(*count, "a" | "an").then_some(1))?;
            let span = match unit.trim_end_matches('s') {
                "day" => i64::from(count).days(),
                "week" => i64::from(count).weeks(),
                "month" => i64::from(count).months(),
                _ => return None,
            };
            today.checked_add(span).ok()
        }
        ["christmas"] | ["christmas", "day"] => coming("25 december", today),
        ["christmas", "eve"] => coming("24 december", today),
        ["new", "year's", "eve"] => coming("31 december", today),
        _ => {
            let ends = ["st", "nd", "rd", "th"];
            let plain = |word: &&str| {
                let bare = ends.iter().find_map(|end| word.strip_suffix(end));
                bare.filter(|bare| bare.parse::<u8>().is_ok())
                    .unwrap_or(word)
                    .to_owned()
            };
            coming(
                &words.iter().map(plain).collect::<Vec<_>>().join(" "),
                today,
            )
        }
    }
}

/// A day of a month; without a year the next one there is.
fn coming(text: &str, today: Date) -> Option<Date> {
    let read = |text: &str| {
        let forms = ["%d %B %Y", "%B %d %Y", "%d %b %Y", "%b %d %Y"];
        forms
            .iter()
            .find_map(|form| Date::strptime(form, text).ok())
    };
    let of_year = |year: i16| read(&format!("{text} {year}"));
    let this = of_year(today.year()).filter(|date| *date >= today);
    read(text).or(this).or_else(|| of_year(today.year() + 1))
}

/// A time of the day, perhaps without its half.
#[derive(Clone, Copy)]
pub(crate) enum Said {
    Exact(ClockTime),
    /// In the first half of the day.
    Bare(ClockTime),
}

impl Said {
    /// The half that is meant at work; nobody knows of seven o'clock.
    pub(crate) fn likely(self) -> Option<ClockTime> {
        match self {
            Self::Exact(time) => Some(time),
            Self::Bare(time) if (480..HALF).contains(&time.minutes()) => Some(time),
            Self::Bare(time) if time.minutes() < 420 => later(time),
            Self::Bare(_) => None,
        }
    }

    fn time(self) -> ClockTime {
        match self {
            Self::Exact(time) | Self::Bare(time) => time,
        }
    }
}

fn later(time: ClockTime) -> Option<ClockTime> {
    ClockTime::from_minutes(time.minutes() + HALF)
}

/// `9`, `9:30`, `3pm`, `3 pm`, `14:00`, `noon`, `half past two`, `10 o'clock`.
pub(crate) fn time(text: &str) -> Option<Said> {
    let words: Vec<&str> = text.split(' ').collect();
    let hour = |word: &str| number(word).filter(|hour| (1..=12).contains(hour));
    let bare = |hour: u32, minute: u32| {
        let minutes = u16::try_from(hour % 12 * 60 + minute).ok()?;
        ClockTime::from_minutes(minutes).map(Said::Bare)
    };
    match words.as_slice() {
        ["half", "past", at] => bare(hour(at)?, 30),
        ["quarter", "past", at] => bare(hour(at)?, 15),
        ["quarter", "to", at] => bare(hour(at)? + 11, 45),
        [at] | [at, "o'clock"] if hour(at).is_some() => bare(hour(at)?, 0),
        [at] if number(at).is_some_and(|hour| (13..24).contains(&hour)) => {
            let minutes = u16::try_from(number(at)? * 60).ok()?;
            ClockTime::from_minutes(minutes).map(Said::Exact)
        }
        [at] if at.find(':') == Some(1) && at.len() == 4 => {
            let minutes = u32::from(ClockTime::parse("time", at).ok()?.minutes());
            bare(minutes / 60, minutes % 60)
        }
        _ => ClockTime::parse("time", text).ok().map(Said::Exact),
    }
}

/// `9 to 5`, `14:00 to 16:00`, `2 to 3pm`, `11 and 1`: the end is the first one behind the start.
pub(crate) fn range(text: &str) -> Option<(ClockTime, ClockTime)> {
    let joints = [" to ", " till ", " until ", " and "];
    let (start, end) = joints.iter().find_map(|joint| text.split_once(joint))?;
    let (start, end) = (time(start)?, time(end)?);
    let (start, end) = match (start, end) {
        (Said::Bare(from), Said::Exact(to)) => {
            let near = later(from).filter(|near| *near < to);
            (near.unwrap_or(from), to)
        }
        _ => {
            let from = start.likely()?;
            let to = end.time();
            let next = later(to).filter(|_| matches!(end, Said::Bare(_)) && to <= from);
            (from, next.unwrap_or(to))
        }
    };
    (start < end).then_some((start, end))
}

/// Minutes: `90 minutes`, `1h30m`, `an hour`, `half an hour`, `an hour and a half`.
pub(crate) fn duration(text: &str) -> Option<u32> {
    let text = text.replace('-', " ");
    let minutes = match text.as_str() {
        "half an hour" | "half hour" | "a half hour" => 30,
        "an hour and a half" | "one and a half hours" => 90,
        "quarter of an hour" | "a quarter of an hour" => 15,
        text => {
            let plain = |word: &str| match number(word) {
                Some(number) => number.to_string(),
                None if matches!(word, "a" | "an") => "1".into(),
                None => word.to_owned(),
            };
            let words: Vec<String> = text.split(' ').map(plain).collect();
            let length: SignedDuration = words.join(" ").parse().ok()?;
            length.as_mins()
        }
    };
    let minutes = u32::try_from(minutes).ok()?;
    (1..=1_440).contains(&minutes).then_some(minutes)
}

/// Whether a zone is known by this name, or several are.
pub(crate) fn place(text: &str) -> bool {
    let named = text.contains(char::is_alphabetic) && !matches!(text, "here" | "it" | "me");
    named
        && parse_zone("place", text)
            .map_or_else(|error| error.problem.starts_with("could be"), |_| true)
}
