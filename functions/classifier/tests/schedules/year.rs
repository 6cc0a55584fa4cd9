//! Schedules in many zones with kills, outages and clock changes. Each occurrence runs once, never early.

use alfred_core::ScheduleId;
use alfred_schedule::{Does, When};
use alfred_testkit::{When as Moment, unavailable, unsent};
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};
use std::collections::{BTreeMap, BTreeSet};

use crate::office::Office;

const ZONES: [&str; 12] = [
    "UTC",
    "Europe/Berlin",
    "Europe/Kiev",
    "America/New_York",
    "America/St_Johns",
    "America/Sao_Paulo",
    "Asia/Kolkata",
    "Asia/Kathmandu",
    "Australia/Lord_Howe",
    "Pacific/Auckland",
    "Pacific/Apia",
    "Africa/Casablanca",
];
const SCHEDULES: usize = 100;

struct Seen {
    when: When,
    zone: (&'static str, TimeZone),
    created: Timestamp,
    ran: BTreeSet<String>,
    last: Option<Timestamp>,
}

fn when(random: &mut fastrand::Rng, n: usize, from: Timestamp) -> When {
    // Times near the clock changes.
    let time = jiff::civil::time([2, 2, 1, 3, 9][n % 5], [30, 0, 15][n % 3], 0, 0);
    let day = random.i32(0..365);
    match n % 60 {
        0 => When::Weekly {
            days: (1..=7).collect(),
            time,
        },
        1..=12 => When::Weekly {
            days: BTreeSet::from([random.i8(1..=7)]),
            time,
        },
        13 => When::Interval {
            minutes: 1_440,
            from,
        },
        14..=20 => When::Moment {
            at: from + SignedDuration::from_mins(i64::from(day) * 1_440 + 7),
        },
        _ => {
            let first = jiff::civil::date(2026, 1, 2);
            let at: DateTime = (first + day.days()).to_datetime(time);
            When::Once { at }
        }
    }
}

async fn open(random: &mut fastrand::Rng) -> (Office, BTreeMap<ScheduleId, Seen>) {
    let office = Office::at("2026-01-01T00:00:00Z", []).await;
    let mut all = BTreeMap::new();
    for n in 0..SCHEDULES {
        let zone = ZONES[n % ZONES.len()];
        let when = when(random, n, office.now());
        let does = Does::Say {
            text: format!("No. {n}"),
        };
        let job = office.job(&n.to_string(), does, when.clone(), zone);
        let id = office.schedule(job).await;
        let seen = Seen {
            when,
            zone: (zone, TimeZone::get(zone).unwrap()),
            created: office.now(),
            ran: BTreeSet::new(),
            last: None,
        };
        all.insert(id, seen);
    }
    (office, all)
}

fn next(all: &BTreeMap<ScheduleId, Seen>, now: Timestamp) -> Option<Timestamp> {
    let each = all.values().filter_map(|one| {
        let after = one.last.map_or(now, |last| last.max(now));
        one.when.next_after(after, &one.zone.1)
    });
    each.map(|next| next.at).min()
}

fn take_in(office: &mut Office, all: &mut BTreeMap<ScheduleId, Seen>) {
    let now = office.now();
    for (id, run) in std::mem::take(&mut office.runs) {
        let of = run
            .job
            .as_ref()
            .unwrap_or_else(|| panic!("{id} is of no job"));
        let one = all.get_mut(&of.id).unwrap();
        let due = one.when.last_until(run.created_at, &one.zone.1);
        let due = due.unwrap_or_else(|| panic!("{} ran before its time", of.name));
        assert!(due.at <= run.created_at && due.at <= now);
        if one.last == Some(due.at) && one.ran.contains(id.as_str()) {
            continue;
        }
        assert!(
            one.last.is_none_or(|last| last < due.at),
            "{} twice: {due:?}",
            of.name
        );
        one.last = Some(due.at);
        one.ran.insert(id.to_string());
    }
}

fn nothing_is_lost(all: &BTreeMap<ScheduleId, Seen>, now: Timestamp) {
    for one in all.values() {
        let due = one.when.last_until(now, &one.zone.1);
        let Some(due) = due.filter(|due| due.at > one.created) else {
            continue;
        };
        let ran = one.last.is_some_and(|last| last >= due.at);
        assert!(
            ran,
            "{:?} in {} of {due:?} hasn't run at {now}",
            one.when, one.zone.0
        );
    }
}

#[tokio::test]
async fn each_occurrence_of_a_year_runs_once_and_none_before_its_time() {
    year(2026).await;
}

#[tokio::test]
async fn each_occurrence_of_another_year_runs_once_too() {
    year(2027).await;
}

async fn year(seed: u64) {
    let mut random = fastrand::Rng::with_seed(seed);
    let (mut office, mut all) = open(&mut random).await;
    let end: Timestamp = "2027-01-01T00:00:00Z".parse().unwrap();
    let (mut kills, mut outages, mut set) = (0, 0, 0);
    while let Some(at) = next(&all, office.now()).filter(|at| *at < end) {
        office.clock.set(at);
        let mut faulty = false;
        match random.u32(0..200) {
            0 => {
                let hours = random.i64(1..96);
                office.clock.set(at + SignedDuration::from_hours(hours));
                outages += 1;
                faulty = true;
            }
            1..=3 => {
                let back = SignedDuration::from_mins(random.i64(2..180));
                office.clock.set(at - back);
                office.sweep().await.unwrap();
                office.work().await;
                take_in(&mut office, &mut all);
                office.clock.set(at);
                set += 1;
            }
            4..=30 => {
                let moment = [Moment::Before, Moment::After][random.usize(0..2)];
                let faults = &office.faults;
                if random.bool() {
                    faults.fail_next("store.commit", moment, unavailable());
                } else {
                    faults.fail_next("queue.send", Moment::Before, unsent());
                }
                kills += 1;
                faulty = true;
            }
            _ => {}
        }
        // The next sweeps recover what a kill interrupted. After an outage each sweep catches up on two days.
        for later in [0, 60, 360] {
            let now = office.now() + SignedDuration::from_secs(later);
            office.clock.set(now);
            let _ = office.sweep().await;
            office.work().await;
            take_in(&mut office, &mut all);
            if !faulty {
                break;
            }
        }
        nothing_is_lost(&all, office.now());
    }
    let ran: usize = all.values().map(|one| one.ran.len()).sum();
    assert_eq!(office.chat.posted().len(), ran, "each was said once");
    println!("{ran} runs, {kills} kills, {outages} outages, {set} times the clock was set back");
    assert!(ran > 1_500 && kills > 50 && outages > 2 && set > 10);
}
