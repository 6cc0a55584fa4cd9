//! What the app gets: events and their repetition, clicks, commands, views.

use crate::support;

use alfred_slack_local::seed::{ALFRED, ANA, ANA_DM, BEN, GENERAL, LEADERS, RANDOM};
use alfred_slack_local::{Options, PersonError, Running, SlackLocal, Undelivered};
use serde_json::{Value, json};
use std::time::Duration;
use support::{App, HandClock, Reply, SIGNING_SECRET, buttons, call, open, served, soon};

async fn with_app() -> (App, Running, HandClock) {
    let app = App::start().await;
    let options = Options {
        request_url: app.url(),
        ..Options::default()
    };
    let (running, clock) = served(options).await;
    (app, running, clock)
}

async fn delivered(running: &Running) {
    let none = |slack: &SlackLocal| slack.pending_deliveries().unwrap().is_empty().then_some(());
    soon(running.slack.until(none)).await;
}

#[tokio::test]
async fn a_mention_comes_as_app_mention_and_as_message() {
    let (mut app, running, _) = with_app().await;
    let text = "@alfred plan <!channel> & more";
    let posted = running.slack.post_as(ANA, GENERAL, text, None).unwrap();
    let (first, second) = (app.next().await, app.next().await);
    for received in [&first, &second] {
        received.check_signature(SIGNING_SECRET);
        assert_eq!(received.header("content-type"), Some("application/json"));
        assert_eq!(received.header("x-slack-retry-num"), None);
        let body = received.json();
        assert_eq!(body["type"], "event_callback");
        assert_eq!(body["authorizations"][0]["user_id"], ALFRED);
        assert_eq!(body["event"]["ts"], posted.ts);
        let text = format!("<@{ALFRED}> plan &lt;!channel&gt; &amp; more");
        assert_eq!(body["event"]["text"], text);
    }
    let mut kinds = [first.json(), second.json()]
        .map(|body| body["event"]["type"].as_str().unwrap().to_owned());
    kinds.sort();
    assert_eq!(kinds, ["app_mention", "message"]);
    assert_ne!(first.json()["event_id"], second.json()["event_id"]);
    delivered(&running).await;
    app.assert_quiet(&running.slack);
}

#[tokio::test]
async fn channel_types_echoes_edits_and_channels_without_the_bot() {
    let (mut app, running, _) = with_app().await;
    let slack = &running.slack;
    let asked = slack.post_as(ANA, RANDOM, "@alfred are you there?", None);
    asked.unwrap();
    slack.post_as(ANA, LEADERS, "private", None).unwrap();
    assert_eq!(app.next().await.json()["event"]["channel_type"], "group");
    slack.dm_as(ANA, "@alfred hi").unwrap();
    let event = app.next().await.json()["event"].clone();
    assert_eq!(event["type"], "message");
    assert_eq!(event["channel_type"], "im");
    let hi = json!({"channel": ANA_DM, "text": "hi Ana"});
    call(&running, "chat.postMessage", hi).await;
    let echo = app.next().await.json()["event"].clone();
    assert_eq!(echo["user"], ALFRED);
    assert_eq!(echo["bot_id"], "B0ALFRED01");
    let ts = echo["ts"].clone();
    let edit = json!({"channel": ANA_DM, "ts": ts, "text": "hello"});
    call(&running, "chat.update", edit).await;
    let changed = app.next().await.json()["event"].clone();
    assert_eq!(changed["subtype"], "message_changed");
    assert_eq!(changed["hidden"], true);
    assert_eq!(changed["message"]["text"], "hello");
    slack.open_home(BEN).unwrap();
    let home = app.next().await.json()["event"].clone();
    assert_eq!(home["type"], "app_home_opened");
    assert_eq!(home["tab"], "messages");
    let root = slack.dm_as(ANA, "long work").unwrap();
    app.next().await;
    slack.stop(ANA, ANA_DM, &root.ts).unwrap();
    let stop = app.next().await.json()["event"].clone();
    assert_eq!(stop["type"], "agent_session_stopped");
    assert_eq!(stop["thread_ts"], root.ts);
}

#[tokio::test]
async fn undelivered_events_are_repeated_at_once_after_one_and_five_minutes() {
    let (mut app, running, clock) = with_app().await;
    let slack = &running.slack;
    app.answers([500, 503, 500, 500].map(Reply::Status));
    slack.dm_as(ANA, "hi").unwrap();
    let first = app.next().await;
    let at_once = app.next().await;
    assert_eq!(at_once.header("x-slack-retry-num"), Some("1"));
    assert_eq!(at_once.header("x-slack-retry-reason"), Some("http_error"));
    assert_eq!(first.json()["event_id"], at_once.json()["event_id"]);
    let waiting = async |attempt| {
        let look = |slack: &SlackLocal| {
            let pending = slack.pending_deliveries().unwrap();
            let first = pending.first()?;
            (first.attempt == attempt).then_some(())
        };
        soon(slack.until(look)).await;
    };
    waiting(2).await;
    clock.advance(Duration::from_secs(59));
    assert_eq!(slack.pending_deliveries().unwrap().len(), 1);
    clock.advance(Duration::from_secs(1));
    assert_eq!(app.next().await.header("x-slack-retry-num"), Some("2"));
    waiting(3).await;
    clock.advance(Duration::from_secs(300));
    let last = app.next().await;
    assert_eq!(last.header("x-slack-retry-num"), Some("3"));
    last.check_signature(SIGNING_SECRET);
    delivered(&running).await;
    assert_eq!(slack.given_up_deliveries().unwrap().len(), 1);
    app.assert_quiet(slack);
}

#[tokio::test]
async fn slow_apps_time_out_and_may_ask_for_no_retry() {
    let mut app = App::start().await;
    let options = Options {
        request_url: app.url(),
        // Ten times what the second answer needs on a busy machine.
        answer_within: Duration::from_secs(2),
        ..Options::default()
    };
    let (running, _) = served(options).await;
    let slack = &running.slack;
    app.answers([Reply::Never, Reply::NoRetry(500)]);
    slack.dm_as(ANA, "hi").unwrap();
    app.next().await;
    assert_eq!(
        app.next().await.header("x-slack-retry-reason"),
        Some("http_timeout")
    );
    delivered(&running).await;
    assert_eq!(slack.given_up_deliveries().unwrap().len(), 1);
    app.answers([Reply::Never]);
    let slow = slack.command(ANA, ANA_DM, "/alfred", "").await;
    assert!(
        matches!(slow, Err(PersonError::Undelivered(Undelivered::Timeout))),
        "{slow:?}"
    );
}

#[tokio::test]
async fn events_that_waited_are_delivered_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let path = Some(folder.path().join("slack.sqlite"));
    let clock = HandClock::default();
    let options = || Options {
        path: path.clone(),
        ..Options::default()
    };
    let slack = open(options(), &clock);
    slack.dm_as(ANA, "are you up?").unwrap();
    let nowhere = slack.click(ANA, ANA_DM, "1.1", "x").await;
    assert!(matches!(nowhere, Err(PersonError::UnknownMessage)));
    drop(slack);
    let mut app = App::start().await;
    let running = open(options(), &clock).listen().await.unwrap();
    running.slack.set_request_url(&app.url);
    assert_eq!(app.next().await.json()["event"]["text"], "are you up?");
    delivered(&running).await;
    app.assert_quiet(&running.slack);
}

#[tokio::test]
async fn a_dead_app_counts_as_connection_failed() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    drop(listener);
    let options = Options {
        request_url: Some(url),
        ..Options::default()
    };
    let (running, _) = served(options).await;
    let slack = &running.slack;
    slack.dm_as(ANA, "hi").unwrap();
    let reason = slack.until(|slack| {
        let last = slack.pending_deliveries().unwrap().pop()?;
        (last.attempt == 2).then_some(last.reason)
    });
    assert_eq!(soon(reason).await, "connection_failed");
    let command = slack.command(ANA, ANA_DM, "/alfred", "help").await;
    assert!(matches!(
        command,
        Err(PersonError::Undelivered(Undelivered::ConnectionFailed))
    ));
}

#[tokio::test]
async fn clicks_carry_the_element_and_are_not_repeated() {
    let (mut app, running, _) = with_app().await;
    let slack = &running.slack;
    let card = json!({"channel": ANA_DM, "text": "Send?", "blocks": [buttons()]});
    let posted = call(&running, "chat.postMessage", card).await;
    let ts = posted["ts"].as_str().unwrap();
    app.next().await;
    slack.click(ANA, ANA_DM, ts, "approve").await.unwrap();
    let received = app.next().await;
    received.check_signature(SIGNING_SECRET);
    let click = received.payload();
    assert_eq!(click["type"], "block_actions");
    assert_eq!(click["actions"][0]["value"], "apr_1");
    assert_eq!(click["actions"][0]["block_id"], "decision");
    assert_eq!(click["container"]["message_ts"], ts);
    assert_eq!(click["channel"]["id"], ANA_DM);
    assert_eq!(click["user"]["id"], ANA);
    slack.choose(ANA, ANA_DM, ts, "pick", "1").await.unwrap();
    let chosen = app.next().await.payload()["actions"][0].clone();
    assert_eq!(chosen["selected_option"]["value"], "1");
    for wrong in ["reject", "pick"] {
        let refused = slack.click(ANA, ANA_DM, ts, wrong).await;
        assert!(matches!(refused, Err(PersonError::UnknownAction)));
    }
    let elsewhere = slack.click(BEN, ANA_DM, ts, "approve").await;
    assert!(matches!(elsewhere, Err(PersonError::UnknownChannel)));
    app.answers([Reply::Status(500)]);
    let failed = slack.click(ANA, ANA_DM, ts, "approve").await;
    assert!(matches!(
        failed,
        Err(PersonError::Undelivered(Undelivered::Status {
            status: 500,
            ..
        }))
    ));
    app.next().await;
    app.assert_quiet(slack);
}

#[tokio::test]
async fn commands_show_what_the_app_answers() {
    let (mut app, running, _) = with_app().await;
    let slack = &running.slack;
    app.answers([Reply::Json(json!({"text": "Working on it"}))]);
    slack
        .command(ANA, GENERAL, "/alfred", "run schedule_findGaps")
        .await
        .unwrap();
    let form = app.next().await.form();
    assert_eq!(form["command"], "/alfred");
    assert_eq!(form["text"], "run schedule_findGaps");
    assert_eq!(form["user_name"], "ana");
    assert_eq!(form["channel_name"], "general");
    assert_eq!(slack.ephemerals(ANA)[0].text, "Working on it");
    let nowhere = slack.command(ANA, "D0BEN00001", "/alfred", "").await;
    assert!(matches!(nowhere, Err(PersonError::UnknownChannel)));
}

fn modal(external_id: &str) -> Value {
    json!({"type": "modal", "callback_id": "edit", "external_id": external_id,
        "title": {"type": "plain_text", "text": "Edit"}, "submit": {"type": "plain_text", "text": "Save"},
        "blocks": [{"type": "input", "block_id": "body", "label": {"type": "plain_text", "text": "Body"},
            "element": {"type": "plain_text_input", "action_id": "text"}}]})
}

#[tokio::test]
async fn a_view_needs_a_fresh_trigger_and_comes_back_filled() {
    let (mut app, running, clock) = with_app().await;
    let slack = &running.slack;
    let mut triggers = Vec::new();
    for _ in 0..3 {
        slack.command(ANA, ANA_DM, "/alfred", "edit").await.unwrap();
        triggers.push(app.next().await.form()["trigger_id"].clone());
    }
    let open = async |trigger: &Value, view: Value| {
        let body = json!({"trigger_id": trigger, "view": view});
        call(&running, "views.open", body).await
    };
    let refused = async |trigger: &Value, view: Value| open(trigger, view).await["error"].clone();
    let none = json!("trg.none");
    assert_eq!(refused(&none, modal("a")).await, "invalid_trigger_id");
    let opened = open(&triggers[0], modal("apr_1.1")).await;
    let id = opened["view"]["id"].as_str().unwrap();
    let error = refused(&triggers[0], modal("b")).await;
    assert_eq!(error, "exchanged_trigger_id");
    let error = refused(&triggers[1], modal("apr_1.1")).await;
    assert_eq!(error, "duplicate_external_id");
    let mut broken = modal("c");
    broken["title"]["text"] = "x".repeat(25).into();
    let error = refused(&triggers[1], broken).await;
    assert_eq!(error, "invalid_arguments");
    clock.advance(Duration::from_millis(3001));
    let error = refused(&triggers[1], modal("d")).await;
    assert_eq!(error, "expired_trigger_id");

    let stale = json!({"external_id": "apr_1.1", "hash": "old", "view": modal("apr_1.1")});
    let error = call(&running, "views.update", stale).await["error"].clone();
    assert_eq!(error, "hash_conflict");
    let update =
        json!({"external_id": "apr_1.1", "hash": opened["view"]["hash"], "view": modal("apr_1.1")});
    let updated = call(&running, "views.update", update).await;
    assert_eq!(updated["view"]["id"], id);
    let missing = json!({"view_id": "V0", "view": modal("e")});
    let error = call(&running, "views.update", missing).await["error"].clone();
    assert_eq!(error, "not_found");

    let values = json!({"body": {"text": "Dear Ben"}});
    let empty = slack.submit_view(ANA, id, &json!({})).await;
    assert!(matches!(empty, Err(PersonError::MissingInput { block_id }) if block_id == "body"));
    app.answers([Reply::Json(
        json!({"response_action": "errors", "errors": {"body": "too short"}}),
    )]);
    let refused = slack.submit_view(ANA, id, &values).await.unwrap();
    assert_eq!(refused.body["errors"]["body"], "too short");
    assert_eq!(slack.views(ANA).unwrap().len(), 1);
    slack.submit_view(ANA, id, &values).await.unwrap();
    app.next().await;
    let payload = app.next().await.payload();
    assert_eq!(payload["type"], "view_submission");
    assert_eq!(payload["view"]["callback_id"], "edit");
    let submitted = &payload["view"]["state"]["values"];
    assert_eq!(submitted["body"]["text"]["value"], "Dear Ben");
    assert!(slack.views(ANA).unwrap().is_empty());
    let gone = slack.submit_view(ANA, id, &values).await;
    assert!(matches!(gone, Err(PersonError::UnknownView)));
}
