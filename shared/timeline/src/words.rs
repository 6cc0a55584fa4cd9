//! The texts of a timeline.

use alfred_planner::{BlockType, Span, gaps, hours};
use jiff::civil::Date;

use crate::{Bar, Day, Timeline};

pub const ALL_DAY: &str = "all day";
const NOTHING_PLANNED: &str = "nothing planned";
pub const SEPARATOR: &str = "  ·  ";

/// Maximum characters of an alternative text. Slack allows 2,000, which is too long to listen to.
const MAX_ALT_CHARS: usize = 1_000;
/// Shorter free time, in minutes, has no line of its own.
const MIN_FREE: u16 = 15;

/// The name of a kind in the picture and its alternative text.
pub const fn name(kind: BlockType) -> &'static str {
    match kind {
        BlockType::Work => "Focus",
        BlockType::Meeting => "Meeting",
        BlockType::Email => "E-mail",
        BlockType::Break => "Break",
        BlockType::Blocked => "Blocked",
    }
}

/// "Monday, 23 November 2026".
pub fn long_date(date: Date) -> String {
    date.strftime("%A, %-d %B %Y").to_string()
}

/// The zone, the planned hours of a day and its note.
pub fn sums(timeline: &Timeline, day: &Day) -> String {
    let mut parts = vec![timeline.zone.clone(), planned(day)];
    for (kind, name) in [(BlockType::Work, "focus"), (BlockType::Meeting, "meetings")] {
        let minutes = minutes(day.timed().filter(|bar| bar.kind == kind));
        if minutes > 0 {
            parts.push(format!("{} {name}", hours(minutes)));
        }
    }
    parts.extend(day.note.clone());
    parts.join(SEPARATOR)
}

pub fn planned(day: &Day) -> String {
    match minutes(day.timed()) {
        0 if day.bars.is_empty() => NOTHING_PLANNED.to_owned(),
        0 => ALL_DAY.to_owned(),
        minutes => format!("{} planned", hours(minutes)),
    }
}

/// Minutes on the wall clock. Minutes that bars share count once.
fn minutes<'a>(bars: impl Iterator<Item = &'a Bar>) -> u32 {
    let spans = gaps::merged(bars.map(|bar| bar.span)).into_iter();
    spans.map(|span| u32::from(span.wall_minutes())).sum()
}

/// The alternative text of the picture for screen readers, at most 1,000 characters.
pub fn alt(timeline: &Timeline) -> String {
    let mut parts: Vec<String> = note(timeline).map(str::to_owned).into_iter().collect();
    for day in &timeline.days {
        let bars = match (day.bars.len(), timeline.days.len()) {
            (0, _) => NOTHING_PLANNED.to_owned(),
            (_, 1) => day.bars.iter().map(spoken).collect::<Vec<_>>().join("; "),
            // The details of a week are too long to listen to.
            (1, _) => format!("one entry, {}", planned(day)),
            (bars, _) => format!("{bars} entries, {}", planned(day)),
        };
        parts.push(format!("{}: {bars}.", long_date(day.date)));
    }
    let text = parts.join(" ");
    match text.char_indices().nth(MAX_ALT_CHARS - 1) {
        Some((end, _)) if text.chars().count() > MAX_ALT_CHARS => format!("{}…", &text[..end]),
        _ => text,
    }
}

pub fn note(timeline: &Timeline) -> Option<&str> {
    timeline.days.iter().find_map(|day| day.note.as_deref())
}

/// "09:00 to 10:30 Deep work, focus".
fn spoken(bar: &Bar) -> String {
    let kind = name(bar.kind).to_lowercase();
    let times = if bar.is_all_day() {
        ALL_DAY.to_owned()
    } else {
        format!("{} to {}", bar.span.start(), bar.span.end())
    };
    if bar.title.to_lowercase() == kind {
        format!("{times} {kind}")
    } else {
        format!("{times} {}, {kind}", bar.title)
    }
}

/// Lines for a terminal: one for each bar, each of its tasks, and each free time of the working hours.
pub fn text(timeline: &Timeline) -> String {
    let days = timeline.days.iter().map(|day| lines(timeline, day));
    days.collect::<Vec<_>>().join("\n\n")
}

fn lines(timeline: &Timeline, day: &Day) -> String {
    let heading = format!("{}{SEPARATOR}{}", long_date(day.date), sums(timeline, day));
    let mut lines = vec![heading];
    for bar in day.all_day() {
        lines.push(row(ALL_DAY, bar.kind.as_str(), &bar.title));
    }
    let bars = day.timed().map(|bar| (bar.span, Some(bar)));
    let free = free(day).into_iter().map(|span| (span, None));
    let mut rows: Vec<(Span, Option<&Bar>)> = bars.chain(free).collect();
    rows.sort_by_key(|(span, _)| span.start());
    for (span, bar) in rows {
        let (kind, title) = bar.map_or(("free", ""), |bar| (bar.kind.as_str(), &bar.title));
        lines.push(row(&span.to_string(), kind, title));
        for item in bar.iter().flat_map(|bar| &bar.items) {
            lines.push(row("", "", &format!("· {item}")));
        }
    }
    lines.join("\n")
}

fn row(times: &str, kind: &str, title: &str) -> String {
    let row = format!("  {times:<11}  {kind:<8} {title}");
    row.trim_end().to_owned()
}

fn free(day: &Day) -> Vec<Span> {
    let taken = day.bars.iter().map(|bar| bar.span);
    let works = day.works;
    let mut free = works.map_or_else(Vec::new, |works| gaps::free(taken, works));
    free.retain(|span| span.wall_minutes() >= MIN_FREE);
    free
}
