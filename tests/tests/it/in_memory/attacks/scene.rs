//! The workspace of an attack file. Everybody the file names can be reached.

use alfred_agent::model::Snapshot;
use alfred_agent::store::users;
use alfred_core::policy::{Mode, Policy, Setting};
use alfred_core::ports::{ChatChannel, Clock, Query, Range, Store};
use alfred_core::{Role, User, UserId, keys};
use alfred_schedule::{StoredJob, row};
use alfred_tests::{person, register};
use alfred_workers::Registry;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

use super::doors::{self, Door};
use super::file::{Attack, Channel, Request, Said};
use super::held;
use super::look::Look;
use super::model::{Order, READER, Unshown, obeying};
use super::names::{channels, profiles, tokens};
use super::office::Office;
use super::pages;
use super::slack;
use super::tools::{self, Log, Shield};
use crate::in_memory::world::{World, team};

pub const OWNER: &str = "U0ANA";
/// The channel that posting to the owner's id opens.
pub const OWN_DM: &str = "D0ANA";
pub const CHANNEL: &str = "C0TEAM1";

pub struct Scene {
    pub attack: Attack,
    pub shield: Shield,
    workers: Snapshot,
    pub world: World,
    pub log: Log,
    pub unshown: Unshown,
    /// Everybody's rows before the attack.
    pub people: BTreeMap<UserId, User>,
    /// Tasks and blocks by id, before the attack.
    pub stored: BTreeMap<String, Value>,
    /// The thread that existed before, if the file has one.
    pub thread: Option<String>,
    /// Further threads, by their names in the file.
    threads: BTreeMap<String, String>,
    pub office: Option<Office>,
    pub looks: Vec<Look>,
}

impl Scene {
    pub async fn new(attack: Attack, shield: Shield, order: Order) -> Self {
        let (log, unshown) = (Log::default(), Unshown::default());
        let world = World::new(obeying(&attack, order, &unshown)).await;
        let workers = workers(&attack, order).await;
        let mut scene = Self {
            attack,
            shield,
            workers,
            world,
            log,
            unshown,
            people: BTreeMap::new(),
            stored: BTreeMap::new(),
            thread: None,
            threads: BTreeMap::new(),
            office: None,
            looks: Vec::new(),
        };
        let morning = "2025-06-10T06:30:00Z".parse().unwrap();
        scene.world.clock.set(morning);
        scene.world.owner = OWNER.into();
        let web = pages::web(&scene.attack);
        scene.world.change_ports(|ports| ports.web = web);
        scene.office = Office::open(&scene.attack, &mut scene.world).await;
        scene.configure();
        scene.people_and_channels().await;
        let rows = held::rows(&scene.attack, scene.world.clock.now());
        if !rows.is_empty() {
            scene.world.write(rows).await;
        }
        if order == Order::Through(Door::File) {
            doors::store(&scene.world, &scene.attack, shield).await;
        }
        scene.thread = scene.said_before();
        scene.people = scene.people_now().await;
        scene.stored = scene.stored_now().await;
        scene
    }

    /// Gives the worker its tools, and configures the gate by the shield.
    pub fn configure(&mut self) {
        let tools = tools::all(&self.attack, self.shield, &self.log);
        if self.shield != Shield::Whole {
            let names = tools.iter().map(|tool| tool.def().name.to_string());
            let policy = Policy {
                mode: Mode::ApproveAll,
                tools: names.map(|name| (name, Setting::PreApproved)).collect(),
                ..Policy::default()
            };
            self.world.reconfigure(|config| config.policy = policy);
        }
        let mut registry = Registry::of(&tools);
        let mcp = alfred_workers::mcp::toolset(alfred_workers::mcp::Host::one_machine());
        registry.register(alfred_workers::mcp::NAME, mcp).unwrap();
        let program = alfred_workers::program(&self.workers, &registry).unwrap();
        self.world.employ(program);
    }

    /// Registers everybody the file names and opens every channel to Alfred.
    async fn people_and_channels(&mut self) {
        let mut ids = tokens(&self.attack.text, "U0");
        ids.extend(["U0ANA", "U0BEN", "U0CHIYO"].map(str::to_owned));
        let profiles = profiles(&self.attack);
        for id in ids {
            let mut name = id[2..].to_lowercase();
            name[..1].make_ascii_uppercase();
            let role = match id.as_str() {
                OWNER => Role::Admin,
                "U0CHIYO" => Role::Guest,
                _ => Role::Member,
            };
            let mut user = person(&id, &name, role, self.world.clock.now());
            user.email = format!("{}@demo.example", user.slack_username);
            if let Some(profile) = profiles.get(&id) {
                let field = |field: &str| profile[field].as_str().map(str::to_owned);
                user.email = field("email").unwrap_or(user.email);
                user.name = field("name").unwrap_or(user.name);
            }
            register(&*self.world.store, &*self.world.ports.ids, &user).await;
        }
        for (id, name) in channels(&self.attack) {
            let kind = match id.as_str() {
                CHANNEL => self.attack.channel,
                _ => Channel::Public,
            };
            if kind == Channel::Group {
                continue;
            }
            let channel = ChatChannel {
                id: id.as_str().into(),
                name,
                is_private: kind == Channel::Private,
                is_member: true,
            };
            let speak: Vec<UserId> = self.attack.thread.iter().map(speaker).collect();
            let members = speak.iter().map(UserId::as_str).chain([OWNER]);
            let members: Vec<&str> = members.collect();
            self.world.chat.add_channel(channel, &members);
        }
    }

    fn said_before(&self) -> Option<String> {
        let mut first: Option<String> = None;
        for said in &self.attack.thread {
            let user = speaker(said);
            let (chat, thread) = (&self.world.chat, first.as_deref());
            let at = chat.say(&CHANNEL.into(), thread, &user, &said.text);
            first.get_or_insert(at);
            self.world.clock.advance(Duration::from_secs(1));
        }
        first
    }

    fn place(&mut self, at: &str) -> (&'static str, Option<String>) {
        let channel = match (at, &self.thread) {
            ("", Some(thread)) => return (CHANNEL, Some(thread.clone())),
            (at, _) if at.starts_with("team") => CHANNEL,
            _ => OWN_DM,
        };
        let Some((_, name)) = at.split_once('/') else {
            return (channel, None);
        };
        let root = || {
            let chat = &self.world.chat;
            let said = chat.say(&channel.into(), None, &OWNER.into(), name);
            self.world.clock.advance(Duration::from_secs(1));
            said
        };
        let root = self.threads.entry(at.to_owned()).or_insert_with(root);
        (channel, Some(root.clone()))
    }

    async fn ask(&mut self, request: &Request) {
        self.world.clock.advance(Duration::from_secs(30));
        let (channel, thread) = self.place(&request.at);
        let mut event = slack::event(self.attack.channel, channel, &request.ask);
        event["ts"] = format!("{}.000999", self.world.clock.now().as_second()).into();
        event["user"] = OWNER.into();
        if let Some(thread) = thread {
            event["thread_ts"] = thread.into();
        }
        for (name, value) in &request.with {
            event[name] = value.clone();
        }
        slack::deliver(&self.world, &event).await;
        self.world.drain().await;
    }

    async fn pass(&mut self, minutes: u32) {
        for _ in 0..minutes {
            self.world.queue.forget_dedup();
            self.world.sweep().await;
            self.world.clock.advance(Duration::from_secs(60));
        }
    }

    /// Plays the requests in order. The owner looks at every card and approves only those the file says.
    /// Then time passes until all waiting cards expire.
    pub async fn play(&mut self) {
        for request in self.attack.requests.clone() {
            self.pass(request.after).await;
            self.ask(&request).await;
            self.look_at_cards(request.approves).await;
        }
        // With one call per turn, cards expire one after the other.
        for _ in 0..8 {
            self.world.clock.advance(Duration::from_secs(3_601));
            self.world.queue.forget_dedup();
            self.world.sweep().await;
            self.look_at_cards(false).await;
        }
        self.world.settle().await;
        assert!(self.world.dead.is_empty(), "{:?}", self.world.dead);
    }

    pub async fn people_now(&self) -> BTreeMap<UserId, User> {
        let listed = users::list(&*self.world.ports.store, &team()).await;
        let rows = listed.unwrap().into_iter().map(|row| row.user);
        rows.map(|user| (user.slack_user_id.clone(), user))
            .collect()
    }

    pub async fn stored_now(&self) -> BTreeMap<String, Value> {
        let store = self.world.store.clone();
        let tasks = Query::state(keys::tasks(&team(), &OWNER.into()), Range::All);
        let tasks = store.query(&tasks).await.unwrap().items.into_iter();
        let mut found: Vec<Value> = tasks.map(|item| item.body).collect();
        for day in 9..=16 {
            let date = jiff::civil::date(2025, 6, day);
            let key = keys::day(&team(), &OWNER.into(), date);
            if let Some(item) = store.get(&key).await.unwrap() {
                found.extend(item.body["blocks"].as_array().cloned().unwrap());
            }
        }
        let jobs = row::list(&*store, &team(), &OWNER.into()).await.unwrap();
        found.extend(jobs.into_iter().map(|StoredJob { job, .. }| {
            let tainted = !job.taint.untrusted.is_empty();
            json!({"id": job.id, "title": job.name, "description": job.does, "tainted": tainted})
        }));
        let found = found.into_iter();
        let named = found.map(|body| (body["id"].as_str().unwrap().to_owned(), body));
        named.collect()
    }
}

/// The utility worker with all tools, and the worker or door that reads for it.
async fn workers(attack: &Attack, order: Order) -> Snapshot {
    let text = alfred_workers::programs::worker("alfred/utility").unwrap();
    let text = text.replace("toolsets:\n", "toolsets:\n  mail: {}\n  document: {}\n");
    let (front, _) = text.rsplit_once("---\n").unwrap();
    let reader = front.replace("name: utility", "name: reader") + "---\n" + READER;
    let calling = "toolsets:\n  workers: {allowed_workers: [reader]}\n";
    let calls = text.replace("toolsets:\n", calling);
    match order {
        Order::ThroughAnother => Snapshot::of("", [("utility", &*calls), ("reader", &*reader)]),
        Order::Together | Order::OneByOne => Snapshot::of("", [("utility", &*text)]),
        Order::Through(door) => door.open(&text, attack).await,
    }
}

/// The user who wrote a message of the file's thread.
fn speaker(said: &Said) -> UserId {
    let id = tokens(&said.from, "U0").into_iter().next();
    let name = said.from.split([' ', '\'']).next().unwrap().to_uppercase();
    UserId::from(id.unwrap_or(format!("U0{name}")).as_str())
}
