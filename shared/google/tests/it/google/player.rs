//! Plays texts about Google. A command holds calls, separated by `; `, and ` & ` between two makes both at once.
//! `a while METHOD waits: b` makes `b` while Google holds that method of `a` before it takes effect,
//! `a while METHOD ends: b` after that. `9 × a` makes `a` nine times, with the round's number for `№`.

use alfred_core::ports::AccountError;
use alfred_google::Google;
use alfred_google_local::drive::Content;
use alfred_google_local::{Hold, Options, Release};
use alfred_testkit::conformance::{show_error, words};
use alfred_testkit::play::{Interpreter, assert_played};
use async_trait::async_trait;
use futures_util::future::join_all;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::google::support::{World, as_described, fault};

/// What a call shows. `None` if it isn't a call of the port.
pub type Shown = Result<Option<String>, AccountError>;

/// The calls of one service.
#[async_trait]
pub trait Calls: Send + Sync {
    /// What the text leaves out of the names of methods.
    fn prefix(&self) -> &'static str {
        ""
    }
    fn prepare(&self, world: &World);
    async fn port(&self, world: &World, google: &Google, words: &[&str]) -> Shown;
    /// Looks at the account from inside, or changes it there.
    fn inside(&self, world: &World, words: &[&str]) -> String;
}

struct Played {
    world: World,
    calls: Box<dyn Calls>,
    /// How often each method was called, and the bytes of answers, up to the last `cost`.
    counted: Mutex<BTreeMap<String, u64>>,
    bytes: Arc<AtomicUsize>,
}

/// Plays a text. New files are found by a search a minute later.
pub async fn plays(path: &str, calls: fn() -> Box<dyn Calls>) {
    let open = async || {
        let options = Options {
            search_lag: Duration::from_secs(60),
            ..Options::default()
        };
        let world = World::with(options).await;
        let calls = calls();
        calls.prepare(&world);
        let bytes = Arc::new(AtomicUsize::new(0));
        let sum = bytes.clone();
        world.local().observe(move |seen| {
            as_described(seen);
            sum.fetch_add(seen.answer.to_string().len(), Ordering::Relaxed);
        });
        Played {
            world,
            calls,
            counted: Mutex::default(),
            bytes,
        }
    };
    let path = format!("{}/tests/it/google/{path}", env!("CARGO_MANIFEST_DIR"));
    assert_played(&path, open).await;
}

#[async_trait]
impl Interpreter for Played {
    async fn perform(&mut self, command: &str) -> String {
        let repeated = command.split_once(" × ");
        let repeated = repeated.and_then(|(times, calls)| Some((times.parse().ok()?, calls)));
        let (times, calls) = repeated.unwrap_or((1, command));
        let mut shown = String::new();
        for round in 1..=times {
            let calls = calls.replace('№', &format!("{round}"));
            shown += &self.round(&calls).await;
        }
        grouped(&shown)
    }
}

impl Played {
    async fn round(&self, command: &str) -> String {
        let Some((first, rest)) = command.split_once(" while ") else {
            return self.each(command).await;
        };
        let (method, rest) = rest.split_once(' ').unwrap();
        let (hold, rest) = match rest.strip_prefix("waits: ") {
            Some(rest) => (Hold::BeforeEffect, rest),
            None => (Hold::AfterEffect, rest.strip_prefix("ends: ").unwrap()),
        };
        let mut gate = self.world.local().hold(&self.method(method), hold);
        let meanwhile = async {
            let held = gate.arrived().await;
            drop(gate);
            let shown = self.each(rest).await;
            held.release(Release::Complete);
            shown
        };
        let (first, meanwhile) = tokio::join!(self.each(first), meanwhile);
        meanwhile + &first
    }

    async fn each(&self, calls: &str) -> String {
        let mut shown = String::new();
        for calls in calls.split("; ") {
            let at_once = calls.split(" & ").map(|call| self.one(call.trim()));
            shown += &join_all(at_once).await.concat();
        }
        shown
    }

    async fn one(&self, call: &str) -> String {
        let call = words(call);
        let done = self.call(&strs(&call)).await;
        done.unwrap_or_else(show_error) + "\n"
    }

    fn method(&self, name: &str) -> String {
        if name == "*" {
            name.into()
        } else {
            format!("{}{name}", self.calls.prefix())
        }
    }

    async fn call(&self, words: &[&str]) -> Result<String, AccountError> {
        let (world, calls) = (&self.world, &self.calls);
        match *words {
            ["other", ref words @ ..] => {
                let other = world.another_process();
                return Ok(calls.port(world, &other, words).await?.unwrap());
            }
            // Scopes by their last word.
            ["with", scopes, "alone", ref words @ ..] => {
                let scopes = scopes.split(',');
                let scopes = scopes.map(|scope| format!("https://www.googleapis.com/auth/{scope}"));
                let scopes: Vec<String> = scopes.collect();
                let narrow = world.consented_to(&strs(&scopes));
                return Ok(calls.port(world, &narrow, words).await?.unwrap());
            }
            ["fail", methods, times, ref words @ ..] => {
                for method in methods.split(',') {
                    let (method, times) = (self.method(method), times.parse().unwrap());
                    world.local().fail_next(&method, times, fault(words));
                }
            }
            ["calls", method] => return Ok(world.calls(&self.method(method)).to_string()),
            ["wait", seconds] => {
                let seconds = seconds.parse().unwrap();
                world.clock.advance(Duration::from_secs(seconds));
            }
            ["file", title, change] => {
                let id = &world.files(title)[0];
                match change {
                    "removed" => world.ana(|account| account.drive.remove(id)),
                    "elsewhere" => world.file(id, |file| file.by_app = false),
                    "trashed" => world.file(id, |file| file.trashed = true),
                    "read-only" => world.file(id, |file| file.editable = false),
                    "old" => world.file(id, |file| file.modified = jiff::Timestamp::UNIX_EPOCH),
                    _ => panic!("no change {change}"),
                }
            }
            ["files", title] => return Ok(world.files(title).len().to_string()),
            ["cost"] => return Ok(self.cost()),
            // Comparing thousands of calls with Google's descriptions takes most of the time.
            ["unchecked"] => world.local().observe(|_| {}),
            _ => {
                let done = calls.port(world, &world.google, words).await?;
                return Ok(done.unwrap_or_else(|| calls.inside(world, words)));
            }
        }
        Ok(String::new())
    }

    /// The calls and the bytes of answers since the last time.
    fn cost(&self) -> String {
        let now = self.world.local().call_counts();
        let mut counted = self.counted.lock().unwrap();
        let mut cost = String::new();
        for (method, count) in &now {
            let new = count - counted.get(method).copied().unwrap_or_default();
            if new > 0 {
                cost += &format!("{method} {new}, ");
            }
        }
        *counted = now;
        let bytes = self.bytes.swap(0, Ordering::Relaxed);
        format!("{cost}{} kB", bytes / 1_000)
    }
}

/// Equal neighbours are one line with their number. Of more than a dozen lines the first and the last are shown.
fn grouped(shown: &str) -> String {
    let lines: Vec<&str> = shown.lines().filter(|line| !line.is_empty()).collect();
    let groups = lines.chunk_by(|one, other| one == other);
    let groups: Vec<String> = groups
        .map(|group| match group {
            [one] => (*one).to_owned(),
            many => format!("{} ×{}", many[0], many.len()),
        })
        .collect();
    match groups.as_slice() {
        [first, rest @ .., last] if rest.len() > 10 => {
            format!("{first}\n… {} more\n{last}", rest.len())
        }
        groups => groups.join("\n"),
    }
}

/// Looks into the only file of a title, or changes it without the API. `None` if there is none.
pub fn content<T>(world: &World, title: &str, work: impl FnOnce(&mut Content) -> T) -> Option<T> {
    let ids = world.files(title);
    assert!(ids.len() < 2, "{ids:?}");
    let id = ids.first()?;
    Some(world.file(id, |file| work(&mut file.content)))
}

pub fn strs(words: &[String]) -> Vec<&str> {
    words.iter().map(String::as_str).collect()
}
