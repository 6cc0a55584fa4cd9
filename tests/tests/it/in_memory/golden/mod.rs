//! Golden requests for every team. The workers follow scripts, and code judges the outcome. The single worker gets
//! the same requests, to compare the cost.

mod marketing;
mod requests;
mod script;

use alfred_agent::Run;
use alfred_agent::store::audit::Entry;
use alfred_audit::read;
use alfred_core::contract::FinalStatus;
use alfred_core::ports::{
    Cell, Domains, Found, FoundPage, ModelError, Output, PageError, Pages, Search, SearchError,
    Turn, TurnRequest, Web, WebPage,
};
use alfred_core::{Role, Source, keys};
use alfred_google_local::drive::File;
use alfred_testkit::conformance::mail::mails;
use alfred_testkit::{MemoryMail, ScriptedModel, calls, says};
use alfred_workers::WorkerFile;
use async_trait::async_trait;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::in_memory::accounts::ana;
use crate::in_memory::approvals::waiting;
use crate::in_memory::documents::notes;
use crate::in_memory::model::call;
use crate::in_memory::prompt_size::tokens;
use crate::in_memory::world::{World, dm, team};
use alfred_agent::model::Snapshot;
use alfred_agent::slack::card::action;
use alfred_core::ports::{Message, Store, Write};
use requests::{GOLDEN, Golden};
use script::*;

struct Office {
    world: World,
    mail: Arc<MemoryMail>,
}

async fn office(model: ScriptedModel) -> Office {
    let mut world = World::new(model).await;
    world.register("U2", "Ben", Role::Member).await;
    let mail = world.has_mails(mails());
    world.has_events(vec![], &[("ben@example.com", &[])]);
    let row = |cells: &str| cells.split(' ').map(Cell::typed).collect::<Vec<_>>();
    let rows = Vec::from(["Oak 0.1 3", "Ash 0.2 7", "Elm 1012.35 2"].map(row));
    let modified = "2026-11-19T08:00:00Z".parse().unwrap();
    let sales = File::sheet("Sales", modified, [("Spring", rows)]);
    let files = vec![("d1".into(), notes()), ("s2".into(), sales)];
    world.has_files(files).await;
    let (search, pages) = (Arc::new(Played), Arc::new(Played));
    world.change_ports(|ports| ports.web = Web { search, pages });
    Office { world, mail }
}

/// Approves every card; returns the asking workers as `team › worker`.
async fn approved(world: &mut World) -> Vec<String> {
    let mut asked = Vec::new();
    loop {
        let open = waiting(world).await;
        let Some(one) = open.first() else {
            return asked;
        };
        asked.push(one.path.join(" › "));
        let card = world.chat.posted().pop();
        let card = card.map(|card| alfred_tests::shown(&card.text, &card.blocks));
        let named =
            one.path.is_empty() || card.is_some_and(|card| card.contains(&one.path.join(" › ")));
        assert!(named, "the card says who asks");
        world.decide(one, action::APPROVE).await;
    }
}

async fn team_run(world: &World) -> (Run, Vec<String>) {
    let runs = world.runs().await;
    let run = runs.into_iter().find(|run| run.parent.is_some()).unwrap();
    let chain = read::chain(&*world.store, &team(), &run.id).await.unwrap();
    let entries = chain.into_iter();
    let entries = entries.map(|(_, body)| serde_json::from_value::<Entry>(body).unwrap());
    (run, entries.map(|entry| entry.who).collect())
}

/// Blocks of the next days as (day, start, end).
async fn blocks(world: &World) -> Vec<(String, String, String)> {
    let mut found = Vec::new();
    for day in 21..30 {
        let date = jiff::civil::date(2026, 11, day);
        let key = keys::day(&team(), &"U1".into(), date);
        let row = world.store.get(&key).await.unwrap();
        let Some(row) = row else { continue };
        for block in row.body["blocks"].as_array().unwrap() {
            let at = |field: &str| block[field].as_str().unwrap().to_owned();
            found.push((date.to_string(), at("start"), at("end")));
        }
    }
    found
}

#[derive(Default)]
struct Cost {
    turns: usize,
    tokens: usize,
}

impl Cost {
    fn add(&mut self, world: &World) {
        let sent = world.model.requests();
        self.turns += sent.len();
        self.tokens += sent.iter().map(tokens).sum::<usize>();
    }

    fn stays_within(&self, turns: usize, tokens: usize) {
        assert!(self.turns <= turns, "{} turns, {turns} allowed", self.turns);
        let used = self.tokens;
        assert!(used <= tokens, "{used} tokens, {tokens} allowed");
    }
}

async fn judged(golden: &'static Golden, cost: &mut Cost) {
    let what = golden.asks;
    let mut office = office(model(golden, true)).await;
    office.world.ask(dm("U1", "1.1", golden.asks)).await;
    let asked = approved(&mut office.world).await;
    office.world.settle().await;
    let world = &office.world;
    let (run, who) = team_run(world).await;
    let output = run.output().unwrap();
    let status = output.final_status;
    assert_eq!(status, Some(FinalStatus::Completed), "{what}: {output:?}");
    let workers = golden.asks_as.iter();
    let cards = workers.map(|worker| format!("{} › {worker}", golden.team));
    let cards: Vec<String> = cards.collect();
    assert_eq!(asked, cards, "{what}");
    for (worker, _) in golden.parts {
        let path = format!("{}/{worker}", golden.team);
        assert!(who.contains(&path), "{what}: {path} in {who:?}");
    }
    let said = world.said().pop().unwrap();
    for words in golden.says {
        assert!(said.contains(words), "{what}: {words} in {said}");
    }
    let posted = world.chat.posted();
    let to_ben = posted.iter().filter(|kept| kept.channel.as_str() == "D2");
    let left = office.mail.sent(&ana()).len() + to_ben.count();
    assert_eq!(left, golden.sends, "{what}: what left");
    let blocks = blocks(world).await;
    assert_eq!(blocks.len(), golden.blocks, "{what}: {blocks:?}");
    for (at, one) in blocks.iter().enumerate() {
        let overlaps = |other: &&(String, String, String)| {
            one.0 == other.0 && one.1 < other.2 && other.1 < one.2
        };
        assert_eq!(blocks[at + 1..].iter().find(overlaps), None, "{what}");
    }
    cited(golden, &said);
    cost.add(world);
}

/// Every citation links to a found page and is listed once. No marks remain.
fn cited(golden: &Golden, said: &str) {
    let what = golden.asks;
    assert!(!said.contains("[s"), "{what}: {said}");
    let list = said.split_once("*Sources*").map_or("", |(_, list)| list);
    for (url, cited) in PAGES.iter().zip(golden.cites) {
        let listed = list.matches(url).count();
        assert_eq!(listed, usize::from(cited), "{what}: {url} in {said}");
    }
}

async fn by_one(golden: &'static Golden, cost: &mut Cost) {
    let mut office = office(model(golden, false)).await;
    office.world.ask(dm("U1", "1.1", golden.asks)).await;
    approved(&mut office.world).await;
    office.world.settle().await;
    cost.add(&office.world);
}

/// The ten requests of a team take eight turns each, and at most a fifth more tokens than the single worker.
#[tokio::test]
async fn each_team_does_its_golden_requests() {
    for team in ["communications", "research", "scheduling", "data"] {
        let (mut ours, mut single) = (Cost::default(), Cost::default());
        let own = GOLDEN.iter().filter(|golden| golden.team == team);
        assert_eq!(own.clone().count(), 10, "{team}");
        for golden in own {
            judged(golden, &mut ours).await;
            by_one(golden, &mut single).await;
        }
        println!("{team}: {} turns, {} tokens", ours.turns, ours.tokens);
        ours.stays_within(8 * 10, single.tokens * 12 / 10);
    }
}

/// The teams of another release: same workers, other instructions.
fn other_release() -> BTreeMap<String, Snapshot> {
    let front = "---\nname: manager\ntoolsets: {workers: {allowed_workers: [correspondent]}}\n---\nNew words.";
    let other = "---\nname: correspondent\ntoolsets: {slack: {}, user: {}}\n---\nNew words.";
    let files = [
        ("communications/manager", front),
        ("communications/correspondent", other),
    ];
    let snapshot = Snapshot::of("communications", files);
    BTreeMap::from([("communications".to_owned(), snapshot)])
}

#[tokio::test]
async fn a_run_that_waited_goes_on_with_the_files_it_began_with() {
    const GOLDEN: Golden = Golden {
        parts: &[("correspondent", &[requests::TELL_BEN, ": Told Ben."])],
        ..requests::COMMUNICATIONS
    };
    // Runs of older releases kept no snapshot and use the current files.
    for (kept, expected) in [(true, 0), (false, 1)] {
        let model = ScriptedModel::answering(|request| {
            let new = matches!(&request.messages[0], Message::System { text } if text.starts_with("New words."));
            Ok(match &request.output {
                Output::Json { name, .. } if *name == "predicate" => says("{\"result\": true}"),
                Output::Json { .. } => plan("communications", "tell Ben", -1),
                Output::Text if new => says("Told Ben."),
                Output::Text => {
                    of_team(&GOLDEN, &asked("communications", request).unwrap(), request)
                }
            })
        });
        let mut world = office(model).await.world;
        let asked = world.asked("tell Ben").await;
        let (run, _) = team_run(&world).await;
        if !kept {
            let row = keys::program(&team(), &run.id);
            world.write(vec![Write::delete(row, None)]).await;
        }
        world.found(other_release());
        world.clock.advance(Duration::from_secs(600));
        world.decide(&asked, action::APPROVE).await;
        world.settle().await;
        assert!(team_run(&world).await.0.output().unwrap().success);
        let sent = world.model.requests();
        let new = |request: &&TurnRequest| matches!(&request.messages[0], Message::System { text } if text.starts_with("New words."));
        assert_eq!(sent.iter().filter(new).count(), expected);
    }
}
