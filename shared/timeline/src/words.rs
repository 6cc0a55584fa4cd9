//! The same in words.

use alfred_planner::{BlockType, ClockTime};
use jiff::civil::Date;

use crate::{Bar, Day, Timeline};

pub(crate) const ALL_DAY: &str = "all day";

const NOTHING_PLANNED: &str = "nothing planned";

/// Characters of the words beside a picture; Slack takes 2,000 in an `image` block, and nobody listens to that.
const ALT_CHARS: usize = 1_000;
/// A free stretch that is worth a line, in minutes.
const FREE: u16 = 15;

/// What it shows: a day, or the days from the first to the last.
pub fn title(timeline: &Timeline) -> String {
    match timeline.days.as_slice() {
        [] => String::new(),
        [day] => date(day.date),
        [first, .., last] => {
            let one_month = first.date.first_of_month() == last.date.first_of_month();
            let from = first
                .date
                .strftime(if one_month { "%-d" } else { "%-d %B" });
            format!("{from} – {}", last.date.strftime("%-d %B %Y"))
        }
    }
}

/// "Monday, 23 November 2026".
pub(crate) fn date(date: Date) -> String {
    date.strftime("%A, %-d %B %Y").to_string()
}

/// A day's sums and its zone, on one line.
pub(crate) fn sums(timeline: &Timeline, day: &Day) -> String {
    let of = |kind| minutes(day, |bar| bar.kind == kind);
    let mut parts = vec![timeline.zone.clone(), planned(day)];
    let focus = of(BlockType::Work);
    let meetings = of(BlockType::Meeting);
    if focus > 0 {
        parts.push(format!("{} focus", hours(focus)));
    }
    if meetings > 0 {
        parts.push(format!("{} meetings", hours(meetings)));
    }
    parts.extend(day.note.clone());
    parts.join("  ·  ")
}

/// How much of a day is taken.
pub(crate) fn planned(day: &Day) -> String {
    match minutes(day, |_| true) {
        0 if day.bars.is_empty() => NOTHING_PLANNED.to_owned(),
        0 => ALL_DAY.to_owned(),
        taken => format!("{} planned", hours(taken)),
    }
}

/// Minutes of the wall clock that these bars take; what overlaps counts once.
fn minutes(day: &Day, counts: impl Fn(&Bar) -> bool) -> u16 {
    let counted = |bar: &&Bar| !bar.takes_the_day() && counts(bar);
    let (mut total, mut reached) = (0, 0);
    for bar in day.bars.iter().filter(counted) {
        let end = bar.end.minutes();
        total += end.saturating_sub(bar.start.minutes().max(reached));
        reached = reached.max(end);
    }
    total
}

/// "1 h 30 min".
fn hours(minutes: u16) -> String {
    match (minutes / 60, minutes % 60) {
        (0, rest) => format!("{rest} min"),
        (hours, 0) => format!("{hours} h"),
        (hours, rest) => format!("{hours} h {rest} min"),
    }
}

/// The picture in a few sentences, for those who don't see it. At most 1,000 characters.
pub fn alt(timeline: &Timeline) -> String {
    let mut words = String::new();
    for (at, day) in timeline.days.iter().enumerate() {
        let bars: Vec<String> = day.bars.iter().map(spoken).collect();
        let said = match (bars.len(), timeline.days.len()) {
            (0, _) => NOTHING_PLANNED.to_owned(),
            (_, 1) => bars.join("; "),
            // Nobody listens to a week of details.
            (count, _) => entries_of_a_day(count, &planned(day)),
        };
        let sentence = format!("{}: {said}. ", date(day.date));
        let too_long = words.chars().count() + sentence.chars().count() > ALT_CHARS;
        if too_long && !words.is_empty() {
            words.push_str(&and_more_days(timeline.days.len() - at));
            break;
        }
        words.push_str(&sentence);
    }
    if let Some(note) = note(timeline) {
        words = format!("{note} {words}");
    }
    cut(words.trim_end())
}

fn and_more_days(count: usize) -> String {
    match count {
        1 => "And one more day.".into(),
        count => format!("And {count} more days."),
    }
}

fn entries_of_a_day(count: usize, planned: &str) -> String {
    match count {
        1 => format!("one entry, {planned}"),
        count => format!("{count} entries, {planned}"),
    }
}

/// What is missing in it.
pub(crate) fn note(timeline: &Timeline) -> Option<&str> {
    timeline.days.iter().find_map(|day| day.note.as_deref())
}

fn cut(words: &str) -> String {
    match words.char_indices().nth(ALT_CHARS - 1) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words.to_owned(),
    }
}

fn spoken(bar: &Bar) -> String {
    let kind = kind_of_block(bar.kind.as_str()).to_lowercase();
    let times = if bar.takes_the_day() {
        ALL_DAY.to_owned()
    } else {
        format!("{} to {}", bar.start, bar.end)
    };
    match bar.title.to_lowercase() == kind {
        true => format!("{times} {kind}"),
        false => format!("{times} {}, {kind}", bar.title),
    }
}

pub(crate) fn kind_of_block(kind: &str) -> &str {
    match kind {
        "work" => "Focus",
        "meeting" => "Meeting",
        "email" => "E-mail",
        "break" => "Break",
        "blocked" => "Blocked",
        other => other,
    }
}

/// The same for a terminal: a line for each bar, each thing planned in it, and each free stretch of the working day.
pub fn text(timeline: &Timeline) -> String {
    let days: Vec<String> = timeline
        .days
        .iter()
        .map(|day| lines(timeline, day))
        .collect();
    days.join("\n\n")
}

fn lines(timeline: &Timeline, day: &Day) -> String {
    let mut lines = vec![format!("{}  ·  {}", date(day.date), sums(timeline, day))];
    let whole = day.bars.iter().filter(|bar| bar.takes_the_day());
    for bar in whole {
        lines.push(row(ALL_DAY, bar.kind.as_str(), &bar.title));
    }
    let mut free = free(day).into_iter().peekable();
    let timed = day.bars.iter().filter(|bar| !bar.takes_the_day());
    for bar in timed {
        while let Some(gap) = free.next_if(|gap| gap.0 < bar.start) {
            lines.push(free_row(gap));
        }
        let times = format!("{}–{}", bar.start, bar.end);
        lines.push(row(&times, bar.kind.as_str(), &bar.title));
        lines.extend(
            bar.items
                .iter()
                .map(|item| row("", "", &format!("· {item}"))),
        );
    }
    lines.extend(free.map(free_row));
    lines.join("\n")
}

fn row(times: &str, kind: &str, title: &str) -> String {
    format!("  {times:<11}  {kind:<8} {title}")
}

fn free_row((start, end): (ClockTime, ClockTime)) -> String {
    let times = format!("{start}–{end}");
    row(&times, "free", "").trim_end().to_owned()
}

/// Stretches of the working day in which nothing is.
fn free(day: &Day) -> Vec<(ClockTime, ClockTime)> {
    let Some((starts, ends)) = day.works else {
        return Vec::new();
    };
    let mut free = Vec::new();
    let mut reached = starts;
    let closing = std::iter::once((ends, ends));
    for (start, end) in day
        .bars
        .iter()
        .map(|bar| (bar.start, bar.end))
        .chain(closing)
    {
        let until = start.min(ends);
        if until.minutes() >= reached.minutes() + FREE {
            free.push((reached, until));
        }
        reached = reached.max(end);
    }
    free
}
