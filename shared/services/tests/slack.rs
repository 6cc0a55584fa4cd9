//! The Slack client against the strict local Slack, through real HTTP: every
//! method, every class of outcome.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "helpers of tests: a panic is a failed assertion"
)]

use alfred_core::UserId;
use alfred_core::ports::{Chat, ChatError, Clock, Look, Post, Posted, SystemIds};
use alfred_services::slack::SlackClient;
use alfred_slack_local::seed::{ALFRED, ANA, ANA_DM, BEN, CHIYO, GENERAL, RANDOM};
use alfred_slack_local::{Fault, Hold, Options, Release, RequestUrls, Running, SlackLocal};
use alfred_testkit::ManualClock;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

const POST: &str = "chat.postMessage";
const SECRET_TEXT: &str = "the merger is on Friday";

struct World {
    running: Running,
    client: SlackClient,
    clock: ManualClock,
}

impl World {
    fn slack(&self) -> &SlackLocal {
        &self.running.slack
    }

    fn waited(&self) -> Duration {
        let since = self.clock.now() - ManualClock::default().now();
        Duration::try_from(since).unwrap()
    }
}

/// The client and the stand-in under one clock; sleeping moves it on at once.
async fn world(options: Options) -> World {
    // Another test of this process may have installed it.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let clock = ManualClock::default();
    let slack = SlackLocal::open(options, Arc::new(clock.clone()), Arc::new(SystemIds)).unwrap();
    let running = slack.listen().await.unwrap();
    let client = client(&running.api_url(), &clock);
    World {
        running,
        client,
        clock,
    }
}

fn client(base_url: &str, clock: &ManualClock) -> SlackClient {
    SlackClient::new(base_url, "xoxb-local".into(), Arc::new(clock.clone()))
}

fn post(channel: &str, key: &str) -> Post {
    Post {
        channel: channel.into(),
        thread_ts: None,
        text: SECRET_TEXT.into(),
        blocks: Vec::new(),
        idempotency_key: key.into(),
    }
}

fn look(channel: &str, key: &str) -> Look {
    Look {
        channel: channel.into(),
        thread_ts: None,
        oldest: "0".into(),
        idempotency_key: key.into(),
    }
}

fn kind(error: &ChatError) -> &'static str {
    let shown = format!("{error} {error:?}");
    assert!(
        !shown.contains("xoxb") && !shown.contains(SECRET_TEXT),
        "{shown}"
    );
    match error {
        ChatError::NotSent { .. } => "not sent",
        ChatError::RateLimited { .. } => "rate limited",
        ChatError::Unknown { .. } => "unknown",
        ChatError::Refused { .. } => "refused",
    }
}

fn code(error: ChatError) -> String {
    match error {
        ChatError::Refused { code, .. } => code,
        other => panic!("not refused: {other}"),
    }
}

#[tokio::test]
async fn a_post_carries_its_key_and_no_unfurling() {
    let world = world(Options::default()).await;
    let root = world.slack().dm_as(ANA, "hello").unwrap();
    let blocks = vec![json!({"type": "divider"})];
    let mut reply = Post {
        thread_ts: Some(root.ts.clone()),
        blocks,
        ..post(ANA_DM, "run_1:7")
    };
    let posted = world.client.post(&reply).await.unwrap();
    assert_eq!(posted.channel.as_str(), ANA_DM);
    let message = world.slack().message(ANA_DM, &posted.ts).unwrap();
    assert_eq!(message.thread_ts, Some(root.ts));
    assert_eq!(message.text, SECRET_TEXT);
    let metadata = json!({"event_type": "alfred_reply", "event_payload": {"key": "run_1:7"}});
    assert_eq!(message.metadata, Some(metadata));
    let sent = world.slack().calls().pop().unwrap().arguments;
    assert_eq!(
        (&sent["unfurl_links"], &sent["unfurl_media"]),
        (&json!(false), &json!(false))
    );
    reply = post(CHIYO, "run_1:8");
    let opened = world.client.post(&reply).await.unwrap();
    assert_eq!(
        opened.channel.as_str(),
        world.slack().dm_with(CHIYO).unwrap().id
    );
}

#[tokio::test]
async fn what_never_left_is_not_sent() {
    let world = world(Options::default()).await;
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let dead = format!("http://{}", free.local_addr().unwrap());
    drop(free);
    for url in [dead.as_str(), "http://nowhere.invalid/api", "no address"] {
        let error = client(url, &world.clock)
            .post(&post(GENERAL, "k"))
            .await
            .unwrap_err();
        assert_eq!(kind(&error), "not sent", "{url}: {error}");
    }
}

#[tokio::test]
async fn without_an_answer_the_outcome_is_unknown() {
    let world = world(Options::default()).await;
    let faults = [
        (Fault::DropBefore, 0),
        (Fault::DropAfter, 1),
        (Fault::GarbledAfter, 1),
        (Fault::StatusAfter { status: 500 }, 1),
        (Fault::Status { status: 503 }, 0),
        (Fault::Status { status: 408 }, 0),
        (
            Fault::Error {
                code: "internal_error".into(),
            },
            0,
        ),
        (
            Fault::Error {
                code: "fatal_error".into(),
            },
            0,
        ),
    ];
    let mut expected = 0;
    for (fault, happened) in faults {
        world.slack().fail_next(POST, 1, fault.clone());
        let error = world.client.post(&post(GENERAL, "k")).await.unwrap_err();
        assert_eq!(kind(&error), "unknown", "{fault:?}: {error}");
        expected += happened;
        assert_eq!(
            world.slack().messages(GENERAL, 99).unwrap().len(),
            expected,
            "{fault:?}"
        );
    }
}

#[tokio::test]
async fn an_answer_that_does_not_come_is_unknown() {
    let world = world(Options::default()).await;
    let mut gate = world.slack().hold(POST, Hold::AfterEffect);
    let client =
        client(&world.running.api_url(), &world.clock).request_timeout(Duration::from_millis(300));
    let error = client.post(&post(GENERAL, "k")).await.unwrap_err();
    assert_eq!(kind(&error), "unknown", "{error}");
    gate.arrived().await.release(Release::Complete);
    let found = world.client.find(&look(GENERAL, "k")).await.unwrap();
    assert_eq!(
        found.unwrap().ts,
        world.slack().messages(GENERAL, 1).unwrap()[0].ts
    );
}

#[tokio::test]
async fn refusals_carry_slacks_code() {
    let world = world(Options::default()).await;
    let long = Post {
        text: "x".repeat(40_001),
        ..post(GENERAL, "k")
    };
    let blocks = vec![json!({"type": "sektion"})];
    let wrong = Post {
        blocks,
        ..post(GENERAL, "k")
    };
    let orphan = Post {
        thread_ts: Some("1.1".into()),
        ..post(GENERAL, "k")
    };
    for (post, expected) in [
        (post("C0NOWHERE", "k"), "channel_not_found"),
        (post(RANDOM, "k"), "not_in_channel"),
        (long, "msg_too_long"),
        (wrong, "invalid_blocks"),
        (orphan, "thread_not_found"),
    ] {
        assert_eq!(code(world.client.post(&post).await.unwrap_err()), expected);
    }
    let stranger = SlackClient::new(
        &world.running.api_url(),
        "xoxb-wrong".into(),
        Arc::new(world.clock.clone()),
    );
    assert_eq!(
        code(stranger.post(&post(GENERAL, "k")).await.unwrap_err()),
        "invalid_auth"
    );
    let astray = client(&format!("{}/nowhere", world.running.url), &world.clock);
    assert_eq!(
        code(astray.post(&post(GENERAL, "k")).await.unwrap_err()),
        "http_404"
    );
    assert!(world.slack().messages(GENERAL, 9).unwrap().is_empty());
}

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
async fn the_client_keeps_slacks_pace_by_itself() {
    let world = world(Options {
        rate_limit: true,
        ..Options::default()
    })
    .await;
    for n in 0..10 {
        world
            .client
            .post(&post(GENERAL, &n.to_string()))
            .await
            .unwrap();
    }
    assert_eq!(world.slack().call_counts()[POST], 10);
    assert_eq!(world.waited(), Duration::from_secs(7));
    world.client.post(&post(ANA_DM, "k")).await.unwrap();
    assert_eq!(world.waited(), Duration::from_secs(7));
}

#[tokio::test]
async fn a_lost_reply_is_found_by_its_key() {
    let world = world(Options::default()).await;
    let root = world.slack().dm_as(ANA, "hello").unwrap();
    let lost = |key: &'static str, thread: Option<String>| {
        world.slack().fail_next(POST, 1, Fault::DropAfter);
        let post = Post {
            thread_ts: thread,
            ..post(ANA_DM, key)
        };
        let client = &world.client;
        async move { client.post(&post).await.unwrap_err() }
    };
    lost("flat", None).await;
    lost("deep", Some(root.ts.clone())).await;
    let flat = world
        .client
        .find(&look(ANA_DM, "flat"))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        world.slack().message(ANA_DM, &flat.ts).unwrap().thread_ts,
        None
    );
    let in_thread = |key| Look {
        thread_ts: Some(root.ts.clone()),
        ..look(ANA_DM, key)
    };
    let deep = world
        .client
        .find(&in_thread("deep"))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        world.slack().message(ANA_DM, &deep.ts).unwrap().thread_ts,
        Some(root.ts.clone())
    );
    assert_eq!(
        world.client.find(&look(ANA_DM, "deep")).await.unwrap(),
        None
    );
    assert_eq!(world.client.find(&in_thread("flat")).await.unwrap(), None);
    assert_eq!(
        world
            .client
            .find(&look(ANA, "flat"))
            .await
            .unwrap()
            .unwrap(),
        flat
    );
    let later = Look {
        oldest: deep.ts,
        ..look(ANA_DM, "flat")
    };
    assert_eq!(world.client.find(&later).await.unwrap(), None);
    let gone = Look {
        thread_ts: Some("1.1".into()),
        ..look(ANA_DM, "flat")
    };
    assert_eq!(world.client.find(&gone).await.unwrap(), None);
    assert_eq!(
        code(world.client.find(&look("C0X", "k")).await.unwrap_err()),
        "channel_not_found"
    );
}

#[tokio::test]
async fn looks_and_threads_go_through_all_pages() {
    let world = world(Options::default()).await;
    let first = world.client.post(&post(GENERAL, "old")).await.unwrap();
    for n in 0..210 {
        world
            .slack()
            .post_as(ANA, GENERAL, &n.to_string(), None)
            .unwrap();
        world
            .slack()
            .post_as(BEN, GENERAL, &n.to_string(), Some(&first.ts))
            .unwrap();
    }
    let found = world
        .client
        .find(&look(GENERAL, "old"))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(found, first);
    assert_eq!(world.slack().call_counts()["conversations.history"], 2);
    let thread = world
        .client
        .thread(&GENERAL.into(), &first.ts, 3)
        .await
        .unwrap();
    let texts: Vec<_> = thread.iter().map(|message| message.text.as_str()).collect();
    assert_eq!(texts, ["207", "208", "209"]);
    let whole = world
        .client
        .thread(&GENERAL.into(), &first.ts, 1000)
        .await
        .unwrap();
    assert_eq!(
        (whole.len(), whole[0].from_app, whole[1].from_app),
        (211, true, false)
    );
    assert_eq!(whole[1].user, Some(UserId::from(BEN)));
}

#[tokio::test]
async fn the_workspace_is_the_tokens() {
    let world = world(Options::default()).await;
    let seed = world.slack().seed();
    assert_eq!(world.client.team().await.unwrap().as_str(), seed.team_id);
    let stranger = SlackClient::new(
        &world.running.api_url(),
        "xoxb-other".into(),
        Arc::new(world.clock.clone()),
    );
    let refused = stranger.team().await;
    assert!(
        matches!(&refused, Err(ChatError::Refused { code, .. }) if code == "invalid_auth"),
        "{refused:?}"
    );
}

#[tokio::test]
async fn people_are_told_from_bots_and_strangers() {
    let world = world(Options::default()).await;
    let ana = world.client.user(&ANA.into()).await.unwrap().unwrap();
    assert_eq!(
        (ana.username.as_str(), ana.name.as_str()),
        ("ana", "Ana Marques")
    );
    assert_eq!(
        (ana.email.as_str(), ana.timezone.as_deref()),
        ("ana@example.com", Some("Europe/Lisbon"))
    );
    assert!(ana.is_person);
    assert!(
        !world
            .client
            .user(&ALFRED.into())
            .await
            .unwrap()
            .unwrap()
            .is_person
    );
    assert_eq!(world.client.user(&"U0NOBODY".into()).await.unwrap(), None);
    let mut gone = world.slack().people().unwrap().remove(1);
    (gone.deleted, gone.email, gone.tz) = (true, String::new(), String::new());
    world.slack().put_person(&gone).unwrap();
    let gone = world
        .client
        .user(&gone.id.as_str().into())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        (gone.is_person, gone.email.as_str(), gone.timezone),
        (false, "", None)
    );
}

#[tokio::test]
async fn edits_whispers_and_status_lines() {
    let world = world(Options::default()).await;
    let root = world.slack().dm_as(ANA, "hello").unwrap();
    let blocks = vec![json!({"type": "divider"})];
    let posted = world
        .client
        .post(&Post {
            blocks,
            ..post(ANA_DM, "k")
        })
        .await
        .unwrap();
    world.client.update(&posted, "done", &[]).await.unwrap();
    let edited = world.slack().message(ANA_DM, &posted.ts).unwrap();
    assert_eq!((edited.text.as_str(), edited.blocks.len()), ("done", 0));
    assert_eq!(edited.metadata.unwrap()["event_payload"]["key"], "k");
    let gone = Posted {
        ts: "1.1".into(),
        ..posted
    };
    assert_eq!(
        code(world.client.update(&gone, "x", &[]).await.unwrap_err()),
        "message_not_found"
    );
    world
        .client
        .ephemeral(&GENERAL.into(), &BEN.into(), "psst")
        .await
        .unwrap();
    assert_eq!(world.slack().ephemerals(BEN)[0].text, "psst");
    let channel = ANA_DM.into();
    world
        .client
        .set_status(&channel, &root.ts, "is thinking…")
        .await
        .unwrap();
    assert_eq!(
        world.slack().status(ANA_DM, &root.ts).unwrap().unwrap(),
        "is thinking…"
    );
    world
        .client
        .set_status(&channel, &root.ts, "")
        .await
        .unwrap();
    assert_eq!(world.slack().status(ANA_DM, &root.ts).unwrap(), None);
}

fn modal(title: &str) -> Value {
    json!({"type": "modal", "title": {"type": "plain_text", "text": title}, "blocks": []})
}

#[tokio::test]
async fn views_open_for_three_seconds_and_are_replaced() {
    let app = wiremock::MockServer::start().await;
    let taken = wiremock::Mock::given(wiremock::matchers::any());
    taken
        .respond_with(wiremock::ResponseTemplate::new(200))
        .mount(&app)
        .await;
    let options = Options {
        request_urls: Some(RequestUrls::all(app.uri())),
        ..Options::default()
    };
    let world = world(options).await;
    let mut triggers = Vec::new();
    for _ in 0..2 {
        world
            .slack()
            .command(ANA, ANA_DM, "/alfred", "")
            .await
            .unwrap();
        let request = app.received_requests().await.unwrap().pop().unwrap();
        let form = String::from_utf8(request.body).unwrap();
        let trigger = form
            .split('&')
            .find_map(|field| field.strip_prefix("trigger_id="));
        triggers.push(trigger.unwrap().to_owned());
    }
    let id = world
        .client
        .open_view(&triggers[0], &modal("One"))
        .await
        .unwrap();
    world.client.update_view(&id, &modal("Two")).await.unwrap();
    let views = world.slack().views(ANA).unwrap();
    assert_eq!(
        (views.len(), &views[0].view["title"]["text"]),
        (1, &json!("Two"))
    );
    world.clock.advance(Duration::from_secs(4));
    let late = world
        .client
        .open_view(&triggers[1], &modal("Three"))
        .await
        .unwrap_err();
    assert_eq!(code(late), "expired_trigger_id");
    let missing = world
        .client
        .update_view("V0", &modal("Four"))
        .await
        .unwrap_err();
    assert_eq!(code(missing), "not_found");
}
