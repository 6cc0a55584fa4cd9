//! Days, times and lengths as people write them, read by the parsers that tools use. Other names
//! for them (`tmrw`, `half an hour`, `seven`) are data: lines that begin with `same`.

use alfred_planner::{ClockTime, parse_date};
use alfred_tools::parse_zone;
use jiff::civil::Date;
use jiff::{SignedDuration, ToSpan};

/// Minutes of half a day.
const HALF: u16 = 720;

/// `friday`, `2026-11-21`, `december 24th`, `24 december 2026`, `in 2 weeks`, `the 14th`, `end of month`,
/// `friday next week`.
pub(crate) fn day(text: &str, today: Date) -> Option<Date> {
    let words = text.split(' ');
    let words = words.filter(|word| !matches!(*word, "the" | "of" | "coming"));
    let words: Vec<&str> = words
        .map(|word| word.strip_suffix("'s").unwrap_or(word))
        .collect();
    if let Ok(date) = parse_date("date", &words.join(" "), today) {
        return Some(date);
    }
    match words.as_slice() {
        ["in", count, unit] => {
            let count: i64 = if *count == "a" {
                1
            } else {
                count.parse().ok()?
            };
            let span = match unit.trim_end_matches('s') {
                "day" => count.days(),
                "week" => count.weeks(),
                "month" => count.months(),
                _ => return None,
            };
            today.checked_add(span).ok()
        }
        ["end", "month"] => Some(today.last_of_month()),
        [day, "next", "week"] | ["next", "week", day] => {
            parse_date("date", day, parse_date("date", "next monday", today).ok()?).ok()
        }
        [one] if ordinal(one) != *one => {
            let number: i8 = ordinal(one).parse().ok()?;
            let mut days = today.series(1.day()).take(62);
            days.find(|day| day.day() == number)
        }
        _ => coming(
            &words
                .iter()
                .map(|word| ordinal(word))
                .collect::<Vec<_>>()
                .join(" "),
            today,
        ),
    }
}

/// The number of `14th`, else the word.
fn ordinal(word: &str) -> &str {
    let bare = ["st", "nd", "rd", "th"]
        .iter()
        .find_map(|end| word.strip_suffix(end));
    bare.filter(|bare| bare.parse::<u8>().is_ok())
        .unwrap_or(word)
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

/// The next `monday` or `mondays` after today.
pub(crate) fn weekday(text: &str, today: Date) -> Option<Date> {
    let one = text.strip_suffix('s').unwrap_or(text);
    parse_date("date", &format!("next {one}"), today).ok()
}

/// A time of the day, and whether it lacks its half: then it is in the first.
#[derive(Clone, Copy)]
struct Said {
    time: ClockTime,
    bare: bool,
}

impl Said {
    /// The half that is meant at work; nobody knows of seven o'clock.
    fn likely(self) -> Option<ClockTime> {
        match self.time.minutes() {
            480..HALF => Some(self.time),
            ..420 if self.bare => later(self.time),
            _ => Some(self.time).filter(|_| !self.bare),
        }
    }
}

fn later(time: ClockTime) -> Option<ClockTime> {
    ClockTime::from_minutes(time.minutes() + HALF)
}

/// `9`, `9:30`, `3pm`, `3 pm`, `14:00`, `noon`, `half past 2`, `10 o'clock`, `7 in the morning`.
pub(crate) fn time(text: &str) -> Option<ClockTime> {
    said(text)?.likely()
}

fn said(text: &str) -> Option<Said> {
    let words: Vec<&str> = text.split(' ').collect();
    let number = |word: &str| word.parse::<u16>().ok().filter(|_| word.len() < 3);
    let hour = |word: &str| number(word).filter(|hour| (1..=12).contains(hour));
    let at = |minutes: u16, bare: bool| {
        Some(Said {
            time: ClockTime::from_minutes(minutes)?,
            bare,
        })
    };
    match words.as_slice() {
        [time, "in", "the", half] | [time, half @ "tonight"] => {
            let said = said(time)?;
            match *half {
                "morning" => at(said.time.minutes(), false),
                "afternoon" | "evening" | "tonight" if said.bare => {
                    at(later(said.time)?.minutes(), false)
                }
                _ => Some(said).filter(|said| !said.bare),
            }
        }
        ["24:00"] => at(2 * HALF, false),
        ["half", "past", time] => at(hour(time)? % 12 * 60 + 30, true),
        ["quarter", "past", time] => at(hour(time)? % 12 * 60 + 15, true),
        ["quarter", "to", time] => at((hour(time)? + 11) % 12 * 60 + 45, true),
        [time] | [time, "o'clock" | "oclock" | "sharp"] if hour(time).is_some() => {
            at(hour(time)? % 12 * 60, true)
        }
        [time] if number(time).is_some_and(|hour| (13..24).contains(&hour)) => {
            at(number(time)? * 60, false)
        }
        _ => {
            let time = ClockTime::parse("time", text).ok()?;
            let bare = text.len() == 4 && text.find(':') == Some(1);
            at(time.minutes(), bare)
        }
    }
}

/// A start and an end.
pub(crate) type Span = (ClockTime, ClockTime);

/// `9 to 5`, `14:00 to 16:00`, `2 to 3pm`, `11 and 1`: the end is the first one behind the start.
pub(crate) fn range(text: &str) -> Option<Span> {
    let joints = [" to ", " till ", " til ", " until ", " and "];
    let (start, end) = joints.iter().find_map(|joint| text.split_once(joint))?;
    let end = if end == "midnight" { "24:00" } else { end };
    let (start, end) = (said(start)?, said(end)?);
    let (start, end) = if start.bare && !end.bare {
        let near = later(start.time).filter(|near| *near < end.time);
        (near.unwrap_or(start.time), end.time)
    } else {
        let from = start.likely()?;
        let next = later(end.time).filter(|_| end.bare && end.time <= from);
        (from, next.unwrap_or(end.time))
    };
    (start < end).then_some((start, end))
}

/// A part of a day: `in the morning`, `after lunch`, `before 10`, `between 2 and 3`; `named` says what hours a name is for.
pub(crate) fn span<'a>(text: &'a str, named: impl Fn(&'a str) -> Option<&'a str>) -> Option<Span> {
    let leads = [
        "sometime ",
        "in ",
        "on ",
        "during ",
        "the ",
        "this ",
        "from ",
        "between ",
    ];
    let bare = |text: &'a str, lead: &&str| text.strip_prefix(lead).unwrap_or(text);
    let bare = leads.iter().fold(text, bare);
    let bare = named(bare).unwrap_or(bare);
    match bare.split_once(' ') {
        Some(("before" | "until" | "till", end)) => Some((ClockTime::MIDNIGHT, time(end)?)),
        Some(("now", end)) => Some((ClockTime::MIDNIGHT, time(end.split_once(' ')?.1)?)),
        Some(("after" | "from", start)) => Some((time(start)?, ClockTime::END_OF_DAY)),
        _ => range(bare),
    }
}

/// Minutes: `90 minutes`, `1h30m`, `an hour`, `2 and a half hours`.
pub(crate) fn duration(text: &str) -> Option<u32> {
    let plain = |word: &str| {
        if matches!(word, "a" | "an") {
            "1"
        } else {
            word
        }
        .to_owned()
    };
    let half = text
        .strip_suffix(" and a half hours")
        .map(|hours| format!("{hours} hours 30 minutes"));
    let words: Vec<String> = half
        .as_deref()
        .unwrap_or(text)
        .split(' ')
        .map(plain)
        .collect();
    let length: SignedDuration = words.join(" ").parse().ok()?;
    let minutes = u32::try_from(length.as_mins()).ok()?;
    (1..=1_440).contains(&minutes).then_some(minutes)
}

/// Whether a zone is known by this name, or several are.
pub(crate) fn place(text: &str) -> bool {
    let named = text.contains(char::is_alphabetic) && !matches!(text, "here" | "it" | "me");
    let several = |error: &alfred_planner::InputError| error.problem.starts_with("could be");
    named
        && parse_zone("place", text)
            .as_ref()
            .map_or_else(several, |_| true)
}
