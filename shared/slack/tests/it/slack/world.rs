//! The client in front of the strict local Slack, and what its posts look like.

use alfred_core::ports::{Chat, ChatError, Clock, Look, Post, Posted, SystemIds};
use alfred_slack::SlackClient;
use alfred_slack_local::{Options, Running, SlackLocal};
use alfred_testkit::ManualClock;
use std::sync::Arc;
use std::time::Duration;

const TOKEN: &str = "xoxb-local";
pub const POST: &str = "chat.postMessage";
pub const SECRET_TEXT: &str = "the merger is on Friday";

pub struct World {
    pub running: Running,
    pub client: SlackClient,
    pub clock: ManualClock,
}

impl World {
    pub async fn found(&self, look: &Look) -> Option<Posted> {
        self.client.find(look).await.unwrap()
    }

    pub fn slack(&self) -> &SlackLocal {
        &self.running.slack
    }

    pub fn waited(&self) -> Duration {
        let since = self.clock.now() - ManualClock::default().now();
        Duration::try_from(since).unwrap()
    }
}

/// The client and the stand-in under one clock; sleeping moves it on at once.
pub async fn world(mut options: Options) -> World {
    options.seed.bot_token = TOKEN.into();
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

pub fn client(base_url: &str, clock: &ManualClock) -> SlackClient {
    SlackClient::new(base_url, TOKEN.into(), Arc::new(clock.clone()))
}

/// An address at which nobody listens.
pub fn dead() -> String {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}", free.local_addr().unwrap())
}

pub fn post(channel: &str, key: &str) -> Post {
    Post {
        channel: channel.into(),
        thread_ts: None,
        text: SECRET_TEXT.into(),
        blocks: Vec::new(),
        idempotency_key: key.into(),
    }
}

pub fn look(channel: &str, key: &str) -> Look {
    Look {
        channel: channel.into(),
        thread_ts: None,
        oldest: "0".into(),
        idempotency_key: key.into(),
    }
}

pub fn kind(error: &ChatError) -> &'static str {
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

pub fn code(error: ChatError) -> String {
    match error {
        ChatError::Refused { code, .. } => code,
        other => panic!("not refused: {other}"),
    }
}
