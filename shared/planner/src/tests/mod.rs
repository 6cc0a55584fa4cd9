//! Tests of the modules that `plan`, `mail`, `patterns` and `wish` share, and what all tests share.

mod blocks;
mod tasks;
mod times;

use jiff::civil::{Date, date};
use jiff::tz::TimeZone;
use proptest::prelude::*;
use serde::de::DeserializeOwned;

use crate::{BlockType, ClockTime, DayClock, Priority, Span, Task, TimeBlock};

pub(crate) const SATURDAY: Date = date(2026, 11, 21);

/// Checks a section of `cases.txt`: the last cell is what is found for the others, or with "…" its beginning.
pub(crate) fn check<const N: usize>(section: &str, find: impl Fn([&'static str; N]) -> String) {
    let mut sections = include_str!("../cases.txt").split("\n[");
    let is_asked = |text: &&str| text.split(']').next() == Some(section);
    let lines = sections.find(is_asked).unwrap().lines().skip(1);
    let mut lines = lines.filter(|line| !line.trim().is_empty()).peekable();
    assert!(lines.peek().is_some(), "no case of {section}");
    for line in lines {
        let mut cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let expected = cells.pop().unwrap();
        let found = find(cells.try_into().unwrap());
        match expected.strip_suffix('…') {
            Some("") => panic!("{line}: every text begins so"),
            Some(start) => assert!(found.starts_with(start), "{line}\n{found}"),
            None => assert_eq!(found, expected, "{line}"),
        }
    }
}

pub(crate) fn word<T: DeserializeOwned>(text: &str) -> T {
    serde_json::from_value(text.into()).unwrap()
}

pub(crate) fn time(text: &str) -> ClockTime {
    ClockTime::parse_end("time", text).unwrap()
}

/// `09:00-10:30`.
pub(crate) fn span(text: &str) -> Span {
    let (start, end) = text.split_once('-').unwrap();
    Span::new(time(start), time(end)).unwrap()
}

/// `work 09:00-10:00, ~break 12:00-13:00 Lunch`: the kind, the time, and a title if it matters. `~` marks a tainted one.
pub(crate) fn blocks(text: &str) -> Vec<TimeBlock> {
    let texts = text.split(", ").filter(|text| !text.is_empty());
    let read = |text: &str| {
        let mut words = text.trim_start_matches('~').splitn(3, ' ');
        let (kind, times) = (words.next().unwrap(), span(words.next().unwrap()));
        TimeBlock {
            tainted: text.starts_with('~'),
            ..TimeBlock::new("blk", word(kind), words.next().unwrap_or("Block"), times)
        }
    };
    texts.map(read).collect()
}

pub(crate) fn clock(zone: &str, date: Date) -> DayClock {
    DayClock::new(date, &TimeZone::get(zone).unwrap()).unwrap()
}

/// Half of them on half hours, so that neighbours are common.
fn any_block() -> impl Strategy<Value = TimeBlock> {
    let kind = prop::sample::select(BlockType::ALL);
    let step = prop::sample::select(vec![1_u16, 30]);
    (kind, step, 0_u16..1_440, 1_u16..=1_440).prop_map(|(kind, step, start, length)| {
        let start = start / step * step;
        let end = (start + length).div_ceil(step) * step;
        let [start, end] = [start, end].map(|time| ClockTime::MIDNIGHT.plus(time.into()));
        TimeBlock::new("blk", kind, "Block", Span::new(start, end).unwrap())
    })
}

fn task(id: &str, priority: Priority, minutes: u32, due: Option<Date>) -> Task {
    let created_at = "2026-11-21T08:00:00Z".parse().unwrap();
    Task {
        priority,
        estimated_minutes: minutes,
        due_date: due,
        ..Task::new(id, format!("Task {id}"), created_at)
    }
}
