//! Kill anywhere: the real handlers over the real SQLite store, and a fault at
//! every call of every port, alone and in random company. Every schedule is the
//! same whenever it is told; `SIM_SCHEDULES` sets how many random ones there are.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a panic is a failed assertion"
)]

mod audits;
mod faults;
mod invariants;
mod mutations;
mod person;
mod ports;
mod rig;
mod scenarios;
mod schedules;

use faults::Fault;
use rig::Rig;
use scenarios::Scenario;
use schedules::{Schedule, alone, tell, tell_all};
use std::collections::BTreeMap;

/// Random schedules unless the environment says otherwise.
const SCHEDULES: u64 = 10_000;

/// The calls of a story without any fault.
fn calls(scenario: &Scenario) -> Vec<&'static str> {
    let told = alone(tell(&Rig::new(), &Schedule::of(scenario)));
    assert_eq!(told.wrong, Vec::<String>::new(), "{}", scenario.name);
    told.calls
}

fn assert_none(broken: &[String], of: usize) {
    let first: Vec<&String> = broken.iter().take(12).collect();
    let list = first
        .iter()
        .map(|report| report.as_str())
        .collect::<Vec<_>>();
    assert!(
        broken.is_empty(),
        "{} of {of} schedules broke a promise:\n{}",
        broken.len(),
        list.join("\n")
    );
}

/// Every fault at every call of these stories.
fn every_fault(scenarios: &[Scenario]) -> Vec<Schedule> {
    let mut schedules = Vec::new();
    for scenario in scenarios {
        for (at, call) in calls(scenario).into_iter().enumerate() {
            let strikes = Fault::ALL.into_iter().filter(|fault| fault.strikes(call));
            schedules.extend(strikes.map(|fault| Schedule::with(scenario, at + 1, fault)));
        }
    }
    schedules
}

#[test]
fn the_calls_of_every_story_are_known() {
    let mut table = String::new();
    for scenario in scenarios::all() {
        let calls = calls(&scenario);
        let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
        for call in &calls {
            *kinds.entry(call).or_default() += 1;
        }
        let kinds: Vec<String> = kinds
            .iter()
            .map(|(call, n)| format!("{call} {n}"))
            .collect();
        table.push_str(&format!(
            "{}: {} calls ({})\n",
            scenario.name,
            calls.len(),
            kinds.join(", ")
        ));
    }
    println!("{table}");
    insta::assert_snapshot!(table);
}

#[test]
fn a_fault_at_every_call_breaks_no_promise() {
    let schedules = every_fault(&scenarios::all());
    println!("{} schedules with one fault", schedules.len());
    assert_none(&tell_all(&schedules), schedules.len());
}

#[test]
fn random_faults_in_company_break_no_promise() {
    let many = std::env::var("SIM_SCHEDULES").ok();
    let many = many.map_or(SCHEDULES, |many| {
        many.parse().expect("SIM_SCHEDULES is a number")
    });
    let scenarios: Vec<(Scenario, usize)> = scenarios::all()
        .into_iter()
        .map(|scenario| {
            let count = calls(&scenario).len();
            (scenario, count)
        })
        .collect();
    let schedules: Vec<Schedule> = (0..many)
        .zip(scenarios.iter().cycle())
        .map(|(seed, (scenario, count))| Schedule::random(scenario, *count, seed))
        .collect();
    println!("{} random schedules", schedules.len());
    assert_none(&tell_all(&schedules), schedules.len());
}
