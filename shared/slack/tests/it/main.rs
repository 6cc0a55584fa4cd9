//! Slack's client against its strict stand-in, over HTTP: every method, every class of outcome. The cases are in
//! `cases`; `script.rs` documents their format.

#![allow(clippy::unwrap_used, reason = "a panic is a failed assertion")]

mod opening;
mod script;
mod steps;
mod world;

use alfred_core::ports::Chat;
use alfred_slack_local::seed::GENERAL;
use alfred_slack_local::{Hold, Release};
use alfred_testkit::play::assert_played;
use alfred_testkit::wait::out_of_time;
use world::{World, client, failed, look, post};

#[tokio::test]
async fn cases_go_as_they_are_written() {
    for name in ["writing", "reading", "outcomes", "limits", "files", "live"] {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/cases");
        assert_played(&format!("{folder}/{name}.txt"), World::new).await;
    }
}

#[tokio::test]
async fn an_answer_that_does_not_come_is_unknown() {
    let world = World::new().await;
    let slack = &world.running.slack;
    let mut gate = slack.hold("chat.postMessage", Hold::AfterEffect);
    let client = client(&world.running.api_url(), "xoxb-local", &world.clock);
    let message = post(GENERAL, "k", &[]);
    let (posted, held) = out_of_time(gate.arrived(), client.post(&message)).await;
    assert_eq!(failed(&posted.unwrap_err()), "unknown");
    held.release(Release::Complete);
    let found = client.find(&look(GENERAL, "k", &[])).await.unwrap();
    let shown = slack.messages(GENERAL, 1).unwrap();
    assert_eq!(found.unwrap().ts, shown[0].ts);
}
