//! Stories: what people do, what the model answers, and what Slack shows then.
//!
//! `alfred_testkit::play` describes the files, `stories/*.txt`. A command is something that somebody does (`people.rs`, `places.rs`),
//! that happens (`faults.rs`), that is given (`accounts.rs`, `workers.rs`), or that is looked at (`facts.rs`). Its continuation lines
//! are further such commands, or the model's turns for this request: `→ TOOL {…} & TOOL {…}` or `→ : an answer`.
//!
//! Without facts after a `|`, a command shows what has changed on the screen since the command before.
//!
//! - `20 × after 1 min` does something twenty times.
//! - `scene` ends a preparation. `anew: COMMAND` plays it again in a fresh world before the command.
//! - `⏎` in a command is a line break, `«word ×3»` is repeated. `apr_1` in it is the id that was shown so.
//! - `otherwise : words` answers all requests that have no turns.
//!
//! `STORY=direct` plays one file, and `INSTA_UPDATE=always` writes what is shown now, for review.

mod accounts;
mod facts;
mod faults;
mod forms;
mod jobs;
mod people;
mod places;
mod screen;
mod script;
mod web;
mod workers;

use alfred_core::Envelope;
use alfred_core::ports::QueueName;
use alfred_testkit::play::{Interpreter, assert_reviewed, play};
use async_trait::async_trait;
use futures_util::future::BoxFuture;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::in_memory::world::World;
use accounts::Office;
use faults::CallCounts;
use places::Places;
use screen::{CHECKED, Screen};
use script::Script;
use workers::Crew;

#[tokio::test(flavor = "multi_thread")]
async fn stories_are_as_reviewed() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/in_memory/stories");
    let wanted = std::env::var("STORY").unwrap_or_default();
    let files = std::fs::read_dir(&folder).unwrap();
    let files = files.map(|entry| entry.unwrap().path());
    let files = files.filter(|path| path.to_string_lossy().contains(&wanted));
    // Servers of MCP are processes whose answers have a limit of time. Live messages are sent in the background.
    let is_alone = |path: &PathBuf| path.ends_with("mcp.txt") || path.ends_with("live.txt");
    let (alone, together): (Vec<_>, Vec<_>) = files.partition(is_alone);
    let is_unknown = alone.is_empty() && together.is_empty();
    assert!(!is_unknown, "no story is called {wanted}");
    let played: Vec<_> = together.into_iter().map(check).map(tokio::spawn).collect();
    for file in played {
        file.await.unwrap();
    }
    for file in alone {
        let played = tokio::task::spawn_blocking(|| in_one_thread(check(file)));
        played.await.unwrap();
    }
    let checked = CHECKED.load(Ordering::Relaxed);
    assert!(!wanted.is_empty() || checked > 5_000, "{checked} texts");
}

/// What runs in the background gets its turn in the same order each time.
fn in_one_thread(work: impl Future<Output = ()>) {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().build().unwrap().block_on(work)
}

async fn check(path: PathBuf) {
    let text = std::fs::read_to_string(&path).unwrap();
    let now = play(&text, Story::new).await;
    assert_reviewed(path.to_str().unwrap(), &text, &now);
}

pub struct Story {
    world: World,
    script: Arc<Script>,
    screen: Screen,
    /// The commands of this case so far.
    told: Vec<String>,
    /// How many of them belong to the scene.
    scene: usize,
    events: Vec<Envelope>,
    /// The number of commands before the last event, and of calls.
    last: Option<(usize, CallCounts)>,
    /// Where `faults from here` was told.
    faults_from: Option<(usize, CallCounts)>,
    /// The place in which somebody wrote last: a channel, and a thread's first message.
    thread: Option<(String, String)>,
    /// Calls that are to fail, and the number of the first one.
    planned: Vec<(&'static str, usize)>,
    /// Whether each turn and fault came in a world before `anew`.
    came: BTreeMap<String, bool>,
    /// Events that wait for `deliver`.
    held: Vec<Envelope>,
    /// Since the queue last forgot what it was sent.
    remembered: Duration,
    /// The number of forms that were opened.
    views: usize,
    office: Office,
    places: Places,
    crew: Crew,
}

/// A command: what is done, the model's turns, and the facts to show.
struct Step<'a> {
    acts: Vec<&'a str>,
    turns: Vec<&'a str>,
    facts: Option<&'a str>,
}

impl<'a> Step<'a> {
    /// Continuation lines begin with two spaces.
    fn parse(command: &'a str) -> Self {
        let (command, facts) = match command.rsplit_once(" | ") {
            Some((command, facts)) => (command, Some(facts)),
            None => (command, None),
        };
        let (turns, acts): (Vec<&str>, Vec<&str>) =
            command.split("  ").partition(|line| line.starts_with("→ "));
        let turns = turns.iter().map(|turn| &turn["→ ".len()..]).collect();
        Self { acts, turns, facts }
    }
}

#[async_trait]
impl Interpreter for Story {
    async fn perform(&mut self, command: &str) -> String {
        let shown = self.tell(command.to_owned()).await;
        self.told.push(command.to_owned());
        let left = self.left_statuses().await;
        assert!(left.is_empty(), "statuses of nothing that runs: {left:?}");
        shown
    }

    /// Fails a case with turns or faults that never came.
    async fn end(&mut self) {
        let came = self.came().into_iter();
        let never = came.filter(|(_, came)| !came);
        let never: Vec<String> = never.map(|(what, _)| what).collect();
        assert!(never.is_empty(), "never came: {never:#?}");
    }
}

impl Story {
    async fn new() -> Self {
        let script = Arc::new(Script::default());
        let world = World::new(script.clone().model()).await;
        script.clock.get_or_init(|| world.clock.clone());
        Self {
            world,
            script,
            screen: Screen::new(),
            told: Vec::new(),
            scene: 0,
            events: Vec::new(),
            last: None,
            faults_from: None,
            thread: None,
            planned: Vec::new(),
            came: BTreeMap::new(),
            held: Vec::new(),
            remembered: Duration::ZERO,
            views: 0,
            office: Office::default(),
            places: Places::default(),
            crew: Crew::default(),
        }
    }

    /// Boxed, because scenes and sweeps tell commands again.
    fn tell(&mut self, command: String) -> BoxFuture<'_, String> {
        Box::pin(async move {
            if let Some(command) = command.strip_prefix("anew: ") {
                let came = self.came();
                *self = self.told_again(self.scene).await;
                self.came = came;
                return self.tell(command.to_owned()).await;
            }
            if command == "scene" {
                self.scene = self.told.len();
                return String::new();
            }
            if let Some(sweep) = command.strip_prefix("the same with a fault at every ") {
                let (kind, facts) = sweep.split_once(": ").unwrap();
                return self.same_with_faults(kind, facts).await;
            }
            let command = repeated(&command.replace('⏎', "\n"));
            let step = Step::parse(&command);
            let written = step.acts.iter().map(|act| people::words(act));
            let words = written.max().unwrap_or_default();
            let turns = step.turns.iter().map(|turn| self.screen.unmask(turn));
            self.script.expect(&words, &turns.collect::<Vec<_>>());
            let mut facts = step.facts.unwrap_or_default().to_owned();
            for act in &step.acts {
                if !self.act(act).await {
                    let is_first = facts.is_empty();
                    assert!(is_first, "two lines of facts: {facts:?} and {act:?}");
                    facts = (*act).to_owned();
                }
            }
            let mut shown = self.screen.changes(&self.world).await;
            let commands = self.told.iter().chain([&command]);
            let by_people: String = commands.map(|told| words_of_people(told)).collect();
            self.screen.nothing_internal_was_shown(&by_people);
            if !facts.is_empty() {
                shown = self.facts(&facts).await;
            }
            let dead = self.screen.dead_letters(&self.world);
            let moments = self.world.chat.take_moments().into_iter();
            let shown = moments.chain([shown]).chain(dead);
            let shown = shown.filter(|text| !text.is_empty());
            shown.collect::<Vec<_>>().join("\n")
        })
    }

    /// False if it is no act but a fact.
    fn act<'a>(&'a mut self, act: &'a str) -> BoxFuture<'a, bool> {
        Box::pin(async move {
            let repeated = act.split_once(" × ");
            let Some((times, act)) = repeated else {
                let is_done = self.works(act).await
                    || self.gives(act).await
                    || self.schedules(act).await
                    || self.happens(act).await
                    || self.surrounds(act).await;
                if !is_done {
                    self.employ().await;
                    return self.person_does(act).await;
                }
                return true;
            };
            for _ in 0..times.parse::<u32>().unwrap() {
                assert!(self.act(act).await, "no command {act:?}");
            }
            true
        })
    }

    /// The statuses that are shown although nothing runs. Without any in cases in which Slack refuses a status, or
    /// a message, since it takes no status where Alfred may not write.
    async fn left_statuses(&self) -> Vec<String> {
        let mut planned = self.planned.iter();
        let has_failed = planned.any(|(call, _)| ["chat.set_status", "chat.post"].contains(call));
        if has_failed || self.world.is_at_work(self.screen.users()).await {
            return Vec::new();
        }
        let mut shown = BTreeMap::new();
        for (channel, thread, status) in self.world.chat.statuses() {
            shown.insert((channel, thread), status);
        }
        shown.retain(|_, status| !status.is_empty());
        shown.into_values().collect()
    }

    /// Whether each turn of the model and each fault came, in this world or one before `anew`.
    fn came(&self) -> BTreeMap<String, bool> {
        let mut came = self.came.clone();
        for (what, is_met) in self.script.taken().into_iter().chain(self.met_faults()) {
            *came.entry(what).or_default() |= is_met;
        }
        came
    }

    fn remember(&mut self, event: &Envelope) {
        let counts = CallCounts::of(&self.world);
        self.last = Some((self.told.len(), counts));
        self.events.push(event.clone());
    }

    /// Delivers an event and everything that follows.
    async fn deliver(&mut self, event: Envelope) {
        self.remember(&event);
        let world = &mut self.world;
        world.deliver_until_done(QueueName::Ingress, event).await;
        world.drain().await;
    }

    /// A fresh story in which the first commands were told.
    async fn told_again(&self, count: usize) -> Self {
        let mut story = Self::new().await;
        story.scene = self.scene;
        for command in &self.told[..count] {
            story.perform(command).await;
        }
        story
    }
}

/// A command without the calls of the model: what people, mails and the model say in it.
fn words_of_people(command: &str) -> String {
    let is_call = |part: &&str| part.starts_with("→ ") && !part.starts_with("→ :");
    command.split("  ").filter(|part| !is_call(part)).collect()
}

/// A text with `word` three times for `«word ×3»`.
fn repeated(text: &str) -> String {
    let found = text.split_once('«').and_then(|(before, rest)| {
        let (part, after) = rest.split_once('»')?;
        let (word, times) = part.rsplit_once(" ×")?;
        let word = word.repeat(times.parse().ok()?);
        Some(format!("{before}{word}{}", repeated(after)))
    });
    found.unwrap_or_else(|| text.to_owned())
}
