//! Tampered chains, written directly into a store without checks.

use alfred_agent::store::audit::{AUDIT_VERSION, Decision, Entry};
use alfred_core::digest::{canonical_json, sha256_hex};
use alfred_core::ports::{Commit, Store, SystemClock, SystemIds, Write};
use alfred_core::{RunId, TeamId, keys};
use alfred_testkit::MemoryStore;
use jiff::Timestamp;
use serde_json::{Value, json};
use std::sync::Arc;

use crate::verify::{By, Chain, End, Finding, check};
use proptest::prelude::*;

const RUN: &str = "run_019abc";

fn run() -> RunId {
    RUN.into()
}

/// An intact chain as stored.
fn honest(n: u32) -> Vec<Value> {
    let mut before = String::new();
    let entries = (1..=n).map(|seq| {
        let mut entry = Entry {
            v: AUDIT_VERSION,
            seq,
            run: run(),
            trace_id: "0123".into(),
            team: "T1".into(),
            who: "utility".into(),
            for_whom: "U1".into(),
            what: "slack_sendMessage".into(),
            resource: format!("D7 {seq} \"é\u{1}\u{7f}\\"),
            decision: Some(Decision::NotNeeded),
            success: seq % 2 == 0,
            error_type: None,
            digest: Some("ab".repeat(32)),
            at: Timestamp::from_second(1_764_000_000 + i64::from(seq)).unwrap(),
            before: before.clone(),
            hash: String::new(),
        };
        let canonical = canonical_json(&entry).unwrap();
        entry.hash = entry.computed_hash().unwrap();
        assert_eq!(entry.hash, sha256_hex(canonical.as_bytes()));
        before.clone_from(&entry.hash);
        serde_json::to_value(&entry).unwrap()
    });
    entries.collect()
}

/// The end of a chain according to a source.
fn end(chain: &[Value], by: By) -> End {
    End {
        by,
        count: u32::try_from(chain.len()).unwrap(),
        hash: chain.last().unwrap()["hash"].as_str().unwrap().to_owned(),
    }
}

/// The entry with a recomputed hash.
fn rehashed(mut entry: Value) -> Value {
    entry.as_object_mut().unwrap().remove("hash");
    let canonical = canonical_json(&entry).unwrap();
    entry["hash"] = sha256_hex(canonical.as_bytes()).into();
    entry
}

/// Stores entries at their positions (`None` for a gap) and verifies them.
async fn found(places: &[Option<Value>], ends: Vec<End>) -> Vec<Finding> {
    let store = MemoryStore::new(Arc::new(SystemClock));
    let team = TeamId::from("T1");
    for (seq, entry) in (1..).zip(places) {
        let Some(entry) = entry else { continue };
        let key = keys::audit(&team, &run(), seq);
        let commit = Commit::new(&SystemIds, vec![Write::create(key, entry.clone())]);
        store.commit(&commit).await.unwrap();
    }
    let entries = super::read::chain(&store, &team, &run()).await.unwrap();
    checked(entries, ends)
}

fn checked(entries: Vec<(String, Value)>, ends: Vec<End>) -> Vec<Finding> {
    let chain = Chain {
        run: run(),
        entries,
        ends,
        may_have_expired: false,
    };
    check(&chain).unwrap()
}

fn changed(seq: u32, by: By) -> Finding {
    let run = run();
    Finding::Changed { run, seq, by }
}

fn missing(first: u32, last: u32) -> Finding {
    let run = run();
    Finding::Missing { run, first, last }
}

fn reordered(seq: u32, was: u32) -> Finding {
    let run = run();
    Finding::Reordered { run, seq, was }
}

fn all(chain: &[Value]) -> Vec<Option<Value>> {
    chain.iter().cloned().map(Some).collect()
}

#[tokio::test]
async fn an_honest_chain_has_nothing_to_find() {
    let chain = honest(5);
    let ends = vec![end(&chain, By::Run), end(&chain[..3], By::Heads(day()))];
    assert_eq!(found(&all(&chain), ends).await, []);
}

fn day() -> jiff::civil::Date {
    "2026-11-21".parse().unwrap()
}

#[tokio::test]
async fn a_changed_entry_is_named() {
    let chain = honest(5);
    let mut places = chain.clone();
    places[2]["success"] = json!(true);
    places[2]["who"] = json!("somebody");
    let found_by_hash = found(&all(&places), vec![end(&chain, By::Run)]).await;
    assert_eq!(found_by_hash, [changed(3, By::Hash)]);
    // With a recomputed hash, the following entry still names another one.
    places[2] = rehashed(places[2].clone());
    assert_eq!(found(&all(&places), vec![]).await, [changed(3, By::Next)]);
}

#[tokio::test]
async fn a_chain_written_anew_is_betrayed_by_what_is_locked() {
    let chain = honest(3);
    let mut places = Vec::new();
    let mut before = String::new();
    for entry in &chain {
        let mut entry = entry.clone();
        entry["who"] = json!("somebody");
        entry["before"] = before.clone().into();
        let entry = rehashed(entry);
        before = entry["hash"].as_str().unwrap().to_owned();
        places.push(entry);
    }
    assert_eq!(found(&all(&places), vec![end(&places, By::Run)]).await, []);
    let by = By::Digest(day());
    let found_by_digest = found(&all(&places), vec![end(&chain, by)]).await;
    assert_eq!(found_by_digest, [changed(3, by)]);
}

#[tokio::test]
async fn missing_entries_are_named() {
    let chain = honest(6);
    let mut places = all(&chain);
    places[2] = None;
    places[3] = None;
    let ends = vec![end(&chain, By::Run), end(&chain[..4], By::Heads(day()))];
    assert_eq!(found(&places, ends).await, [missing(3, 4)]);
}

#[tokio::test]
async fn swapped_entries_are_named() {
    let chain = honest(4);
    let mut places = all(&chain);
    places.swap(1, 2);
    let swapped = [reordered(2, 3), reordered(3, 2)];
    assert_eq!(found(&places, vec![end(&chain, By::Run)]).await, swapped);
}

#[tokio::test]
async fn a_cut_off_chain_is_named_with_what_knows_its_end() {
    let chain = honest(4);
    let by = By::Digest(day());
    let cut = |left| Finding::CutOff {
        run: run(),
        left,
        written: 4,
        by,
    };
    assert_eq!(
        found(&all(&chain[..2]), vec![end(&chain, by)]).await,
        [cut(2)]
    );
    assert_eq!(found(&[], vec![end(&chain, by)]).await, [cut(0)]);
}

#[tokio::test]
async fn an_added_entry_is_named() {
    let chain = honest(4);
    let added = Finding::Added {
        run: run(),
        entry: "000004".into(),
    };
    assert_eq!(
        found(&all(&chain), vec![end(&chain[..3], By::Run)]).await,
        [added]
    );
}

#[tokio::test]
async fn only_what_can_have_expired_may_be_gone() {
    let chain = honest(4);
    let mut old = Chain {
        run: run(),
        entries: placed(&chain).split_off(2),
        ends: vec![end(&chain, By::Digest(day()))],
        may_have_expired: true,
    };
    assert_eq!(check(&old).unwrap(), []);
    // This end is from a day whose entries can't have expired.
    old.ends.push(end(&chain[..2], By::Digest(day())));
    assert_eq!(check(&old).unwrap(), [missing(2, 2)]);
    old.ends.pop();
    old.may_have_expired = false;
    assert_eq!(check(&old).unwrap(), [missing(1, 2)]);
}

fn placed(chain: &[Value]) -> Vec<(String, Value)> {
    let numbered = (1..).zip(chain);
    numbered
        .map(|(seq, body)| (format!("{seq:06}"), body.clone()))
        .collect()
}

proptest! {
    /// Flips one bit anywhere in a stored entry, if the result is still different JSON.
    #[test]
    fn any_flipped_bit_is_found(n in 1_u32..8, at in any::<prop::sample::Index>(), byte in any::<prop::sample::Index>(), bit in 0..7_u8) {
        let chain = honest(n);
        let mut entries = placed(&chain);
        let entry = at.get(&chain);
        let mut text = entry.to_string().into_bytes();
        let byte = byte.index(text.len());
        text[byte] ^= 1 << bit;
        let flipped: Result<Value, _> = serde_json::from_slice(&text);
        prop_assume!(flipped.as_ref().is_ok_and(|flipped| flipped != entry));
        entries[at.index(chain.len())].1 = flipped.unwrap();
        prop_assert!(!checked(entries, vec![end(&chain, By::Run)]).is_empty());
    }

    /// Removes, adds or changes a field, with or without a recomputed hash.
    #[test]
    fn any_changed_field_is_found(n in 1_u32..8, at in any::<prop::sample::Index>(), field in any::<prop::sample::Index>(), how in 0..3_u8, fitted in any::<bool>()) {
        let chain = honest(n);
        let mut changed = chain.clone();
        let entry = changed[at.index(chain.len())].as_object_mut().unwrap();
        let names: Vec<String> = entry.keys().cloned().collect();
        let name = field.get(&names).clone();
        match how {
            0 => drop(entry.remove(&name)),
            1 => drop(entry.insert(name, json!("another"))),
            _ => drop(entry.insert("more".into(), json!(1))),
        }
        if fitted {
            let entry = &mut changed[at.index(chain.len())];
            *entry = rehashed(entry.take());
        }
        prop_assume!(changed != chain);
        prop_assert!(!checked(placed(&changed), vec![end(&chain, By::Run)]).is_empty());
    }

    #[test]
    fn any_removal_swap_or_truncation_is_found(n in 2_u32..9, a in any::<prop::sample::Index>(), b in any::<prop::sample::Index>()) {
        let chain = honest(n);
        let (a, b) = (a.index(chain.len()), b.index(chain.len()));
        let ends = || vec![end(&chain, By::Digest(day()))];
        let mut removed = placed(&chain);
        removed.remove(a);
        prop_assert!(!checked(removed, ends()).is_empty());
        let mut closed_up = chain.clone();
        closed_up.remove(a);
        prop_assert!(!checked(placed(&closed_up), ends()).is_empty());
        prop_assert!(!checked(placed(&chain[..a]), ends()).is_empty());
        prop_assume!(a != b);
        let mut swapped = chain.clone();
        swapped.swap(a, b);
        prop_assert!(!checked(placed(&swapped), ends()).is_empty());
    }
}
