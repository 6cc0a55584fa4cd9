//! A call whose caller died, and the page's own route of pictures.

use alfred_slack_local::seed::{ANA, CHIYO, GENERAL, LEADERS};
use alfred_slack_local::{Hold, Options, Release, SlackLocal};
use alfred_testkit::{LIMIT, within};
use serde_json::json;

use crate::support::{call, client, form, method, picture, png, send, served, uploaded};

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

#[tokio::test]
async fn a_page_gets_a_picture_that_runs_nothing() {
    let (running, _) = served(Options::default()).await;
    let id = uploaded(&running, png(3, 2)).await;
    form(&running, "files.info", &[("file", &id)]).await;
    let post = json!({"channel": LEADERS, "text": "Your day", "blocks": [picture(&id)]});
    call(&running, "chat.postMessage", post).await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/client/file", listener.local_addr().unwrap());
    let routes = running.slack.person_routes();
    tokio::spawn(async move { axum::serve(listener, routes).await.unwrap() });
    let id = id.as_str();
    let fetch = |user| send(client().get(&url).query(&[("user", user), ("file", id)]));
    assert_eq!(fetch(CHIYO).await.status(), 404);
    let shown = fetch(ANA).await;
    for (name, value) in [
        ("content-type", "image/png"),
        ("content-security-policy", "default-src 'none'; sandbox"),
    ] {
        assert_eq!(shown.headers()[name], value);
    }
    assert_eq!(shown.bytes().await.unwrap(), png(3, 2));
}
