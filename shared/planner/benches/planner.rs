//! What the searches cost. `cargo bench -p alfred-planner`
#![allow(missing_docs, reason = "criterion's macros make undocumented items")]
#![allow(clippy::unwrap_used, reason = "a bench stops at the first failure")]

use alfred_planner::{
    BlockType, ClockTime, DayRequest, Habits, MailFacts, Priority, ScoredTask, Strategy, Task,
    TaskSource, TaskStatus, TimeBlock, categorize, plan, suggest,
};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use jiff::SignedDuration;
use jiff::civil::{Date, date};
use jiff::tz::TimeZone;
use std::hint::black_box;

const DAY: Date = date(2026, 11, 23);

/// Tasks of odd lengths, so that no common divisor helps.
fn tasks(count: u32) -> Vec<ScoredTask> {
    let task = |i: u32| Task {
        id: format!("tsk_{i:05}").into(),
        title: format!("Task {i}"),
        description: String::new(),
        status: TaskStatus::Backlog,
        priority: Priority::ALL[i as usize % 3],
        estimated_minutes: 5 + i * 37 % 113,
        due_date: i
            .is_multiple_of(4)
            .then(|| DAY + jiff::Span::new().days(i64::from(i % 9))),
        source: TaskSource::Chat,
        created_at: "2026-11-23T08:00:00Z".parse::<jiff::Timestamp>().unwrap()
            - SignedDuration::from_hours(i64::from(i % 12) * 24),
        block_id: None,
        tainted: false,
    };
    ScoredTask::all((0..count).map(task), DAY, &TimeZone::UTC)
}

fn combinations(c: &mut Criterion) {
    let mut group = c.benchmark_group("combinations");
    let tasks_200 = tasks(200);
    for duration in [90, 240, 480, 1_440] {
        for strategy in Strategy::ALL {
            let id = BenchmarkId::new(format!("200 tasks, {strategy}"), duration);
            group.bench_function(id, |b| {
                b.iter(|| suggest(black_box(&tasks_200), duration, *strategy));
            });
        }
    }
    let many = tasks(10_000);
    group.bench_function("10000 tasks, mixed/480", |b| {
        b.iter(|| suggest(black_box(&many), 480, Strategy::Mixed));
    });
    group.finish();
}

fn request(tasks: Vec<ScoredTask>, blocks: u16) -> DayRequest {
    let block = |i: u16| TimeBlock {
        id: format!("blk_{i}").into(),
        kind: if i.is_multiple_of(3) {
            BlockType::Meeting
        } else {
            BlockType::Blocked
        },
        title: format!("Block {i}"),
        start: ClockTime::from_minutes(480 + i * 47 % 600).unwrap(),
        end: ClockTime::from_minutes(485 + i * 47 % 600).unwrap(),
        description: String::new(),
        task_ids: Vec::new(),
        tainted: false,
    };
    DayRequest {
        date: DAY,
        zone: TimeZone::get("Europe/Berlin").unwrap(),
        now: "2026-11-22T12:00:00Z".parse().unwrap(),
        habits: Habits::read(&alfred_core::user::DayPreferences::default()).unwrap(),
        blocks: (0..blocks).map(block).collect(),
        tasks,
        named: true,
        wishes: Vec::new(),
    }
}

fn days(c: &mut Criterion) {
    let mut group = c.benchmark_group("day");
    for (name, request) in [
        ("empty", request(Vec::new(), 0)),
        ("100 tasks, no fixed block", request(tasks(100), 0)),
        ("100 tasks, 30 fixed blocks", request(tasks(100), 30)),
        ("10000 tasks, no fixed block", request(tasks(10_000), 0)),
    ] {
        group.bench_function(name, |b| b.iter(|| plan(black_box(&request)).unwrap()));
    }
    group.finish();
}

fn mails(c: &mut Criterion) {
    let text = "Hello Ann,\nthe numbers of the third quarter are in the sheet. ".repeat(20);
    let mails: Vec<MailFacts> = (0..1_000)
        .map(|i| MailFacts {
            from_address: format!("person{i}@example.org"),
            subject: format!("Re: Quarter {i}"),
            text: match i % 4 {
                0 => format!("{text}\nCan you check them?"),
                1 => format!("{text}\nThe deadline is Friday."),
                2 => format!("{text}\nFYI"),
                _ => text.clone(),
            },
            ..MailFacts::default()
        })
        .collect();
    c.bench_function("categorize 1000 mails of 1.2 kB", |b| {
        b.iter(|| {
            mails
                .iter()
                .map(|mail| categorize(black_box(mail)).urgency_score)
                .max()
        });
    });
}

criterion_group!(benches, combinations, days, mails);
criterion_main!(benches);
