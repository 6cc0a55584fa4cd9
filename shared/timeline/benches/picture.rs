//! A full day and a full week, from the value to the file.
#![allow(missing_docs, clippy::unwrap_used, reason = "a bench")]

use alfred_planner::{BlockType, ClockTime};
use alfred_timeline::{Bar, Day, Timeline, png};
use criterion::{Criterion, criterion_group, criterion_main};
use jiff::ToSpan;
use jiff::civil::date;

fn days(count: i8) -> Timeline {
    let at = |minutes| ClockTime::from_minutes(minutes).unwrap();
    let bar = |hour: u16| {
        let kind = BlockType::ALL[usize::from(hour) % BlockType::ALL.len()];
        let items = [
            "Quarterly numbers 30 min".to_owned(),
            "Call Marta 15 min".to_owned(),
        ];
        Bar::new(
            kind,
            (at(hour * 60), at(hour * 60 + 45)),
            "A block of the day",
            items,
        )
    };
    let day = |offset: i8| Day {
        date: date(2026, 11, 23) + i64::from(offset).days(),
        works: Some((at(540), at(1_020))),
        bars: (9..17).filter_map(bar).collect(),
        note: None,
    };
    Timeline {
        zone: "Europe/Lisbon".into(),
        now: date(2026, 11, 23).at(10, 20, 0, 0),
        days: (0..count).map(day).collect(),
    }
}

fn pictures(c: &mut Criterion) {
    for (name, count) in [("day", 1), ("week", 7)] {
        let timeline = days(count);
        c.bench_function(&format!("picture_of_a_{name}"), |b| {
            b.iter(|| png(&timeline).unwrap())
        });
    }
}

criterion_group!(benches, pictures);
criterion_main!(benches);
