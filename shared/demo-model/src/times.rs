//! Reads days, times and lengths as people write them, with the parsers that the tools use. Other
//! spellings (`tmrw`, `half an hour`, `seven`) are the `same` lines of `words.txt`.

use alfred_planner::{ClockTime, parse_date};
use alfred_tools::parse_zone;
use jiff::civil::Date;
use jiff::{SignedDuration, ToSpan};

/// Minutes of half a day.
const HALF: u16 = 720;
const FORMS: [&str; 4] = ["%d %B %Y", "%B %d %Y", "%d %b %Y", "%b %d %Y"];

/// `friday`, `2026-11-21`, `december 24th`, `24 december 2026`, `in 2 weeks`, `the 14th`,
/// `end of month`, `friday next week`.
pub(crate) fn day(text: &str, today: Date) -> Option<Date> {
    let words = text.split(' ');
    let words = words.filter(|word| !matches!(*word, "the" | "of" | "coming"));
    let words = words.map(|word| word.strip_suffix("'s").unwrap_or(word));
    let words: Vec<&str> = words.collect();
    let date = |text: &str, from: Date| parse_date("date", text, from).ok();
    if let Some(date) = date(&words.join(" "), today) {
        return Some(date);
    }
    match words.as_slice() {
        ["in", count, unit] => {
            let count = if *count == "a" { "1" } else { *count };
            let count: i64 = count.parse().ok()?;
            let span = match unit.trim_end_matches('s') {
                "day" => count.days(),
                "week" => count.weeks(),
                "month" => count.months(),
                _ => return None,
            };
            today.checked_add(span).ok()
        }
        ["end", "month"] => Some(today.last_of_month()),
        [day, "next", "week"] | ["next", "week", day] => date(day, date("next monday", today)?),
        [one] if ordinal(one) != *one => {
            let number: i8 = ordinal(one).parse().ok()?;
            let mut days = today.series(1.day()).take(62);
            days.find(|day| day.day() == number)
        }
        words => {
            let words: Vec<&str> = words.iter().map(|word| ordinal(word)).collect();
            of_month(&words.join(" "), today)
        }
    }
}

/// The number of `14th`, else the word.
fn ordinal(word: &str) -> &str {
    let ends = ["st", "nd", "rd", "th"];
    let bare = ends.iter().find_map(|end| word.strip_suffix(end));
    bare.filter(|bare| bare.parse::<u8>().is_ok())
        .unwrap_or(word)
}

/// A day of a month; without a year the next one.
fn of_month(text: &str, today: Date) -> Option<Date> {
    let read = |text: &str| {
        let mut forms = FORMS.iter();
        forms.find_map(|form| Date::strptime(form, text).ok())
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

/// A time, and whether it lacks its half of the day: then it is in the first.
#[derive(Clone, Copy)]
struct Reading {
    time: ClockTime,
    bare: bool,
}

impl Reading {
    /// The time in working hours; `None` for a bare seven, which could be either.
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
    read(text)?.likely()
}

fn read(text: &str) -> Option<Reading> {
    let words: Vec<&str> = text.split(' ').collect();
    let hour = |word: &str| {
        let hour = word.parse::<u16>().ok().filter(|_| word.len() < 3);
        hour.filter(|hour| (1..24).contains(hour))
    };
    let (minutes, bare) = match words.as_slice() {
        [time, "in", "the", half] => {
            let read = read(time)?;
            let first = *half == "morning" || !read.bare;
            let time = if first { read.time } else { later(read.time)? };
            (time.minutes(), false)
        }
        ["24:00"] => (2 * HALF, false),
        ["half", "past", time] => (hour(time)? % 12 * 60 + 30, true),
        [time] | [time, "o'clock" | "oclock"] if hour(time).is_some() => match hour(time)? {
            12 => (0, true),
            hour => (hour * 60, hour < 12),
        },
        _ => {
            let time = ClockTime::parse("time", text).ok()?;
            let bare = text.len() == 4 && text.find(':') == Some(1);
            (time.minutes(), bare)
        }
    };
    let time = ClockTime::from_minutes(minutes)?;
    Some(Reading { time, bare })
}

/// A start and an end.
pub(crate) type Span = (ClockTime, ClockTime);

/// `9 to 5`, `14:00 to 16:00`, `2 to 3pm`, `11 and 1`: the end is the first one after the start.
pub(crate) fn range(text: &str) -> Option<Span> {
    let joints = [" to ", " till ", " until ", " and "];
    let (start, end) = joints.iter().find_map(|joint| text.split_once(joint))?;
    let end = if end == "midnight" { "24:00" } else { end };
    let (start, end) = (read(start)?, read(end)?);
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

/// A part of a day: `in the morning`, `after lunch`, `before 10`, `between 2 and 3`. `named` gives
/// the hours that a name such as `morning` stands for.
pub(crate) fn span<'a>(text: &'a str, named: impl Fn(&'a str) -> Option<&'a str>) -> Option<Span> {
    let leads = [
        "in ", "on ", "during ", "the ", "this ", "from ", "between ",
    ];
    let bare = |text: &'a str, lead: &&str| text.strip_prefix(lead).unwrap_or(text);
    let bare = leads.iter().fold(text, bare);
    let bare = named(bare).unwrap_or(bare);
    match bare.split_once(' ') {
        Some(("before" | "until" | "till", end)) => Some((ClockTime::MIDNIGHT, time(end)?)),
        Some(("after" | "from", start)) => Some((time(start)?, ClockTime::END_OF_DAY)),
        _ => range(bare),
    }
}

/// Minutes: `90 minutes`, `1h30m`, `an hour`, `2 and a half hours`.
pub(crate) fn duration(text: &str) -> Option<u32> {
    let hours = text.strip_suffix(" and a half hours");
    let text = hours.map_or(text.to_owned(), |hours| format!("{hours} hours 30 minutes"));
    let one = |word| match word {
        "a" | "an" => "1",
        _ => word,
    };
    let words: Vec<&str> = text.split(' ').map(one).collect();
    let length: SignedDuration = words.join(" ").parse().ok()?;
    let minutes = u32::try_from(length.as_mins()).ok()?;
    (1..=1_440).contains(&minutes).then_some(minutes)
}

/// Whether one or several time zones are known by this name.
pub(crate) fn place(text: &str) -> bool {
    let named = text.contains(char::is_alphabetic) && !matches!(text, "here" | "it" | "me");
    let several = |error: alfred_planner::InputError| error.problem.starts_with("could be");
    named && parse_zone("place", text).map_or_else(several, |_| true)
}
