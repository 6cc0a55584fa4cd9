//! Audit entries of a request, the daily digests, and verification.

use alfred_agent::store::audit::Entry;
use alfred_audit::digest::{self, Digest};
use alfred_audit::read;
use alfred_audit::verify::{By, Finding};
use alfred_audit::whole::{Scope, Verified, verify};
use alfred_core::digest::sha256_hex;
use alfred_core::ports::{ChatError, Clock, Commit, Store, SystemIds, Vault, Write};
use alfred_core::{Progress, RunId, keys};
use alfred_testkit::{MemoryStore, When, unavailable};
use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use std::sync::Arc;

use crate::in_memory::approvals::sending;
use crate::in_memory::world::{World, team};

const KEPT: SignedDuration = SignedDuration::from_hours(24 * 400);

fn at(world: &World, when: &str) {
    world.clock.set(when.parse::<Timestamp>().unwrap());
}

async fn swept(world: &mut World, when: &str) {
    at(world, when);
    world.sweep().await;
}

fn day(text: &str) -> Date {
    text.parse().unwrap()
}

/// Ana asks for a message to Ben and approves it.
pub async fn approved() -> (World, RunId) {
    let mut world = sending().await;
    at(&world, "2026-11-21T10:00:00Z");
    let approval = world.asked("Ask Ben for lunch").await;
    world.decide(&approval, "approval_approve").await;
    let run = approval.run.clone();
    (world, run)
}

async fn chain(world: &World, run: &RunId) -> Vec<(String, Value)> {
    read::chain(&*world.store, &team(), run).await.unwrap()
}

async fn verified(world: &World) -> Verified {
    verified_on(world, &world.store).await
}

async fn verified_on(world: &World, store: &MemoryStore) -> Verified {
    counted(world, store, &Progress::default()).await
}

/// Verifies everything and reports to `progress`.
pub async fn counted(world: &World, store: &dyn Store, progress: &Progress) -> Verified {
    let scope = Scope {
        store,
        vault: &*world.vault,
        team: &team(),
        now: world.clock.now(),
        keep: KEPT,
    };
    verify(&scope, progress).await.unwrap()
}

async fn locked(world: &World, day: Date) -> Option<Digest> {
    let bytes = world.vault.read(&digest::name(&team(), day)).await;
    let bytes = bytes.unwrap()?;
    let records = digest::records(&*world.store, &team()).await.unwrap();
    let record = records.iter().find(|(of, _)| *of == day).unwrap();
    assert_eq!(record.1.sha256, sha256_hex(&bytes));
    Some(serde_json::from_slice(&bytes).unwrap())
}

async fn heads(world: &World, date: &str) -> usize {
    locked(world, day(date)).await.unwrap().heads.len()
}

/// A copy of the store in which `change` altered a run's entries and the run's row is missing.
async fn tampered(
    world: &World,
    run: &RunId,
    change: impl FnOnce(&mut Vec<(String, Value)>),
) -> MemoryStore {
    let other = MemoryStore::new(Arc::new(world.clock.clone()));
    let mut entries = chain(world, run).await;
    change(&mut entries);
    let mut writes: Vec<Write> = Vec::new();
    for (range, body) in entries {
        let seq = range.parse().unwrap();
        let key = alfred_core::keys::audit(&team(), run, seq);
        writes.push(Write::create(key, body));
    }
    for (day, record) in digest::records(&*world.store, &team()).await.unwrap() {
        let key = alfred_core::keys::audit_digest(&team(), day);
        writes.push(Write::create(key, serde_json::to_value(record).unwrap()));
    }
    let commit = Commit::new(&SystemIds, writes);
    other.commit(&commit).await.unwrap();
    other
}

#[tokio::test]
async fn what_was_asked_decided_and_done_is_one_chain() {
    let (world, run) = approved().await;
    let chain = chain(&world, &run).await.into_iter();
    let entries = chain.map(|(_, body)| serde_json::from_value(body).unwrap());
    let entries: Vec<Entry> = entries.collect();
    let what: Vec<&str> = entries.iter().map(|entry| entry.what.as_str()).collect();
    let story = "approval.asked approval.decided effect.begun slack_sendMessage reply";
    assert_eq!(what.join(" "), story);
    for entry in &entries {
        assert_eq!(entry.for_whom.as_str(), "U1");
        let text = serde_json::to_string(entry).unwrap();
        assert!(!text.contains("noon"), "a body in the audit: {text}");
    }
    let verified = verified(&world).await;
    assert_eq!((verified.runs, verified.entries), (1, 5));
    assert_eq!(verified.findings, []);
}

#[tokio::test]
async fn a_day_is_locked_once_it_is_over_and_only_once() {
    let (mut world, run) = approved().await;
    swept(&mut world, "2026-11-22T00:14:00Z").await;
    assert_eq!(world.vault.names(), ["T1/2026-11-20.json"], "not over yet");
    swept(&mut world, "2026-11-22T00:16:00Z").await;
    let first = locked(&world, day("2026-11-21")).await.unwrap();
    assert_eq!(first.heads.len(), 1);
    let last = chain(&world, &run).await.pop().unwrap().1;
    assert_eq!((first.heads[0].count, first.heads[0].run.clone()), (5, run));
    assert_eq!(first.heads[0].hash, last["hash"]);
    let bytes = world.vault.read("T1/2026-11-21.json").await.unwrap();
    let canonical = alfred_core::digest::canonical_json(&first).unwrap();
    assert_eq!(bytes, Some(canonical.into_bytes()));
    world.sweep().await;
    assert_eq!(world.vault.names().len(), 2);
    let found = verified(&world).await;
    assert_eq!(found.digests, 2);
    assert_eq!(found.findings, []);
}

#[tokio::test]
async fn missed_days_are_caught_up_and_quiet_ones_have_a_digest_too() {
    let (mut world, _) = approved().await;
    world.sweep().await;
    swept(&mut world, "2027-01-05T12:00:00Z").await;
    assert_eq!(world.vault.names().len(), 1 + 31, "a month at once");
    world.sweep().await;
    assert_eq!(world.vault.names().len(), 46, "20 November to 4 January");
    assert_eq!(heads(&world, "2026-11-21").await, 1);
    assert_eq!(heads(&world, "2026-12-24").await, 0);
    assert_eq!(verified(&world).await.findings, []);
}

#[tokio::test]
async fn a_digest_is_whole_wherever_the_sweep_dies() {
    let (mut world, _) = approved().await;
    world.sweep().await;
    at(&world, "2026-11-23T01:00:00Z");
    let before = world.faults.calls("store.");
    let mut faults = 0;
    for when in [When::Before, When::After] {
        for call in ["store.commit", "store.get", "store.query"] {
            world.faults.fail_next(call, when, unavailable());
            faults += 1;
        }
    }
    world.vault.lose_answer();
    let detail = "no network".into();
    let unsent = ChatError::NotSent { detail };
    world.faults.fail_next("chat.team", When::Before, unsent);
    for _ in 0..faults + 2 {
        world.sweep().await;
    }
    assert!(world.dead.is_empty(), "{:?}", world.dead);
    assert!(world.faults.calls("store.") > before);
    for of in ["2026-11-21", "2026-11-22"] {
        assert!(locked(&world, day(of)).await.is_some(), "{of}");
    }
    assert_eq!(verified(&world).await.findings, []);
}

#[tokio::test]
async fn what_is_locked_counts_even_if_a_head_came_late() {
    let (mut world, _) = approved().await;
    world.sweep().await;
    at(&world, "2026-11-22T01:00:00Z");
    // An earlier attempt crashed between vault and store, before any head existed.
    let early = Digest {
        v: 1,
        team: team(),
        day: day("2026-11-21"),
        heads: vec![],
    };
    let early = alfred_core::digest::canonical_json(&early).unwrap();
    let locked = world.vault.lock("T1/2026-11-21.json", early.as_bytes());
    locked.await.unwrap();
    world.sweep().await;
    assert_eq!(heads(&world, "2026-11-21").await, 0);
    assert_eq!(verified(&world).await.findings, []);
}

#[tokio::test]
async fn whoever_rewrites_the_table_is_betrayed_by_the_digest() {
    let (mut world, run) = approved().await;
    swept(&mut world, "2026-11-22T01:00:00Z").await;
    let by = By::Digest(day("2026-11-21"));
    let cut = |left| Finding::CutOff {
        run: run.clone(),
        left,
        written: 5,
        by,
    };
    let gone = tampered(&world, &run, Vec::clear).await;
    let findings = verified_on(&world, &gone).await.findings;
    assert_eq!(findings, [cut(0)], "a whole run");
    let shorter = tampered(&world, &run, |entries| entries.truncate(3)).await;
    assert_eq!(verified_on(&world, &shorter).await.findings, [cut(3)]);
    // Recomputes every hash after the change.
    let forged = tampered(&world, &run, |entries| {
        let mut before = String::new();
        for (_, body) in entries {
            let mut entry: Entry = serde_json::from_value(body.clone()).unwrap();
            entry.who = "somebody".into();
            entry.before.clone_from(&before);
            entry.hash.clear();
            entry.hash = entry.computed_hash().unwrap();
            before.clone_from(&entry.hash);
            *body = serde_json::to_value(entry).unwrap();
        }
    });
    let changed = Finding::Changed {
        run: run.clone(),
        seq: 5,
        by,
    };
    assert_eq!(verified_on(&world, &forged.await).await.findings, [changed]);
}

#[tokio::test]
async fn an_unreadable_row_hides_no_other_finding() {
    let (mut world, run) = approved().await;
    swept(&mut world, "2026-11-22T01:00:00Z").await;
    let row = keys::run(&team(), &run);
    let damaged = Write::put(row, None, json!({"id": 7}));
    world.write(vec![damaged]).await;
    world.vault.tamper("T1/2026-11-21.json", None);
    let findings = verified(&world).await.findings;
    let day = day("2026-11-21");
    let missing = Finding::DigestMissing { day };
    assert!(findings.contains(&missing), "{findings:?}");
    let row = format!("the row of {run}");
    let unreadable = Finding::Unreadable { row };
    assert!(findings.contains(&unreadable), "{findings:?}");
}

#[tokio::test]
async fn a_digest_that_is_gone_or_another_is_found() {
    let (mut world, _) = approved().await;
    world.sweep().await;
    swept(&mut world, "2026-11-23T01:00:00Z").await;
    assert_eq!(verified(&world).await.findings, []);
    let day = day("2026-11-22");
    let changed = Finding::DigestChanged { day };
    let missing = Finding::DigestMissing { day };
    for (left, finding) in [(Some(b"{}".to_vec()), changed), (None, missing)] {
        world.vault.tamper("T1/2026-11-22.json", left);
        assert_eq!(verified(&world).await.findings, [finding]);
    }
}

#[tokio::test]
async fn entries_whose_time_is_over_are_not_missed() {
    let (mut world, _) = approved().await;
    swept(&mut world, "2026-11-22T01:00:00Z").await;
    at(&world, "2027-12-26T10:00:01Z");
    assert_eq!(verified(&world).await.findings, []);
}
