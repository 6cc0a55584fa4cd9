//! Twelve users and a process that is killed repeatedly. Acknowledged requests are answered once, soon after the
//! last kill, and approved effects happen once. `KILL_RUN` sets the number of kills (`docs/benchmarks.md`).

use alfred_agent::slack::card::action;
use alfred_agent::{Step, StepKind};
use alfred_core::TraceId;
use alfred_slack_local::Person;
use fastrand::Rng;
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::{Instant, sleep};

use crate::local::model::{TELL, answer, titles, told};
use crate::local::process::Serving;
use crate::local::scene::{Scene, TEAM};
use crate::sample::number;

const KILLS: u64 = 8;
const PEOPLE: usize = 12;
/// Milliseconds between two kills.
const LIFE: std::ops::Range<u64> = 150..5_000;
const TURN: Duration = Duration::from_millis(300);
const STEP: Duration = Duration::from_millis(100);
/// One in this many steps is a request. The first user writes more, in one conversation.
const ASKS: usize = 50;
const ASKS_HOT: usize = 25;
/// A request without an answer after this time counts as lost.
const PATIENCE: Duration = Duration::from_secs(300);

struct Asked {
    tag: String,
    by: usize,
    tells: bool,
    trace: String,
}

struct Run {
    scene: Scene,
    people: Vec<(String, String)>,
    asked: Vec<Asked>,
    rng: Rng,
}

impl Run {
    async fn new(seed: u64) -> Self {
        let scene = Scene::new().await;
        scene.model.takes(TURN);
        let slack = &scene.slack.slack;
        let person = |n: usize| Person {
            id: format!("U0KILL{n:02}"),
            username: format!("person{n}"),
            name: format!("Person {n}"),
            email: format!("person{n}@demo.example"),
            tz: "Europe/Berlin".into(),
            is_bot: false,
            deleted: false,
        };
        let add = |n: usize| {
            let person = person(n);
            slack.put_person(&person).unwrap();
            let dm = slack.dm_with(&person.id).unwrap();
            (person.id, dm.id)
        };
        Self {
            people: (0..PEOPLE).map(add).collect(),
            asked: Vec::new(),
            rng: Rng::with_seed(seed),
            scene,
        }
    }

    async fn start(&self) -> Serving {
        let ids: Vec<&str> = self.people.iter().map(|(id, _)| id.as_str()).collect();
        let mut command = self.scene.serve();
        command.env("ALFRED_ADMINS", ids.join(","));
        command.env_remove("ALFRED_REPLY_SETTLE");
        self.scene.started(command).await
    }

    /// What people do in 100 ms.
    async fn step(&mut self) {
        for by in 0..PEOPLE {
            let often = if by == 0 { ASKS_HOT } else { ASKS };
            if self.rng.usize(..often) == 0 {
                self.ask(by);
            }
        }
        self.approve().await;
        sleep(STEP).await;
    }

    fn ask(&mut self, by: usize) {
        let tag = format!("k{}", self.asked.len());
        let tells = self.rng.usize(..3) == 0;
        let text = if tells {
            let to = (by + self.rng.usize(1..PEOPLE)) % PEOPLE;
            format!("please {TELL} {} of #{tag}", self.people[to].0)
        } else {
            format!("make the two tasks of #{tag} together")
        };
        let (user, dm) = &self.people[by];
        let slack = &self.scene.slack.slack;
        let message = slack.post_as(user, dm, &text, None).unwrap();
        let identity = format!("msg:{}:{}", message.channel, message.ts);
        self.asked.push(Asked {
            trace: TraceId::derive(&TEAM.into(), &identity).0,
            tag,
            by,
            tells,
        });
    }

    /// Approves every waiting card. Refused clicks are repeated on the next call.
    async fn approve(&self) {
        let slack = &self.scene.slack.slack;
        for (user, dm) in &self.people {
            for message in slack.messages(dm, 200).unwrap() {
                let blocks = serde_json::to_string(&message.blocks).unwrap();
                if message.bot_id.is_some() && blocks.contains(action::APPROVE) {
                    let clicked = slack.click(user, dm, &message.ts, action::APPROVE, None);
                    drop(clicked.await);
                }
            }
        }
    }

    fn posted(&self, by: usize) -> Vec<String> {
        let (_, dm) = &self.people[by];
        let mut found = self.scene.slack.slack.messages(dm, usize::MAX).unwrap();
        found.retain(|message| message.bot_id.is_some());
        found.into_iter().map(|message| message.text).collect()
    }

    fn answers(&self) -> BTreeMap<&str, usize> {
        let posted: Vec<Vec<String>> = (0..PEOPLE).map(|by| self.posted(by)).collect();
        let count = |asked: &Asked| {
            let wanted = answer(&asked.tag);
            let of = posted[asked.by].iter();
            of.filter(|text| text.contains(&wanted)).count()
        };
        let asked = self.asked.iter();
        let counts = asked.map(|asked| (asked.tag.as_str(), count(asked)));
        counts.collect()
    }

    /// The time until every request is answered, at most `PATIENCE`.
    async fn answered(&self) -> Duration {
        let from = Instant::now();
        while self.answers().values().any(|answers| *answers == 0) && from.elapsed() < PATIENCE {
            self.scene.slack.slack.deliver_now().unwrap();
            self.approve().await;
            sleep(STEP).await;
        }
        from.elapsed()
    }

    /// Sorted times from each kill to the next step of each run that worked then and didn't wait for its owner.
    /// Includes the restart, the step itself, and further kills meanwhile.
    async fn pauses(&self, serving: &Serving, deaths: &[Timestamp]) -> Vec<SignedDuration> {
        let mut pauses = Vec::new();
        for asked in &self.asked {
            let found = serving.trace(&asked.trace, TEAM).await;
            let found = found.unwrap_or_else(|| panic!("{} has no run", asked.tag));
            let steps: Vec<Step> = serde_json::from_value(found["steps"].clone()).unwrap();
            for died in deaths {
                let behind = steps.partition_point(|step| step.at <= *died);
                let Some((last, next)) = steps[..behind].last().zip(steps.get(behind)) else {
                    continue;
                };
                if !matches!(last.did, StepKind::Asked { .. }) {
                    pauses.push(next.at.duration_since(*died));
                }
            }
        }
        pauses.sort();
        pauses
    }

    /// Effects that didn't happen exactly once: tasks, and messages to others.
    async fn not_once(&self) -> Vec<String> {
        let posted: Vec<Vec<String>> = (0..PEOPLE).map(|by| self.posted(by)).collect();
        let mut wrong = Vec::new();
        let ids = self.people.iter().map(|(id, _)| id.as_str());
        let made = self.scene.titles(ids).await;
        for asked in &self.asked {
            if asked.tells {
                let word = told(&asked.tag);
                // The owner reads the text on the card too.
                let others = (0..PEOPLE).filter(|by| *by != asked.by);
                let sent = others.flat_map(|by| &posted[by]);
                let sent = sent.filter(|text| text.contains(&word)).count();
                if sent != 1 {
                    wrong.push(format!("{word} was sent {sent} times"));
                }
                continue;
            }
            for title in titles(&asked.tag) {
                let times = made.iter().filter(|made| **made == title).count();
                if times != 1 {
                    wrong.push(format!("{title} was made {times} times"));
                }
            }
        }
        wrong
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twelve_people_get_each_answer_once_through_kill_after_kill() {
    let kills = number("KILL_RUN").unwrap_or(KILLS);
    let mut run = Run::new(kills).await;
    let mut serving = run.start().await;
    let mut deaths = Vec::new();
    for _ in 0..kills {
        let life = Duration::from_millis(run.rng.u64(LIFE));
        let born = Instant::now();
        while born.elapsed() < life {
            run.step().await;
        }
        serving.kill().await;
        deaths.push(Timestamp::now());
        serving = run.start().await;
    }
    let took = run.answered().await;
    let answers = run.answers();
    let count = |wanted: fn(usize) -> bool| answers.values().filter(|n| wanted(**n)).count();
    let (lost, doubled) = (count(|n| n == 0), count(|n| n > 1));
    println!(
        "{kills} kills, {} requests, {lost} lost, {doubled} answered twice, all answered {:.1} s after the last kill",
        run.asked.len(),
        took.as_secs_f64()
    );
    let pauses = run.pauses(&serving, &deaths).await;
    let at = |part: usize| pauses[(pauses.len() * part / 100).min(pauses.len() - 1)];
    assert!(!pauses.is_empty(), "no death met a request in work");
    let (count, p50, p95, p99) = (pauses.len(), at(50), at(95), at(99));
    println!(
        "{count} times a request in work went on behind a death, after p50 {p50:?}, p95 {p95:?}, p99 {p99:?}"
    );
    let asked = run.asked.iter();
    for asked in asked.filter(|asked| answers[asked.tag.as_str()] != 1) {
        let posted = run.posted(asked.by);
        println!("{} (tells: {}): {posted:#?}", asked.tag, asked.tells);
        let trace = serving.trace(&asked.trace, TEAM).await;
        println!("{trace:#?}");
    }
    serving.kill().await;
    assert_eq!(run.not_once().await, Vec::<String>::new());
    assert_eq!((lost, doubled), (0, 0));
}
