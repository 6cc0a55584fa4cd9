//! Requests to the app: which events there are, and when they are repeated.

use alfred_core::ports::Clock;
use alfred_slack_local::seed::{ALFRED, ANA, ANA_DM, BEN, LEADERS, RANDOM};
use alfred_slack_local::{Options, PersonError};
use serde_json::{Value, json};
use std::time::Duration;
use wiremock::ResponseTemplate;

use crate::support::{app, call, delivered, header, served, with_app};

#[tokio::test]
async fn posts_edits_and_opened_homes_become_events_in_the_bots_channels() {
    let app = app([]).await;
    let (running, _) = with_app(&app).await;
    let slack = &running.slack;
    slack.post_as(ANA, RANDOM, "@alfred hello", None).unwrap();
    let text = "@alfred plan <!channel> & more";
    slack.post_as(ANA, LEADERS, text, None).unwrap();
    delivered(slack).await;
    let posted = json!({"channel": ANA_DM, "text": "hi Ana"});
    let ts = call(&running, "chat.postMessage", posted).await["ts"].clone();
    delivered(slack).await;
    let edit = json!({"channel": ANA_DM, "ts": ts, "text": "hello"});
    call(&running, "chat.update", edit).await;
    delivered(slack).await;
    slack.open_home(BEN).unwrap();
    delivered(slack).await;
    let requests = app.received_requests().await.unwrap();
    let events = requests.iter().map(|request| {
        let body: Value = request.body_json().unwrap();
        body["event"].clone()
    });
    let mut events: Vec<Value> = events.collect();
    // Both are sent at once.
    events[..2].sort_by_key(|event| event["type"].to_string());
    let kinds = events.iter().map(|event| {
        let field = |name: &str| event[name].as_str().unwrap_or_default();
        [field("type"), field("subtype"), field("channel_type")]
    });
    let expected = [
        ["app_mention", "", ""],
        ["message", "", "group"],
        ["message", "", "im"],
        ["message", "message_changed", "im"],
        ["app_home_opened", "", ""],
    ];
    assert_eq!(kinds.collect::<Vec<_>>(), expected);
    let text = format!("<@{ALFRED}> plan &lt;!channel&gt; &amp; more");
    assert_eq!(events[0]["text"], text);
    assert_eq!(events[2]["user"], ALFRED);
    assert!(events[2]["bot_id"].is_string());
    assert_eq!(events[3]["message"]["text"], "hello");
    assert_eq!(events[3]["hidden"], true);
}

#[tokio::test]
async fn undelivered_events_are_repeated_at_once_after_one_and_five_minutes() {
    let app = app([500, 503, 500, 500].map(ResponseTemplate::new)).await;
    let (running, clock) = with_app(&app).await;
    let start = clock.now().as_second();
    running.slack.dm_as(ANA, "hi").unwrap();
    delivered(&running.slack).await;
    let requests = app.received_requests().await.unwrap();
    let tries = requests.iter().map(|request| {
        let at = header(request, "x-slack-request-timestamp").unwrap();
        let at: i64 = at.parse().unwrap();
        let reason = header(request, "x-slack-retry-reason");
        (at - start, header(request, "x-slack-retry-num"), reason)
    });
    let error = Some("http_error");
    let expected = [
        (0, None, None),
        (0, Some("1"), error),
        (60, Some("2"), error),
        (360, Some("3"), error),
    ];
    assert_eq!(tries.collect::<Vec<_>>(), expected);
    assert!(requests.iter().all(|one| one.body == requests[0].body));
}

#[tokio::test]
async fn slow_and_dead_apps_are_told_apart() {
    let never = || ResponseTemplate::new(200).set_delay(Duration::from_secs(3_600));
    let app = app([never(), ResponseTemplate::new(200), never()]).await;
    let options = Options {
        request_url: Some(app.uri()),
        // Ten times what the second answer needs on a busy machine.
        answer_within: Duration::from_secs(2),
        ..Options::default()
    };
    let (running, _) = served(options).await;
    running.slack.dm_as(ANA, "hi").unwrap();
    delivered(&running.slack).await;
    let requests = app.received_requests().await.unwrap();
    assert_eq!(requests.len(), 2);
    let reason = header(&requests[1], "x-slack-retry-reason");
    assert_eq!(reason, Some("http_timeout"));
    let slow = running.slack.command(ANA, ANA_DM, "/alfred", "").await;
    assert_eq!(slow.unwrap_err().to_string(), "http_timeout");
    running.slack.set_request_url("http://127.0.0.1:1/");
    let dead = running.slack.command(ANA, ANA_DM, "/alfred", "").await;
    assert_eq!(dead.unwrap_err().to_string(), "connection_failed");
}

#[tokio::test]
async fn clicks_are_sent_once_and_only_on_what_the_person_sees() {
    let app = app([ResponseTemplate::new(200), ResponseTemplate::new(500)]).await;
    let (running, _) = with_app(&app).await;
    let slack = &running.slack;
    let label = json!({"type": "plain_text", "text": "Approve"});
    let button = json!({"type": "button", "action_id": "approve", "text": label});
    let blocks = json!([{"type": "actions", "elements": [button]}]);
    let card = json!({"channel": ANA_DM, "text": "Send?", "blocks": blocks});
    let posted = call(&running, "chat.postMessage", card).await;
    delivered(slack).await;
    let ts = posted["ts"].as_str().unwrap();
    let failed = slack.click(ANA, ANA_DM, ts, "approve").await;
    assert_eq!(failed.unwrap_err().to_string(), "http_error");
    assert_eq!(app.received_requests().await.unwrap().len(), 2);
    assert!(slack.pending_deliveries().unwrap().is_empty());
    let unknown = slack.click(ANA, ANA_DM, ts, "reject").await;
    assert!(matches!(unknown, Err(PersonError::UnknownAction)));
    let elsewhere = slack.click(BEN, ANA_DM, ts, "approve").await;
    assert!(matches!(elsewhere, Err(PersonError::UnknownChannel)));
}
