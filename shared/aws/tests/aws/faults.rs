use alfred_aws::DynamoStore;
use alfred_core::ports::{
    Clock, Commit, Condition, Key, Query, Range, Store, StoreError, Table, Write,
};
use alfred_testkit::ManualClock;
use alfred_testkit::conformance::unique;
use aws_sdk_dynamodb::config::timeout::TimeoutConfig;
use jiff::Timestamp;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use uuid::Uuid;

use super::proxy::{Act, Proxy};
use super::{AUDIT, STATE, ministack, sdk_at};

/// Longer than the emulator needs, short enough to wait for.
const PATIENCE: Duration = Duration::from_millis(400);

struct Scene {
    proxy: Proxy,
    store: DynamoStore,
    clock: ManualClock,
    partition: String,
}

impl Scene {
    async fn new() -> Self {
        let proxy = Proxy::start(ministack().port()).await;
        let sdk = sdk_at(&proxy.endpoint()).await;
        let clock = ManualClock::at(Timestamp::now());
        Self {
            store: alfred_aws::store(&sdk, STATE, AUDIT, Arc::new(clock.clone())),
            proxy,
            clock,
            partition: format!("T1#faults#{}", unique()),
        }
    }

    fn key(&self, range: &str) -> Key {
        Key::state(self.partition.clone(), range)
    }

    fn create(&self, ranges: &[&str]) -> Commit {
        let create = |range: &&str| Write::create(self.key(range), json!({"n": 1}));
        commit(ranges.iter().map(create).collect())
    }

    async fn version(&self, range: &str) -> Option<u64> {
        let item = self.store.get(&self.key(range)).await.unwrap();
        item.map(|item| item.version)
    }
}

fn commit(writes: Vec<Write>) -> Commit {
    Commit {
        id: Uuid::now_v7(),
        writes,
    }
}

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
    scene
        .store
        .commit(&scene.create(&["a", "b"]))
        .await
        .unwrap();
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
    let reasons = ["TransactionConflict", "None"];
    scene
        .proxy
        .next("TransactWriteItems", Act::cancelled(&reasons));
    let throttled = ["None", "ThrottlingError"];
    scene
        .proxy
        .next("TransactWriteItems", Act::cancelled(&throttled));
    let commit = scene.create(&["a", "b"]);
    scene.store.commit(&commit).await.unwrap();
    assert_eq!(scene.version("b").await, Some(1));
    let inputs = scene.proxy.inputs("TransactWriteItems");
    assert_eq!(inputs.len(), 3);
    let token = commit.id.simple().to_string();
    assert!(
        inputs
            .iter()
            .all(|input| input["ClientRequestToken"] == token)
    );
}

#[tokio::test]
async fn endless_conflicts_are_contended_and_nothing_is_written() {
    let scene = Scene::new().await;
    let conflict = Act::cancelled(&["None", "TransactionConflict"]);
    scene.proxy.always("TransactWriteItems", conflict);
    let error = scene
        .store
        .commit(&scene.create(&["a", "b"]))
        .await
        .unwrap_err();
    assert!(matches!(error, StoreError::Contended { .. }), "{error}");
    assert_eq!(scene.proxy.count("TransactWriteItems"), 10);
    assert_eq!(scene.version("a").await, None);
}

#[tokio::test]
async fn a_failed_condition_wins_over_a_conflict_beside_it() {
    let scene = Scene::new().await;
    let both = Act::cancelled(&["TransactionConflict", "ConditionalCheckFailed"]);
    scene.proxy.next("TransactWriteItems", both);
    let error = scene
        .store
        .commit(&scene.create(&["a", "b"]))
        .await
        .unwrap_err();
    let StoreError::Conflict { key } = error else {
        panic!("{error}");
    };
    assert_eq!(key, scene.key("b"));
    assert_eq!(scene.proxy.count("TransactWriteItems"), 1);
}

#[tokio::test]
async fn a_lost_answer_of_a_single_put_is_found_to_be_ours() {
    let scene = Scene::new().await;
    scene.proxy.next("PutItem", Act::ForwardAndHangUp);
    scene.store.commit(&scene.create(&["a"])).await.unwrap();
    assert_eq!(scene.proxy.count("PutItem"), 2);
    assert_eq!(scene.version("a").await, Some(1));

    scene.proxy.next("PutItem", Act::ForwardAndHangUp);
    let replace = Write::replace(scene.key("a"), 1, json!({"n": 2}));
    scene.store.commit(&commit(vec![replace])).await.unwrap();
    assert_eq!(scene.version("a").await, Some(2));

    scene.proxy.next("PutItem", Act::ForwardAndHangUp);
    let put = Write::put(scene.key("a"), None, json!({"n": 3}));
    scene.store.commit(&commit(vec![put])).await.unwrap();
    assert_eq!(scene.version("a").await, Some(3));
}

#[tokio::test]
async fn a_lost_answer_of_a_transaction_or_a_removal_is_a_success() {
    let scene = Scene::new().await;
    scene
        .proxy
        .next("TransactWriteItems", Act::ForwardAndHangUp);
    scene
        .store
        .commit(&scene.create(&["a", "b"]))
        .await
        .unwrap();
    assert_eq!(scene.proxy.count("TransactWriteItems"), 2);

    scene
        .proxy
        .next("TransactWriteItems", Act::ForwardAndHangUp);
    let remove = Write::delete(scene.key("a"), Some(Condition::Version(1)));
    scene.store.commit(&commit(vec![remove])).await.unwrap();
    assert_eq!(scene.version("a").await, None);

    scene.proxy.next("DeleteItem", Act::ForwardAndHangUp);
    let remove = Write::delete(scene.key("b"), None);
    scene.store.commit(&commit(vec![remove])).await.unwrap();
    assert_eq!(scene.version("b").await, None);
}

#[tokio::test]
async fn a_time_out_after_the_commit_took_effect_is_a_success() {
    let scene = Scene::new().await;
    let patience = TimeoutConfig::builder().operation_attempt_timeout(PATIENCE);
    let sdk = sdk_at(&scene.proxy.endpoint()).await.into_builder();
    let sdk = sdk.timeout_config(patience.build()).build();
    let store = alfred_aws::store(&sdk, STATE, AUDIT, Arc::new(scene.clock.clone()));
    scene.proxy.next("TransactWriteItems", Act::ForwardAndHold);
    scene.proxy.next("PutItem", Act::ForwardAndHold);
    store.commit(&scene.create(&["a", "b"])).await.unwrap();
    store.commit(&scene.create(&["c"])).await.unwrap();
    assert_eq!(scene.proxy.count("TransactWriteItems"), 2);
    assert_eq!(scene.proxy.count("PutItem"), 2);
    assert_eq!(scene.version("c").await, Some(1));
}

#[tokio::test]
async fn without_any_answer_it_is_unavailable_and_the_repeat_succeeds() {
    let scene = Scene::new().await;
    for _ in 0..3 {
        scene
            .proxy
            .next("TransactWriteItems", Act::ForwardAndHangUp);
    }
    let commit = scene.create(&["a", "b"]);
    let error = scene.store.commit(&commit).await.unwrap_err();
    assert!(matches!(error, StoreError::Unavailable { .. }), "{error}");
    // Later, so that the same token comes with other parameters.
    scene.clock.advance(Duration::from_secs(5));
    scene.store.commit(&commit).await.unwrap();
    assert_eq!(scene.version("a").await, Some(1));
}

#[tokio::test]
async fn an_internal_error_may_have_taken_effect() {
    let scene = Scene::new().await;
    scene
        .proxy
        .next("PutItem", Act::error("InternalServerError", "oops"));
    scene.store.commit(&scene.create(&["a"])).await.unwrap();
    assert_eq!(scene.proxy.count("PutItem"), 2);

    scene
        .proxy
        .always("PutItem", Act::error("InternalServerError", "oops"));
    let error = scene.store.commit(&scene.create(&["b"])).await.unwrap_err();
    assert!(matches!(error, StoreError::Unavailable { .. }), "{error}");
    assert_eq!(scene.proxy.count("PutItem"), 5);
}

#[tokio::test]
async fn an_addition_is_repeated_only_while_nothing_was_done() {
    let scene = Scene::new().await;
    let key = scene.key("counter");
    assert_eq!(scene.store.add(&key, "n", 1, None, None).await.unwrap(), 1);
    for code in BUSY {
        scene
            .proxy
            .next("UpdateItem", Act::error(code, "slow down"));
    }
    assert_eq!(scene.store.add(&key, "n", 1, None, None).await.unwrap(), 2);
    scene.proxy.next("UpdateItem", Act::ForwardAndHangUp);
    let calls = scene.proxy.count("UpdateItem");
    let error = scene.store.add(&key, "n", 1, None, None).await.unwrap_err();
    assert!(matches!(error, StoreError::Unavailable { .. }), "{error}");
    assert_eq!(scene.proxy.count("UpdateItem"), calls + 1);
    let item = scene.store.get(&key).await.unwrap().unwrap();
    assert_eq!(item.body, json!({"n": 3}));
}

#[tokio::test]
async fn a_missing_table_and_denied_access_name_themselves_at_once() {
    let scene = Scene::new().await;
    let sdk = sdk_at(&scene.proxy.endpoint()).await;
    let store = alfred_aws::store(&sdk, "no-such-table", AUDIT, Arc::new(scene.clock.clone()));
    let error = store.get(&scene.key("a")).await.unwrap_err();
    assert!(error.to_string().contains("ResourceNotFound"), "{error}");
    assert_eq!(scene.proxy.count("GetItem"), 1);

    let denied = Act::error("AccessDeniedException", "not allowed to dynamodb:PutItem");
    scene.proxy.always("PutItem", denied);
    let error = scene.store.commit(&scene.create(&["a"])).await.unwrap_err();
    assert!(matches!(error, StoreError::Unavailable { .. }), "{error}");
    assert!(error.to_string().contains("dynamodb:PutItem"), "{error}");
    assert_eq!(scene.proxy.count("PutItem"), 1);
}

#[tokio::test]
async fn what_dynamodb_refuses_is_refused() {
    let scene = Scene::new().await;
    let empty_key = Write::create(Key::state("", "a"), json!({}));
    let error = scene
        .store
        .commit(&commit(vec![empty_key]))
        .await
        .unwrap_err();
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
    let audit = Key {
        table: Table::Audit,
        ..scene.key("entry")
    };
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
