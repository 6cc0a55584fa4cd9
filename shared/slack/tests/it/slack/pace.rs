//! Waiting for rate limits, and staying below them.

use alfred_core::ports::{Chat, ChatError};
use alfred_slack_local::seed::{ANA, ANA_DM, GENERAL};
use alfred_slack_local::{Fault, Options};
use alfred_testkit::stand_in::{self, Reply};
use serde_json::json;
use std::time::Duration;

use crate::slack::world::{POST, client, kind, post, world};

#[tokio::test]
async fn rate_limits_are_waited_for_up_to_twenty_seconds() {
    let world = world(Options::default()).await;
    let limited = |seconds| Fault::RateLimited { seconds };
    world.slack().fail_next(POST, 2, limited(10));
    world.client.post(&post(GENERAL, "a")).await.unwrap();
    assert_eq!(world.waited(), Duration::from_secs(20));
    world.slack().fail_next(POST, 3, limited(7));
    let error = world.client.post(&post(GENERAL, "b")).await.unwrap_err();
    assert!(matches!(error, ChatError::RateLimited { retry_after } if retry_after.as_secs() == 7));
    assert_eq!(world.waited(), Duration::from_secs(34));
    world.slack().fail_next(POST, 1, limited(21));
    let error = world.client.post(&post(GENERAL, "c")).await.unwrap_err();
    assert_eq!(kind(&error), "rate limited");
    assert_eq!(world.waited(), Duration::from_secs(34));
    assert_eq!(world.slack().messages(GENERAL, 9).unwrap().len(), 1);
    world.slack().fail_next("users.info", 1, limited(2));
    assert!(world.client.user(&ANA.into()).await.unwrap().is_some());
}

#[tokio::test]
async fn retry_after_may_be_a_date_and_is_at_least_a_second() {
    for (retry_after, seconds) in [("Sat, 21 Nov 2026 09:00:12 GMT", 12), ("0", 1)] {
        let mut limited = Some(Reply::new(429, "text/plain", "").with("retry-after", retry_after));
        let taken = json!({"ok": true, "channel": GENERAL, "ts": "1.1"}).to_string();
        let taken = Reply::new(200, "application/json", taken);
        let slack = stand_in::serve(move |_| limited.take().unwrap_or_else(|| taken.clone()));
        let world = world(Options::default()).await;
        let client = client(&slack, &world.clock);
        client.post(&post(GENERAL, "k")).await.unwrap();
        assert_eq!(world.waited(), Duration::from_secs(seconds));
    }
}

#[tokio::test]
async fn the_client_keeps_slacks_pace_by_itself() {
    let options = Options {
        rate_limit: true,
        ..Options::default()
    };
    let world = world(options).await;
    for _ in 0..10 {
        world.client.post(&post(GENERAL, "k")).await.unwrap();
    }
    assert_eq!(world.slack().call_counts()[POST], 10);
    assert_eq!(world.waited(), Duration::from_secs(7));
    world.client.post(&post(ANA_DM, "k")).await.unwrap();
    assert_eq!(world.waited(), Duration::from_secs(7));
}
