//! A call whose caller died.

use alfred_slack_local::seed::GENERAL;
use alfred_slack_local::{Hold, Options, Release, SlackLocal};
use alfred_testkit::{LIMIT, within};
use serde_json::json;

use crate::support::{method, send, served};

#[tokio::test]
async fn a_held_call_takes_effect_though_its_caller_died() {
    let (running, _) = served(Options::default()).await;
    let mut gate = running.slack.hold("chat.postMessage", Hold::BeforeEffect);
    let message = json!({"channel": GENERAL, "text": "x"});
    let caller = tokio::spawn(send(method(&running, "chat.postMessage").json(&message)));
    let held = within(LIMIT, "the call", gate.arrived()).await;
    assert!(running.slack.messages(GENERAL, 9).unwrap().is_empty());
    caller.abort();
    assert!(caller.await.unwrap_err().is_cancelled());
    held.release(Release::Complete);
    let look = |slack: &SlackLocal| slack.messages(GENERAL, 9).unwrap().pop();
    within(LIMIT, "its effect", running.slack.until(look)).await;
}
