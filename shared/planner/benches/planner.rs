#![allow(clippy::unwrap_used, reason = "a bench stops at the first failure")]
//! How long the longest searches and plans take.

#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../tests/it/days.rs"]
mod days;

use alfred_planner::{DayRequest, MailFacts, ScoredTask, Strategy, categorize, plan, suggest};
use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;

/// As many tasks as asked for, from days that differ.
fn tasks(count: usize) -> Vec<ScoredTask> {
    let tasks = (0..).flat_map(|number| days::day(number).tasks);
    tasks.take(count).collect()
}

fn benches(c: &mut Criterion) {
    for (count, minutes) in [(200, 90), (200, 1_440), (10_000, 480)] {
        let tasks = tasks(count);
        c.bench_function(&format!("combinations/{count} tasks, {minutes} min"), |b| {
            b.iter(|| suggest(black_box(&tasks), minutes, Strategy::Mixed));
        });
    }
    let requests: Vec<DayRequest> = (0..500).map(days::day).collect();
    c.bench_function("day/500 days", |b| {
        b.iter(|| requests.iter().map(plan).filter(Result::is_ok).count());
    });
    let mut many = days::day(0);
    many.tasks = tasks(10_000);
    c.bench_function("day/10000 tasks", |b| b.iter(|| plan(black_box(&many))));
    let mail = MailFacts {
        from_address: "ann@example.org".to_owned(),
        text: "The numbers of the third quarter are in the sheet. ".repeat(25) + "Can you check?",
        ..MailFacts::default()
    };
    c.bench_function("mail/1.2 kB", |b| b.iter(|| categorize(black_box(&mail))));
}

criterion_group!(all, benches);
criterion_main!(all);
