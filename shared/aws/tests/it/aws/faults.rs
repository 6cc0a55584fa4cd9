//! Answers that say that nothing was done.

use alfred_core::ports::{Clock, Key, Query, Range, Store, StoreError, Table, Write};
use serde_json::json;
use std::sync::Arc;

use super::proxy::Act;
use super::scene::{Scene, commit};
use super::{AUDIT, STATE, sdk_at};

const BUSY: [&str; 4] = [
    "ProvisionedThroughputExceededException",
    "ThrottlingException",
    "RequestLimitExceeded",
    "TransactionConflictException",
];

#[tokio::test]
async fn throttled_and_conflicting_calls_are_repeated_with_pauses() {
    let scene = Scene::new().await;
    for operation in ["PutItem", "TransactWriteItems", "GetItem", "Query"] {
        for code in BUSY {
            scene.proxy.next(operation, Act::error(code, "slow down"));
        }
    }
    let begin = scene.clock.now();
    scene.store.commit(&scene.create(&["one"])).await.unwrap();
    let both = scene.create(&["a", "b"]);
    scene.store.commit(&both).await.unwrap();
    assert_eq!(scene.version("one").await, Some(1));
    let all = Query::state(scene.partition.clone(), Range::All);
    assert_eq!(scene.store.query(&all).await.unwrap().items.len(), 3);
    for operation in ["PutItem", "TransactWriteItems", "GetItem", "Query"] {
        assert_eq!(scene.proxy.count(operation), 5, "{operation}");
    }
    assert!(scene.clock.now() > begin, "it should have waited");
}

#[tokio::test]
async fn a_transaction_cancelled_by_conflicts_is_repeated_with_its_token() {
    let scene = Scene::new().await;
    for reasons in [["TransactionConflict", "None"], ["None", "ThrottlingError"]] {
        let cancelled = Act::cancelled(&reasons);
        scene.proxy.next("TransactWriteItems", cancelled);
    }
    let commit = scene.create(&["a", "b"]);
    scene.store.commit(&commit).await.unwrap();
    assert_eq!(scene.version("b").await, Some(1));
    let inputs = scene.proxy.inputs("TransactWriteItems");
    assert_eq!(inputs.len(), 3);
    let token = commit.id.simple().to_string();
    for input in inputs {
        assert_eq!(input["ClientRequestToken"], token);
    }
}

#[tokio::test]
async fn endless_conflicts_are_contended_and_nothing_is_written() {
    let scene = Scene::new().await;
    let conflict = Act::cancelled(&["None", "TransactionConflict"]);
    scene.proxy.always("TransactWriteItems", conflict);
    let commit = scene.create(&["a", "b"]);
    let error = scene.store.commit(&commit).await.unwrap_err();
    assert!(matches!(error, StoreError::Contended { .. }), "{error}");
    assert_eq!(scene.proxy.count("TransactWriteItems"), 10);
    assert_eq!(scene.version("a").await, None);
}

#[tokio::test]
async fn a_failed_condition_wins_over_a_conflict_beside_it() {
    let scene = Scene::new().await;
    let both = Act::cancelled(&["TransactionConflict", "ConditionalCheckFailed"]);
    scene.proxy.next("TransactWriteItems", both);
    let commit = scene.create(&["a", "b"]);
    let error = scene.store.commit(&commit).await.unwrap_err();
    let StoreError::Conflict { key } = error else {
        panic!("{error}");
    };
    assert_eq!(key, scene.key("b"));
    assert_eq!(scene.proxy.count("TransactWriteItems"), 1);
}

#[tokio::test]
async fn a_missing_table_is_named_at_once() {
    let scene = Scene::new().await;
    let sdk = sdk_at(&scene.proxy.endpoint()).await;
    let store = alfred_aws::store(&sdk, "no-such-table", AUDIT, Arc::new(scene.clock.clone()));
    let error = store.get(&scene.key("a")).await.unwrap_err();
    assert!(error.to_string().contains("ResourceNotFound"), "{error}");
    assert_eq!(scene.proxy.count("GetItem"), 1);
}

#[tokio::test]
async fn what_dynamodb_refuses_is_refused() {
    let scene = Scene::new().await;
    let empty_key = Write::create(Key::state("", "a"), json!({}));
    let unnamed = commit(vec![empty_key]);
    let error = scene.store.commit(&unnamed).await.unwrap_err();
    assert!(matches!(error, StoreError::Refused { .. }), "{error}");
    // Lists of small numbers grow: under 390,000 bytes as JSON, over 400 KB there.
    let body = json!({"list": vec![1; 190_000]});
    let too_big = commit(vec![Write::create(scene.key("big"), body)]);
    let error = scene.store.commit(&too_big).await.unwrap_err();
    assert!(matches!(error, StoreError::Refused { .. }), "{error}");
    assert_eq!(scene.proxy.count("PutItem"), 2);
}

#[tokio::test]
async fn each_kind_of_commit_makes_as_few_calls_as_it_can() {
    let scene = Scene::new().await;
    scene.store.commit(&scene.create(&["a"])).await.unwrap();
    let mut audit = scene.key("entry");
    audit.table = Table::Audit;
    let replace = Write::replace(scene.key("a"), 1, json!({"n": 2}));
    let both = commit(vec![replace, Write::create(audit, json!({}))]);
    scene.store.commit(&both).await.unwrap();
    let counts = ["PutItem", "TransactWriteItems", "GetItem"].map(|o| scene.proxy.count(o));
    assert_eq!(counts, [1, 1, 0]);
    let items = &scene.proxy.inputs("TransactWriteItems")[0]["TransactItems"];
    assert_eq!(items[0]["Put"]["TableName"], STATE);
    assert_eq!(items[1]["Put"]["TableName"], AUDIT);
    scene.version("a").await;
    assert_eq!(scene.proxy.inputs("GetItem")[0]["ConsistentRead"], true);
}
