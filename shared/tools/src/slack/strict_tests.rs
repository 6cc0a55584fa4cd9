//! Sends messages over HTTP to the strict local Slack.

use crate::testing::*;
use alfred_core::ports::SystemIds;
use alfred_slack::SlackClient;
use alfred_slack_local::seed::{ANA, BEN, BEN_DM, GENERAL};
use alfred_slack_local::{Message, Options, Running, SlackLocal};

const TOOL: &str = "slack_sendMessage";

fn message(to: &str, text: &str) -> Value {
    json!({"to": to, "text": text})
}

fn sent(running: &Running, channel: &str, data: &Value) -> Message {
    let ts = data["ts"].as_str().unwrap();
    running.slack.message(channel, ts).unwrap()
}

#[tokio::test]
async fn slack_takes_what_is_sent_up_to_the_longest() {
    // An error means that another test of this process has installed it.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let harness = ToolHarness::at("2026-11-21T12:00:00Z");
    let clock = harness.context.clock.clone();
    let slack = SlackLocal::open(Options::default(), clock.clone(), Arc::new(SystemIds)).unwrap();
    let running = slack.listen().await.unwrap();
    let mut harness = harness.asked_by("T1", ANA);
    harness.register(BEN, |_| ()).await;
    let token = running.slack.seed().bot_token.clone().into();
    harness.context.chat = Arc::new(SlackClient::new(&running.api_url(), token, clock));
    let harness = harness.later("2026-11-21T12:30:00Z").since_now();
    let hi = message(BEN, "**Hi**, see https://x.y");
    let data = harness.ok(TOOL, hi).await;
    let direct = sent(&running, BEN_DM, &data);
    assert_eq!(direct.text, "*Hi*, see <https://x.y>");
    assert_eq!(direct.blocks.len(), 2);
    let longest = "A line of plain words, as long as lines of text are.\n".repeat(226);
    let data = harness.ok(TOOL, message("#general", &longest)).await;
    assert_eq!(sent(&running, GENERAL, &data).blocks.len(), 6);
    assert_snapshot!(harness.fails(TOOL, message("#random", "hi")).await, @r##"to: "#random" is a channel Alfred isn't in. Somebody there has to invite it first."##);
    harness.ok(TOOL, message("#leaders", "hi")).await;
}
