//! The client in front of the stand-in, and the ids that a scenario has named.

use alfred_core::ports::{ChatError, Clock, Image, Live, Look, Post, Progress, SystemIds};
use alfred_slack::SlackClient;
use alfred_slack_local::seed::{ALFRED, ANA, ANA_DM, BEN, CHIYO, GENERAL, RANDOM};
use alfred_slack_local::{Options, Running, SlackLocal};
use alfred_testkit::ManualClock;
use alfred_testkit::stand_in::{self, Log, Reply};
use jiff::Timestamp;
use std::sync::Arc;
use std::time::Duration;

const TOKEN: &str = "xoxb-local";
const SECRET_TEXT: &str = "the merger is on Friday";

pub struct World {
    pub running: Running,
    pub client: SlackClient,
    pub clock: ManualClock,
    /// The id of what the last step made.
    pub last: String,
    /// Answers of a server that isn't the stand-in, in turn.
    pub replies: Vec<Reply>,
    pub sent: Log,
    pub reported: usize,
    /// The last live message, and what it shows.
    pub live: Option<(Live, Progress)>,
    /// Ids and the names that stand for them.
    pub names: Vec<(String, String)>,
    since: Timestamp,
}

impl World {
    pub async fn new() -> Self {
        Self::with(Options::default()).await
    }

    /// The client and the stand-in under one clock; sleeping moves it on at once.
    pub async fn with(mut options: Options) -> Self {
        options.seed.bot_token = TOKEN.into();
        let (url, sent) = stand_in::serve_in_turn(vec![Reply::new(200, "text/plain", "")]);
        options.request_url = Some(url);
        // Another test of this process may have installed it.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let clock = ManualClock::default();
        let slack = SlackLocal::open(options, Arc::new(clock.clone()), Arc::new(SystemIds));
        let running = slack.unwrap().listen().await.unwrap();
        let names = [
            ("@ana_dm", ANA_DM),
            ("@ana", ANA),
            ("@ben", BEN),
            ("@chiyo", CHIYO),
            ("@alfred", ALFRED),
            ("#general", GENERAL),
            ("#random", RANDOM),
        ];
        Self {
            client: client(&running.api_url(), TOKEN, &clock),
            running,
            since: clock.now(),
            clock,
            last: String::new(),
            replies: Vec::new(),
            sent,
            reported: 0,
            live: None,
            names: names.map(|(name, id)| (name.into(), id.into())).to_vec(),
        }
    }

    /// The time that passed in a step, if any did.
    pub fn waited(&mut self) -> Option<String> {
        let waited = Duration::try_from(self.clock.now() - self.since).unwrap();
        self.since = self.clock.now();
        (!waited.is_zero()).then(|| format!("waited {} s", waited.as_secs_f64()))
    }
}

pub fn client(base_url: &str, token: &str, clock: &ManualClock) -> SlackClient {
    SlackClient::new(base_url, token.into(), Arc::new(clock.clone()))
}

pub fn option<'a>(options: &[&'a str], name: &str) -> Option<&'a str> {
    let at = options.iter().position(|option| *option == name)?;
    Some(options[at + 1])
}

pub fn post(channel: &str, key: &str, options: &[&str]) -> Post {
    let blocks = option(options, "blocks").unwrap_or("[]");
    let long = option(options, "long").map(|length| "x".repeat(length.parse().unwrap()));
    Post {
        channel: channel.into(),
        thread_ts: option(options, "in").map(str::to_owned),
        text: long.unwrap_or_else(|| SECRET_TEXT.into()),
        blocks: serde_json::from_str(blocks).unwrap(),
        idempotency_key: key.into(),
    }
}

pub fn look(channel: &str, key: &str, options: &[&str]) -> Look {
    Look {
        channel: channel.into(),
        thread_ts: option(options, "in").map(str::to_owned),
        oldest: option(options, "since").unwrap_or("0").into(),
        idempotency_key: key.into(),
    }
}

/// The header of a PNG, which is all that the stand-in reads.
pub fn image(alt: String) -> Image {
    let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    png.extend([0, 0, 4, 176, 0, 0, 2, 188, 8, 6, 0, 0, 0]);
    Image {
        name: "day.png".into(),
        alt,
        png,
    }
}

/// The class of an error, which never repeats a token, a message or the URL of an upload.
pub fn failed(error: &ChatError) -> String {
    let shown = format!("{error} {error:?}");
    for secret in ["xoxb", SECRET_TEXT, "/upload/"] {
        assert!(!shown.contains(secret), "{shown}");
    }
    match error {
        ChatError::NotSent { .. } => "not sent".into(),
        ChatError::RateLimited { retry_after } => {
            format!("rate limited for {} s", retry_after.as_secs())
        }
        ChatError::Unknown { .. } => "unknown".into(),
        ChatError::Refused { code, .. } => format!("refused: {code}"),
    }
}
