//! No answer, or one that leaves open whether the call took effect.

use alfred_core::ports::{Clock, Condition, Store, StoreError, Write};
use aws_sdk_dynamodb::config::timeout::TimeoutConfig;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

use super::proxy::Act;
use super::scene::{Scene, commit};
use super::{AUDIT, STATE, sdk_at};

/// Longer than the emulator needs on a busy machine, short enough to wait for.
const PATIENCE: Duration = Duration::from_secs(3);

#[tokio::test]
async fn a_lost_answer_is_found_to_be_a_success() {
    let scene = Scene::new().await;
    let key = |range| scene.key(range);
    let create = |range| Write::create(key(range), json!({"n": 1}));
    let replace_a = Write::replace(key("a"), 1, json!({}));
    let put_b = Write::put(key("b"), None, json!({}));
    let delete_a = Write::delete(key("a"), Some(Condition::Version(2)));
    let delete_b = Write::delete(key("b"), None);
    let create_both = vec![create("b"), create("c")];
    for (operation, writes, versions) in [
        ("PutItem", vec![create("a")], [Some(1), None]),
        ("PutItem", vec![replace_a], [Some(2), None]),
        ("TransactWriteItems", create_both, [Some(2), Some(1)]),
        ("TransactWriteItems", vec![delete_a], [None, Some(1)]),
        ("PutItem", vec![put_b], [None, Some(2)]),
        ("DeleteItem", vec![delete_b], [None, None]),
    ] {
        let before = scene.proxy.count(operation);
        scene.proxy.next(operation, Act::ForwardAndHangUp);
        scene.store.commit(&commit(writes)).await.unwrap();
        assert_eq!(scene.proxy.count(operation), before + 2, "{operation}");
        let now = [scene.version("a").await, scene.version("b").await];
        assert_eq!(now, versions, "{operation}");
    }
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
    let (both, single) = (scene.create(&["a", "b"]), scene.create(&["c"]));
    let (both, single) = tokio::join!(store.commit(&both), store.commit(&single));
    both.unwrap();
    single.unwrap();
    // On a busy machine a repeat may be late as well.
    assert!(scene.proxy.count("TransactWriteItems") >= 2);
    assert!(scene.proxy.count("PutItem") >= 2);
    let written = [scene.version("a").await, scene.version("c").await];
    assert_eq!(written, [Some(1), Some(1)]);
}

#[tokio::test]
async fn without_any_answer_it_is_unavailable_and_the_repeat_succeeds() {
    let scene = Scene::new().await;
    let proxy = &scene.proxy;
    for _ in 0..3 {
        proxy.next("TransactWriteItems", Act::ForwardAndHangUp);
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
    let oops = Act::error("InternalServerError", "oops");
    scene.proxy.next("PutItem", oops.clone());
    scene.store.commit(&scene.create(&["a"])).await.unwrap();
    assert_eq!(scene.proxy.count("PutItem"), 2);

    scene.proxy.always("PutItem", oops);
    let error = scene.store.commit(&scene.create(&["b"])).await.unwrap_err();
    assert!(matches!(error, StoreError::Unavailable { .. }), "{error}");
    assert_eq!(scene.proxy.count("PutItem"), 5);
}

#[tokio::test]
async fn a_commit_whose_item_expired_is_not_done_again() {
    let scene = Scene::new().await;
    let soon = scene.clock.now() + Duration::from_secs(600);
    let create = Write::create(scene.key("a"), json!({})).expiring(soon);
    let commit = commit(vec![create]);
    scene.store.commit(&commit).await.unwrap();
    scene.clock.advance(Duration::from_secs(600));
    scene.store.commit(&commit).await.unwrap();
    scene.clock.set(soon - Duration::from_secs(1));
    assert_eq!(scene.version("a").await, Some(1));
    assert_eq!(scene.proxy.count("PutItem"), 2);
}

#[tokio::test]
async fn a_put_lost_under_a_later_one_is_a_conflict() {
    let scene = Scene::new().await;
    for _ in 0..3 {
        scene.proxy.next("PutItem", Act::ForwardAndHangUp);
    }
    let first = scene.create(&["a"]);
    let error = scene.store.commit(&first).await.unwrap_err();
    assert!(matches!(error, StoreError::Unavailable { .. }), "{error}");
    let second = commit(vec![Write::replace(scene.key("a"), 1, json!({"n": 2}))]);
    scene.store.commit(&second).await.unwrap();
    let error = scene.store.commit(&first).await.unwrap_err();
    assert!(matches!(error, StoreError::Conflict { .. }), "{error}");
    assert_eq!(scene.version("a").await, Some(2));
}
