//! A year of jobs in many zones with kills, outages and clock changes. Each occurrence runs once, never early.

use alfred_agent::Run;
use alfred_agent::store::timer::{self, Timer};
use alfred_core::ports::{Clock, QueueName, Store};
use alfred_core::{Payload, RunId, ScheduleId, keys};
use alfred_schedule::{Does, Job, When};
use alfred_testkit::{When as Moment, unavailable, unsent};
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};
use std::collections::{BTreeMap, BTreeSet};

use crate::in_memory::world::{World, active_job, by_progress, sweep, team};

const ZONES: &str = "UTC Europe/Berlin Europe/Kiev America/New_York America/St_Johns America/Sao_Paulo \
    Asia/Kolkata Asia/Kathmandu Australia/Lord_Howe Pacific/Auckland Pacific/Apia Africa/Casablanca";
const JOBS: usize = 100;

struct Seen {
    when: When,
    zone: (&'static str, TimeZone),
    created: Timestamp,
    ran: BTreeSet<RunId>,
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

/// A reminder in a place of its own.
fn job(n: usize, when: When, zone: &str, now: Timestamp) -> Job {
    Job {
        id: format!("sch_{n}").as_str().into(),
        name: n.to_string(),
        does: Does::Say {
            text: format!("No. {n}"),
        },
        ..active_job("U1", &format!("D{n}"), when, zone, now)
    }
}

struct Year {
    world: World,
    jobs: BTreeMap<ScheduleId, Seen>,
}

impl Year {
    async fn begin(random: &mut fastrand::Rng) -> Self {
        let world = World::new(by_progress(Vec::new())).await;
        world.clock.set("2026-01-01T00:00:00Z".parse().unwrap());
        let now = world.clock.now();
        // The first sweep stores the position from which later sweeps read.
        world.receive(&sweep()).await;
        let mut jobs = BTreeMap::new();
        for (n, zone) in (0..JOBS).zip(ZONES.split(' ').cycle()) {
            let tz = TimeZone::get(zone).unwrap();
            let when = when(random, n, now);
            let job = job(n, when.clone(), zone, now).due_after(now, &tz);
            world.write(job.instead_of(None, now).unwrap()).await;
            // As a change of the job may leave it behind: it comes before the job's time.
            let stale = Timer::fire(&team(), &"U1".into(), &job.id);
            let stale = timer::arm(now + SignedDuration::from_hours(1), &stale);
            world.write(vec![stale.unwrap()]).await;
            let seen = Seen {
                when,
                zone: (zone, tz),
                created: now,
                ran: BTreeSet::new(),
                last: None,
            };
            jobs.insert(job.id, seen);
        }
        Self { world, jobs }
    }

    fn next(&self) -> Option<Timestamp> {
        let now = self.world.clock.now();
        let each = self.jobs.values().filter_map(|one| {
            let after = one.last.map_or(now, |last| last.max(now));
            one.when.next_after(after, &one.zone.1)
        });
        each.map(|next| next.at).min()
    }

    /// Sweeps once, and does what was queued. False if the sweep fails.
    async fn sweep(&mut self) -> bool {
        let swept = self.world.deliver(QueueName::Runs, &sweep()).await;
        while let Some((queue, message)) = self.world.next() {
            let Payload::Run { run, .. } = message.payload.clone() else {
                panic!("{message:?}");
            };
            self.world.deliver_until_done(queue, message).await;
            let row = self.world.store.get(&keys::run(&team(), &run)).await;
            let run = serde_json::from_value(row.unwrap().unwrap().body).unwrap();
            self.take_in(&run);
        }
        self.world.queue.forget_dedup();
        swept.is_ok()
    }

    fn take_in(&mut self, run: &Run) {
        let of = run.job.as_ref().unwrap();
        let one = self.jobs.get_mut(&of.id).unwrap();
        let due = one.when.last_until(run.created_at, &one.zone.1);
        let due = due.unwrap_or_else(|| panic!("{} ran before its time", of.name));
        assert!(due.at > one.created, "{} ran before its time", of.name);
        if one.last == Some(due.at) && one.ran.contains(&run.id) {
            return;
        }
        let is_new = one.last.is_none_or(|last| last < due.at);
        assert!(is_new, "{} twice: {due:?}", of.name);
        one.last = Some(due.at);
        one.ran.insert(run.id.clone());
    }

    fn nothing_is_lost(&self) {
        let now = self.world.clock.now();
        for one in self.jobs.values() {
            let due = one.when.last_until(now, &one.zone.1);
            let Some(due) = due.filter(|due| due.at > one.created) else {
                continue;
            };
            let (when, zone) = (&one.when, one.zone.0);
            let ran = one.last.is_some_and(|last| last >= due.at);
            assert!(ran, "{when:?} in {zone} of {due:?} hasn't run at {now}");
        }
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
    let mut year = Year::begin(&mut random).await;
    let end: Timestamp = "2027-01-01T00:00:00Z".parse().unwrap();
    let (mut kills, mut outages, mut set) = (0, 0, 0);
    while let Some(at) = year.next().filter(|at| *at < end) {
        let clock = year.world.clock.clone();
        clock.set(at);
        let mut faulty = false;
        match random.u32(0..200) {
            0 => {
                clock.set(at + SignedDuration::from_hours(random.i64(1..96)));
                outages += 1;
                faulty = true;
            }
            1..=3 => {
                clock.set(at - SignedDuration::from_mins(random.i64(2..180)));
                assert!(year.sweep().await, "a sweep fails with the clock set back");
                clock.set(at);
                set += 1;
            }
            4..=30 => {
                let moment = [Moment::Before, Moment::After][random.usize(0..2)];
                let faults = &year.world.faults;
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
            clock.advance(std::time::Duration::from_secs(later));
            let swept = year.sweep().await;
            if !faulty {
                assert!(swept, "a sweep fails at {at}");
                break;
            }
        }
        year.nothing_is_lost();
    }
    let ran: usize = year.jobs.values().map(|one| one.ran.len()).sum();
    let said = year.world.chat.posted().len();
    assert_eq!(said, ran, "each was said once");
    println!("{ran} runs, {kills} kills, {outages} outages, {set} times the clock was set back");
    assert!(ran > 1_500 && kills > 50 && outages > 2 && set > 10);
}
