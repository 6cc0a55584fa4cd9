//! Any sequence of calls gives the same results in SQLite as in the testkit's in-memory map.

use alfred_core::ports::{
    Commit, Condition, Direction, Key, Op, Query, Range, Store, Table, Write,
};
use alfred_embedded::SqliteStore;
use alfred_testkit::{ManualClock, MemoryStore};
use jiff::Timestamp;
use proptest::prelude::*;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use uuid::Uuid;

#[derive(Clone, Debug)]
enum Call {
    /// Each id is committed `times` times in a row, like a retry without an answer.
    Commit {
        writes: Vec<Write>,
        times: u8,
    },
    Query(Query),
    Get(Key),
    Pass(u8),
    Sweep,
}

fn keys() -> impl Strategy<Value = Key> {
    ("[pq]", "[ab%]{1,2}").prop_map(|(partition, range)| Key::state(partition, range))
}

/// Seconds after the clock's start.
fn expiries() -> impl Strategy<Value = Option<Timestamp>> {
    let start: Timestamp = "2026-11-21T09:00:00Z".parse().unwrap();
    let start = start.as_second();
    proptest::option::of((0_i64..40).prop_map(move |s| Timestamp::from_second(start + s).unwrap()))
}

fn writes() -> impl Strategy<Value = Write> {
    let condition = prop_oneof![
        Just(None),
        Just(Some(Condition::Absent)),
        (1_u64..4).prop_map(|n| Some(Condition::Version(n))),
    ];
    let op = prop_oneof![
        4 => (any::<u8>(), expiries())
            .prop_map(|(n, expires_at)| Op::Put { body: json!({"n": n}).into(), expires_at }),
        1 => Just(Op::Delete),
        1 => Just(Op::Check),
    ];
    (keys(), condition, op).prop_map(|(key, condition, op)| Write { key, condition, op })
}

fn ranges() -> impl Strategy<Value = Range> {
    prop_oneof![
        Just(Range::All),
        "[ab%]{0,2}".prop_map(Range::Prefix),
        ("[ab%]{0,2}", "[ab%]{0,2}").prop_map(|(low, high)| Range::Between(low, high)),
    ]
}

fn queries() -> impl Strategy<Value = Query> {
    ("[pq]", ranges(), 1_usize..4, any::<bool>()).prop_map(|(partition, range, limit, back)| {
        Query {
            table: Table::State,
            partition,
            range,
            limit,
            cursor: None,
            direction: if back {
                Direction::Backward
            } else {
                Direction::Forward
            },
        }
    })
}

fn calls() -> impl Strategy<Value = Call> {
    prop_oneof![
        8 => (proptest::collection::vec(writes(), 1..4), 1_u8..3)
            .prop_map(|(writes, times)| Call::Commit { writes, times }),
        3 => queries().prop_map(Call::Query),
        2 => keys().prop_map(Call::Get),
        1 => (1_u8..15).prop_map(Call::Pass),
        1 => Just(Call::Sweep),
    ]
}

async fn answer(store: &dyn Store, call: &Call, serial: usize) -> String {
    match call {
        Call::Commit { writes, times } => {
            let commit = Commit {
                id: Uuid::from_u128(serial as u128),
                writes: writes.clone(),
                defers_sync: false,
            };
            let mut answers = String::new();
            for _ in 0..*times {
                answers.push_str(&format!("{:?}\n", store.commit(&commit).await));
            }
            answers
        }
        Call::Get(key) => format!("{:?}", store.get(key).await),
        Call::Query(query) => {
            let mut query = query.clone();
            let mut pages = String::new();
            loop {
                let page = store.query(&query).await.unwrap();
                pages.push_str(&format!("{:?}\n", page.items));
                match page.cursor {
                    Some(cursor) => query.cursor = Some(cursor),
                    None => return pages,
                }
            }
        }
        Call::Pass(_) | Call::Sweep => String::new(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sqlite_answers_as_the_plain_map_does(calls in proptest::collection::vec(calls(), 1..50)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let clock = ManualClock::default();
            let shared: Arc<dyn alfred_core::ports::Clock> = Arc::new(clock.clone());
            let sqlite = SqliteStore::in_memory(shared.clone()).unwrap();
            let map = MemoryStore::new(shared.clone());
            for (serial, call) in calls.iter().enumerate() {
                match call {
                    Call::Pass(seconds) => clock.advance(Duration::from_secs((*seconds).into())),
                    Call::Sweep => drop(sqlite.sweep(shared.now()).await.unwrap()),
                    other => {
                        let got = answer(&sqlite, other, serial).await;
                        prop_assert_eq!(got, answer(&map, other, serial).await, "{:?}", other);
                    }
                }
            }
            Ok(())
        })?;
    }
}
