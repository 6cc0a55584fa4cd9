//! 500 days that differ: how well plans use them beside a greedy planner, and how long they take.
//! `python3 shared/planner/benches/regret.py` runs it and sets the exact optimum beside both.
#![allow(clippy::unwrap_used, reason = "a bench stops at the first failure")]
#![allow(clippy::print_stdout, reason = "a table is what it is for")]

#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../tests/it/days/mod.rs"]
mod days;

use alfred_planner::fit::{Part, Split, worth};
use alfred_planner::plan;
use alfred_planner::{DayClock, DayPlan, DayRequest, DayUse};
use days::Placement;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const DAYS: u64 = 500;

/// Sums over all days.
#[derive(Default)]
struct Sums {
    done: u64,
    whole: usize,
    minutes: u64,
    splits: usize,
}

impl Sums {
    fn add(&mut self, found: &Placement, parts: &[Part]) {
        self.minutes += parts
            .iter()
            .map(|part| u64::from(part.minutes))
            .sum::<u64>();
        for (at, job) in found.jobs.iter().enumerate() {
            let own: Vec<&Part> = parts.iter().filter(|part| part.job == at).collect();
            let minutes: u32 = own.iter().map(|part| part.minutes).sum();
            self.done += u64::from(minutes) * u64::from(job.score);
            self.whole += usize::from(minutes == job.minutes);
            self.splits += own.len().saturating_sub(1);
        }
    }

    fn line(&self, name: &str, wanted: u64, tasks: usize, room: u64) {
        let percent = |part: u64, of: u64| part as f64 * 100.0 / of as f64;
        println!(
            "| {name} | {:.1} | {:.1} | {:.1} | {:.2} |",
            percent(self.minutes, room),
            percent(self.done, wanted),
            self.whole as f64 * 100.0 / tasks as f64,
            self.splits as f64 / DAYS as f64,
        );
    }
}

/// What the exact solver is given, and what it is to find.
fn record(number: u64, found: &Placement) -> Value {
    let longest = found.rooms.iter().copied().max().unwrap_or(0);
    let job = |job: &alfred_planner::fit::Job| {
        let split = Split::of(job, longest).map(|split| [split.begun, split.left]);
        json!([job.minutes, job.tier, job.score, split])
    };
    json!({
        "day": number,
        "rooms": found.rooms,
        "jobs": found.jobs.iter().map(job).collect::<Vec<_>>(),
        "worth": worth(&found.jobs, &found.parts).0,
        "greedy": worth(&found.jobs, &found.greedy()).0,
    })
}

/// Percent of the time beside meetings that stays free in what could be planned.
fn slack(request: &DayRequest, found: &DayPlan) -> Option<f64> {
    let clock = DayClock::new(request.date, &request.zone).unwrap();
    let blocks = found.blocks.iter().map(|block| (block.kind, block.span));
    let day = DayUse::of(blocks, found.planned?, &clock);
    let open = day.minutes - day.fixed;
    (open > 0).then(|| f64::from(day.minutes - day.planned) * 100.0 / f64::from(open))
}

fn main() {
    let (mut ours, mut greedy) = (Sums::default(), Sums::default());
    let (mut wanted, mut tasks, mut room) = (0, 0, 0);
    let (mut times, mut free, mut records): (Vec<Duration>, Vec<f64>, Vec<Value>) =
        Default::default();
    for number in 0..DAYS {
        let request = days::day(number);
        let began = Instant::now();
        let plan = plan(&request).unwrap();
        times.push(began.elapsed());
        let found = Placement::read(&request, &plan);
        ours.add(&found, &found.parts);
        greedy.add(&found, &found.greedy());
        wanted += found
            .jobs
            .iter()
            .map(|job| u64::from(job.minutes * job.score))
            .sum::<u64>();
        room += found.rooms.iter().map(|room| u64::from(*room)).sum::<u64>();
        tasks += found.jobs.len();
        free.extend(slack(&request, &plan));
        records.push(record(number, &found));
    }
    times.sort();
    free.sort_by(f64::total_cmp);
    println!(
        "| {DAYS} days, {tasks} tasks | work time used % | minutes by score done % | tasks done whole % | splits a day |"
    );
    println!("|---|---:|---:|---:|---:|");
    ours.line("the planner", wanted, tasks, room);
    greedy.line("greedy, same work time", wanted, tasks, room);
    let at = |share: usize| times[(times.len() - 1) * share / 100].as_secs_f64() * 1e3;
    println!(
        "\na plan: p50 {:.2} ms, p99 {:.2} ms, longest {:.2} ms",
        at(50),
        at(99),
        at(100)
    );
    println!(
        "free beside meetings: median {:.0} %, a tenth of the days below {:.0} %",
        free[free.len() / 2],
        free[free.len() / 10]
    );
    if let Ok(path) = std::env::var("VARIED_DAYS_OUT") {
        std::fs::write(path, serde_json::to_vec(&records).unwrap()).unwrap();
    }
}
