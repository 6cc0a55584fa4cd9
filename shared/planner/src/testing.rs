//! What the tests of several modules share.

use crate::block::TimeBlock;
use crate::clock_time::ClockTime;
use crate::span::Span;
use serde::de::DeserializeOwned;

/// Checks a section of `cases.txt`: the last cell is what is found for the others, or with "…" its beginning.
pub(crate) fn check<const N: usize>(section: &str, find: impl Fn([&'static str; N]) -> String) {
    let mut sections = include_str!("cases.txt").split("\n[");
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
