//! Days, times and lengths as people write them, read by the parsers that tools use.

use alfred_planner::{ClockTime, parse_date};
use alfred_tools::parse_zone;
use jiff::civil::Date;
use jiff::{SignedDuration, ToSpan};

const NUMBERS: [&str; 12] = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve",
];
const ORDINALS: [&str; 4] = ["st", "nd", "rd", "th"];
/// Minutes of half a day.
const HALF: u16 = 720;

/// `7`, `seven`, `a`.
pub(crate) fn number(word: &str) -> Option<u32> {
    let place = NUMBERS.iter().position(|number| *number == word);
    let named = place.and_then(|place| u32::try_from(place + 1).ok());
    let number = named.or_else(|| word.parse().ok());
    number.filter(|number| *number <= 1_000)
}

/// `friday`, `2026-11-21`, `december 24th`, `24 december 2026`, `in two weeks`, `the 14th`, `end of the month`,
/// `friday next week`, `tomorow`.
pub(crate) fn day(text: &str, today: Date) -> Option<Date> {
    let words = text
        .split(' ')
        .filter(|word| !matches!(*word, "the" | "of" | "coming"));
    let words: Vec<&str> = words.map(|word| spelt(word).unwrap_or(word)).collect();
    if let Ok(date) = parse_date("date", &words.join(" "), today) {
        return Some(date);
    }
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
        ["end", "month"] | ["month", "end"] | ["eom"] => Some(today.last_of_month()),
        ["end", "week"] | ["eow"] => parse_date("date", "friday", today).ok(),
        [day, "next", "week"] | ["next", "week", day] => {
            parse_date("date", day, parse_date("date", "next monday", today).ok()?).ok()
        }
        [one] if ordinal(one).is_some() => {
            let number: i8 = ordinal(one)?.parse().ok()?;
            let mut days = today.series(1.day()).take(62);
            days.find(|day| day.day() == number)
        }
        _ => {
            let plain = |word: &&str| ordinal(word).unwrap_or(word).to_owned();
            coming(
                &words.iter().map(plain).collect::<Vec<_>>().join(" "),
                today,
            )
        }
    }
}

/// The number of `14th`.
fn ordinal(word: &str) -> Option<&str> {
    let bare = ORDINALS.iter().find_map(|end| word.strip_suffix(end));
    bare.filter(|bare| bare.parse::<u8>().is_ok())
}

/// A day's name that is short, or misspelt by a letter or two.
fn spelt(word: &str) -> Option<&'static str> {
    const NAMES: &str = "tomorrow monday tuesday wednesday thursday friday saturday sunday";
    match word {
        "tmrw" | "tmr" | "tmw" | "2moro" | "tomorrow's" | "tomorrows" => return Some("tomorrow"),
        "today's" | "todays" => return Some("today"),
        _ => {}
    }
    let word = word.strip_suffix("'s").unwrap_or(word);
    let exact = NAMES.split(' ').find(|name| *name == word);
    if exact.is_some() {
        return exact;
    }
    let long = word.len() > 5 && !word.ends_with('s');
    let near = |name: &&str| strsim::damerau_levenshtein(name, word) <= name.len() / 8 + 1;
    NAMES.split(' ').find(|name| long && near(name))
}

/// `mon wed and fri`, `every day this week`, `next week`: its workdays from today on.
pub(crate) fn days(text: &str, today: Date) -> Option<Vec<Date>> {
    let week = match text.split(' ').next() {
        Some("every" | "each") => text.splitn(3, ' ').nth(2)?,
        _ => text,
    };
    let first = match week {
        "this week" | "the rest of the week" | "the rest of this week" => today,
        "next week" => parse_date("date", "next monday", today).ok()?,
        _ => {
            let names = text.split(' ').filter(|word| *word != "and");
            let days: Vec<Date> = names.map(|name| day(name, today)).collect::<Option<_>>()?;
            return (days.len() > 1).then_some(days);
        }
    };
    let rests = |day: &Date| day.weekday().to_monday_one_offset() > 5;
    let sunday = first.saturating_add((7 - first.weekday().to_monday_one_offset()).days());
    let days = first.series(1.day()).take_while(|day| *day <= sunday);
    Some(days.filter(|day| rests(&first) || !rests(day)).collect())
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
        [at, "in", "the", half] | [at, half @ "tonight"] => match (time(at)?, *half) {
            (exact @ Said::Exact(_), _) => Some(exact),
            (Said::Bare(time), "morning") => Some(Said::Exact(time)),
            (Said::Bare(time), "afternoon" | "evening" | "tonight") => later(time).map(Said::Exact),
            _ => None,
        },
        ["24:00"] => Some(Said::Exact(ClockTime::END_OF_DAY)),
        ["half", "past", at] => bare(hour(at)?, 30),
        ["quarter", "past", at] => bare(hour(at)?, 15),
        ["quarter", "to", at] => bare(hour(at)? + 11, 45),
        [at] | [at, "o'clock" | "oclock" | "sharp"] if hour(at).is_some() => bare(hour(at)?, 0),
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

/// A start and an end.
pub(crate) type Span = (ClockTime, ClockTime);

/// `9 to 5`, `14:00 to 16:00`, `2 to 3pm`, `11 and 1`: the end is the first one behind the start.
pub(crate) fn range(text: &str) -> Option<Span> {
    let joints = [" to ", " till ", " til ", " until ", " and "];
    let (start, end) = joints.iter().find_map(|joint| text.split_once(joint))?;
    let end = match end {
        "midnight" => Said::Exact(ClockTime::END_OF_DAY),
        end => time(end)?,
    };
    let (start, end) = match (time(start)?, end) {
        (Said::Bare(from), Said::Exact(to)) => {
            let near = later(from).filter(|near| *near < to);
            (near.unwrap_or(from), to)
        }
        (start, end) => {
            let from = start.likely()?;
            let to = end.time();
            let next = later(to).filter(|_| matches!(end, Said::Bare(_)) && to <= from);
            (from, next.unwrap_or(to))
        }
    };
    (start < end).then_some((start, end))
}

/// A part of a day: `in the morning`, `after lunch`, `before 10`, `between 2 and 3`.
pub(crate) fn span(text: &str) -> Option<Span> {
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
    let bare = leads
        .iter()
        .fold(text, |text, lead| text.strip_prefix(lead).unwrap_or(text));
    let whole = match bare {
        "morning" | "early morning" | "before lunch" | "before noon" => "05:00-12:00",
        "afternoon" | "early afternoon" => "12:00-18:00",
        "after lunch" => "13:00-18:00",
        "late afternoon" => "15:00-18:00",
        "evening" | "tonight" | "night" | "after work" => "18:00-24:00",
        _ => "",
    };
    if let Some((from, to)) = whole.split_once('-') {
        let read = |time: &str| ClockTime::parse_end("time", time).ok();
        return Some((read(from)?, read(to)?));
    }
    let at = |text: &str| time(text)?.likely();
    match bare.split_once(' ') {
        Some(("before" | "until" | "till", end)) => Some((ClockTime::MIDNIGHT, at(end)?)),
        Some(("now", end)) => Some((ClockTime::MIDNIGHT, at(end.split_once(' ')?.1)?)),
        Some(("after" | "from", start)) => Some((at(start)?, ClockTime::END_OF_DAY)),
        _ => range(bare),
    }
}

/// Minutes: `90 minutes`, `1h30m`, `an hour`, `half an hour`, `an hour and a half`.
pub(crate) fn duration(text: &str) -> Option<u32> {
    let text = text.replace('-', " ");
    let minutes = match text.as_str() {
        "half an hour" | "half hour" | "a half hour" | "a half an hour" => 30,
        "an hour and a half" | "one and a half hours" | "hour and a half" => 90,
        "an hour or so" | "about an hour" => 60,
        "a couple of hours" | "a couple hours" => 120,
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
