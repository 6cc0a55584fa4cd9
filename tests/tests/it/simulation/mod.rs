//! The real handlers over the real SQLite store, with a fault at every call of every port, alone and combined.
//! A schedule gives the same result whenever it runs.
//!
//! Environment variables:
//! - `FAULT_SEED`: chooses the sample of reads that meet a fault, and the random schedules.
//! - `FAULT_ALL=1`: a fault of every kind at every read too.
//! - `SIM_SCHEDULES`: how many random schedules run.
//! - `SIM_SEED`: runs this one random schedule and prints what happened in it.
//! - `SIM_STORY`: the only story that meets single faults.

mod agenda;
mod audits;
mod faults;
mod invariants;
mod mutations;
mod outage;
mod person;
mod ports;
mod rig;
mod scenarios;
mod schedules;

use faults::{Fault, is_read};
use mutations::Mutation;
use rig::Rig;
use scenarios::{ASK, Scenario, YES};
use schedules::{Schedule, alone, tell, tell_all};
use std::ptr::fn_addr_eq;

use crate::sample::{all_faults, fault_seed, number};

/// Random schedules without `SIM_SCHEDULES`.
const SCHEDULES: u64 = 500;
/// One in this many of the other faults runs without `FAULT_ALL`.
const SAMPLED: u64 = 8;

/// A story's calls without faults, by delivery.
fn deliveries(scenario: &Scenario) -> Vec<Vec<&'static str>> {
    let told = alone(tell(&Rig::new(), &Schedule::of(scenario)));
    assert_eq!(told.wrong, Vec::<String>::new(), "{}", scenario.name);
    told.deliveries
}

fn calls(scenario: &Scenario) -> Vec<&'static str> {
    deliveries(scenario).concat()
}

fn assert_none(broken: &[String], of: usize) {
    let list = broken.join("\n");
    let none = broken.is_empty();
    assert!(none, "of {of} schedules these broke a promise:\n{list}");
}

/// The number of calls in a story's first act if an earlier story has the same model and first act, else 0.
fn begun_before(scenario: &Scenario, earlier: &[Scenario]) -> usize {
    let begins_so = |other: &Scenario| {
        fn_addr_eq(other.model, scenario.model)
            && other.acts[0] == scenario.acts[0]
            && other.embedded_teams == scenario.embedded_teams
    };
    if !earlier.iter().any(begins_so) {
        return 0;
    }
    let mut begun = scenario.clone();
    begun.acts = &scenario.acts[..1];
    let told = alone(tell(&Rig::new(), &Schedule::of(&begun)));
    told.deliveries.concat().len()
}

/// Every fault at every write of these stories. Reads, and writes an earlier story shares, are sampled.
fn every_fault(scenarios: &[Scenario]) -> Vec<Schedule> {
    let sampled = if all_faults() { 1 } else { SAMPLED };
    let mut dice = fastrand::Rng::with_seed(fault_seed());
    let mut schedules = Vec::new();
    for (n, scenario) in scenarios.iter().enumerate() {
        let begun = begun_before(scenario, &scenarios[..n]);
        let mut number = 0;
        for delivery in deliveries(scenario) {
            for (at, call) in delivery.iter().enumerate() {
                number += 1;
                let each = number > begun && !is_read(call);
                let strikes = Fault::ALL
                    .into_iter()
                    .filter(|fault| fault.strikes(call) && fault.differs(&delivery[at + 1..]))
                    .filter(|_| each || dice.u64(..sampled) == 0);
                schedules.extend(strikes.map(|fault| Schedule::with(scenario, number, fault)));
            }
        }
    }
    schedules
}

#[test]
fn single_fault_breaks_no_promise() {
    let mut scenarios = scenarios::all();
    scenarios.push(scenarios::drawn());
    if let Ok(story) = std::env::var("SIM_STORY") {
        scenarios.retain(|scenario| scenario.name == story);
    }
    let schedules = every_fault(&scenarios);
    let (seed, count) = (fault_seed(), schedules.len());
    println!("FAULT_SEED={seed}: {count} schedules with one fault");
    assert_none(&tell_all(&schedules), count);
}

#[test]
fn combined_faults_break_no_promise() {
    let count = number("SIM_SCHEDULES").unwrap_or(SCHEDULES);
    let counted = |scenario: Scenario| (calls(&scenario).len(), scenario);
    let scenarios: Vec<(usize, Scenario)> = scenarios::all().into_iter().map(counted).collect();
    let of_seed = |seed: u64| {
        let (count, scenario) = &scenarios[usize::try_from(seed).unwrap() % scenarios.len()];
        Schedule::random(scenario, *count, seed)
    };
    if let Some(seed) = number("SIM_SEED") {
        return explained(&of_seed(seed));
    }
    let first = fault_seed().wrapping_mul(SCHEDULES);
    let schedules: Vec<Schedule> = (first..first + count).map(of_seed).collect();
    println!("{count} random schedules from SIM_SEED={first}");
    assert_none(&tell_all(&schedules), schedules.len());
}

fn explained(schedule: &Schedule) {
    let rig = Rig::new();
    let told = alone(tell(&rig, schedule));
    println!("{}: {:?}", schedule.scenario.name, schedule.faults);
    println!("struck: {:?}", rig.sim.gate.struck());
    for run in alone(rig.runs()) {
        let found = alone(rig.journal().load(&alfred_tests::team(), &run.id)).unwrap();
        println!("{} {:?}", run.id, run.state);
        for step in found.iter().flat_map(|found| &found.steps) {
            println!("  {} {} {:?}", step.seq, step.at, step.did);
        }
    }
    for kept in rig.sim.chat.posted() {
        println!("{}: {}", kept.channel, person::shown(&kept));
    }
    assert_eq!(told.wrong, Vec::<String>::new());
}

/// The reply to a schedule's first request. Nothing else may be wrong.
fn reply(schedule: &Schedule) -> String {
    let rig = Rig::new();
    let told = alone(tell(&rig, schedule));
    assert_eq!(told.wrong, Vec::<String>::new(), "{:?}", schedule.faults);
    let posted = rig.sim.chat.posted();
    let is_reply = |kept: &&alfred_testkit::Kept| {
        let key = kept.idempotency_key.as_deref().unwrap_or_default();
        key.starts_with("run_") && key.ends_with(":1")
    };
    posted.iter().find(is_reply).map(person::shown).unwrap()
}

#[test]
fn what_passes_behind_an_approval_is_waited_out() {
    let scenario = named("one approval");
    let reached = |schedule: &Schedule| reply(schedule).contains("✓ Sent to Ben");
    let of_slack = |(_, call): &(usize, &'static str)| call.starts_with("chat.");
    let calls = calls(&scenario);
    for (at, call) in calls.iter().copied().enumerate().filter(of_slack) {
        for fault in [Fault::Throttled, Fault::Contended] {
            let schedule = Schedule::with(&scenario, at + 1, fault);
            assert!(reached(&schedule), "{fault:?} at {call}");
        }
    }
}

#[test]
fn a_stop_ends_what_teams_ask() {
    let scenario = named("a team's approval");
    let stopped = (1..=calls(&scenario).len()).filter(|call| {
        let reply = reply(&Schedule::with(&scenario, *call, Fault::Stop));
        assert!(!reply.contains('⏳'), "{reply}");
        reply.contains(alfred_core::text::STOPPED)
    });
    let stopped = stopped.count();
    assert!(stopped > 5, "{stopped}");
}

/// Runs one approval under a defect, with every fault at every call.
fn under(mutation: Mutation) -> Vec<String> {
    let mut schedules = every_fault(&[named("one approval")]);
    for schedule in &mut schedules {
        schedule.mutation = Some(mutation);
    }
    tell_all(&schedules)
}

fn named(name: &str) -> Scenario {
    let mut all = scenarios::all().into_iter();
    all.find(|scenario| scenario.name == name).unwrap()
}

#[test]
fn a_result_recorded_before_its_effect_is_noticed() {
    let broken = under(Mutation::EffectLater).join("\n");
    assert!(broken.contains("succeeded and was never sent"), "{broken}");
}

#[test]
fn a_claim_apart_from_its_resumption_is_noticed() {
    let broken = under(Mutation::SplitClaim).join("\n");
    assert!(broken.contains("asks for nothing"), "{broken}");
}

#[test]
fn what_was_changed_behind_its_approval_does_not_run() {
    let mut schedule = Schedule::of(&named("one approval"));
    schedule.mutation = Some(Mutation::Tampered);
    let rig = Rig::new();
    let told = alone(tell(&rig, &schedule));
    let said: Vec<String> = rig.sim.chat.posted().iter().map(person::shown).collect();
    let says = |words: &str| said.iter().any(|said| said.contains(words));
    assert!(!says(mutations::TAMPERED), "{said:?}");
    assert!(says("it changed after you approved it"), "{said:?}");
    let missing = |wrong: &String| wrong.contains("messages were sent instead");
    assert!(told.wrong.iter().all(missing), "{:?}", told.wrong);
}

const OUT_OF_BUDGET: &str =
    "I stopped because this request used up its budget. Could you make it smaller?";

#[test]
fn whatever_a_byte_costs_nobody_spends_more_than_the_request_may() {
    for name in ["three deep", "five teams"] {
        let ran_out = |price: u64| {
            let mut schedule = Schedule::of(&named(name));
            schedule.price = Some(price);
            let rig = Rig::new();
            let told = alone(tell(&rig, &schedule));
            assert_eq!(told.wrong, Vec::<String>::new(), "{name} at {price}");
            let posted = rig.sim.chat.posted();
            let mut said = posted.iter().map(person::shown);
            said.any(|said| said.contains(OUT_OF_BUDGET))
        };
        assert!(!ran_out(20), "{name}");
        let dear = [100, 200, 300, 400, 500, 600, 800, 1_500];
        let dear = dear.into_iter().filter(|price| ran_out(*price)).count();
        assert!(dear >= 2, "{name}: {dear}");
    }
}

#[test]
fn workers_that_spend_forget_sign_otherwise_check_no_digest_or_dont_sync_are_noticed() {
    let with = |scenario: Scenario, price, mutation| Schedule {
        price,
        mutation,
        ..Schedule::of(&scenario)
    };
    let (deep, chat) = (named("three deep"), named("a chat that begins anew"));
    let boundless = Scenario {
        acts: &[person::Act::Open("spender"), ASK, YES],
        ..deep.clone()
    };
    let unsigned = Scenario {
        by: &[("write_file", "utility")],
        ..deep
    };
    let forgetful = Scenario {
        forgotten: &[],
        ..chat
    };
    let dear = Some(500);
    let free = Some(Mutation::Free);
    let [unsynced, digest] = [Mutation::Unsynced, Mutation::TamperedWithDigest].map(Some);
    let unchecked = with(named("one approval"), None, digest);
    for (schedule, expected) in [
        (with(named("one approval"), None, unsynced), "before a sync"),
        (with(boundless, dear, None), "more than it may"),
        (with(named("five teams"), dear, free), "more than it may"),
        (with(unsigned, None, None), "is said to be"),
        (with(forgetful, None, None), "1 exchanges of 2 requests"),
        (unchecked, "no approved card says so"),
    ] {
        let wrong = alone(tell(&Rig::new(), &schedule)).wrong.join("\n");
        assert!(wrong.contains(expected), "{expected}: {wrong}");
    }
}

#[test]
fn a_schedule_is_the_same_whenever_it_is_told() {
    for (seed, scenario) in (0..).zip(scenarios::all()) {
        let schedule = Schedule::random(&scenario, 40, seed);
        let once = || {
            let rig = Rig::new();
            let told = alone(tell(&rig, &schedule));
            let (calls, messages) = (rig.sim.gate.calls(), rig.sim.chat.messages());
            (told.deliveries, calls, messages)
        };
        assert_eq!(once(), once(), "{}, seed {seed}", scenario.name);
    }
}
