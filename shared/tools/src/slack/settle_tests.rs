use super::tests::{TOOL, message, not_sent, office, refused, unknown};
use crate::testing::*;
use alfred_core::Failure;
use alfred_core::ports::{Chat, Post};
use alfred_testkit::When;

fn settled(outcome: Result<Settled, ToolError>) -> &'static str {
    match outcome {
        Ok(Settled::Done(output)) => {
            assert!(output.receipt.is_some() && output.action.is_some());
            "done"
        }
        Ok(Settled::NotDone) => "not done",
        Ok(Settled::Unknown) => "unknown",
        Err(ToolError::Stop(Failure::Retry { .. })) => "later",
        Err(other) => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_look_tells_what_became_of_it() {
    let harness = office().await;
    for to in ["@ben", "#general"] {
        let args = message(to, "hi");
        let look = async || settled(harness.settle(TOOL, args.clone()).await);
        assert_eq!(look().await, "not done", "{to}");
        let mut threaded = args.clone();
        threaded["threadTs"] = "1732190400.000100".into();
        assert_eq!(settled(harness.settle(TOOL, threaded).await), "not done");
        harness
            .faults
            .fail_next("chat.post", When::After, unknown());
        let lost = harness.run(TOOL, args.clone()).await;
        assert!(matches!(lost, Err(ToolError::Unknown(_))));
        assert_eq!(look().await, "done", "{to}");
        for (error, outcome) in [
            (refused("missing_scope"), "unknown"),
            (not_sent(), "later"),
            (unknown(), "later"),
        ] {
            harness.faults.fail_next("chat.find", When::Before, error);
            assert_eq!(look().await, outcome, "{to}");
        }
    }
    let gone = harness.settle(TOOL, message("@nobody", "hi")).await;
    assert_eq!(settled(gone), "unknown");
}

#[tokio::test]
async fn a_look_goes_back_five_minutes_and_sees_its_own_call_only() {
    let harness = office().await;
    let args = message("#general", "hi");
    let other = Post {
        channel: "C1".into(),
        thread_ts: None,
        text: "hi".into(),
        blocks: Vec::new(),
        idempotency_key: "run_1:call_2".into(),
    };
    harness.chat.post(&other).await.unwrap();
    assert_eq!(
        settled(harness.settle(TOOL, args.clone()).await),
        "not done"
    );
    harness.ok(TOOL, args.clone()).await;
    for (since, outcome) in [("13:05:00", "done"), ("13:05:01", "not done")] {
        let harness = harness.later(&format!("2026-11-21T{since}Z")).since_now();
        assert_eq!(
            settled(harness.settle(TOOL, args.clone()).await),
            outcome,
            "{since}"
        );
    }
}

#[tokio::test]
async fn a_name_that_may_have_meant_somebody_else_is_no_proof() {
    let harness = office().await;
    harness
        .change("U3", |user| user.slack_username = "bsmith2".into())
        .await;
    let look = async |to: &str| settled(harness.settle(TOOL, message(to, "hi")).await);
    assert_eq!(look("@bsmith2").await, "unknown");
    assert_eq!(look("U3").await, "not done");
    assert_eq!(look("@ben").await, "not done");
}
