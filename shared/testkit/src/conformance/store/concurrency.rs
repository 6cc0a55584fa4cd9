//! Races. Every task is its own writer on its own thread, if the runtime has several.

use alfred_core::ports::{Key, Store, StoreError, Write};
use serde_json::json;
use tokio::task::JoinSet;

use super::{StoreUnderTest, commit, partition, read, settle, write};

const WRITERS: u64 = 32;

/// Of 32 that create one item at once, and then of 32 that replace it, one wins and its body is there.
pub async fn a_race_has_one_winner(fixture: &impl StoreUnderTest) {
    let (store, key) = (fixture.store(), Key::state(partition(), "prize"));
    for version in [0, 1] {
        let mut tasks = JoinSet::new();
        for n in 0..WRITERS {
            let write = Write::over(key.clone(), version, json!({"writer": n}));
            let store = store.clone();
            tasks.spawn(async move {
                tokio::task::yield_now().await;
                wins(&store, vec![write]).await.then_some(n)
            });
        }
        let winners: Vec<u64> = tasks.join_all().await.into_iter().flatten().collect();
        assert_eq!(winners.len(), 1, "winners: {winners:?}");
        let prize = json!({"writer": winners[0]});
        assert_eq!(read(&store, &key).await, Some((version + 1, prize)));
    }
}

/// Whether these writes are made. Otherwise somebody else has changed an item.
async fn wins(store: &dyn Store, writes: Vec<Write>) -> bool {
    match settle(store, &commit(writes)).await {
        Ok(()) => true,
        Err(StoreError::Conflict { .. }) => false,
        Err(other) => panic!("{other}"),
    }
}

/// When every one of 32 writers reads and tries again, every update is there.
pub async fn no_update_is_lost(fixture: &impl StoreUnderTest) {
    let store = fixture.store();
    let key = Key::state(partition(), "n");
    write(&store, vec![Write::create(key.clone(), json!({"n": 0}))]).await;
    let mut tasks = JoinSet::new();
    for _ in 0..WRITERS {
        let (store, key) = (store.clone(), key.clone());
        tasks.spawn(async move {
            loop {
                let (version, body) = read(&store, &key).await.unwrap();
                tokio::task::yield_now().await;
                let next = json!({"n": body["n"].as_u64().unwrap() + 1});
                if wins(&store, vec![Write::replace(key.clone(), version, next)]).await {
                    break;
                }
            }
        });
    }
    tasks.join_all().await;
    let all = json!({"n": WRITERS});
    assert_eq!(read(&store, &key).await, Some((WRITERS + 1, all)));
}

/// Transfers between four accounts, two items a commit, never make or lose anything.
pub async fn transfers_keep_their_sum(fixture: &impl StoreUnderTest) {
    let store = fixture.store();
    let partition = partition();
    let account = move |n: u64| Key::state(partition.clone(), format!("account{}", n % 4));
    let open = (0..4).map(|n| Write::create(account(n), json!({"units": 100})));
    write(&store, open.collect()).await;
    let mut tasks = JoinSet::new();
    for n in 0..12_u64 {
        let (store, from, to) = (store.clone(), account(n), account(n + 1 + n % 3));
        tasks.spawn(async move {
            loop {
                let (from_version, from_body) = read(&store, &from).await.unwrap();
                let (to_version, to_body) = read(&store, &to).await.unwrap();
                tokio::task::yield_now().await;
                let units = |body: &serde_json::Value| body["units"].as_i64().unwrap();
                let less = json!({"units": units(&from_body) - 7});
                let more = json!({"units": units(&to_body) + 7});
                let both = vec![
                    Write::replace(from.clone(), from_version, less),
                    Write::replace(to.clone(), to_version, more),
                ];
                if wins(&store, both).await {
                    break;
                }
            }
        });
    }
    tasks.join_all().await;
    let (mut sum, mut writes) = (0, 0);
    for n in 0..4 {
        let (version, body) = read(&store, &account(n)).await.unwrap();
        sum += body["units"].as_i64().unwrap();
        writes += version - 1;
    }
    assert_eq!((sum, writes), (400, 24));
}
