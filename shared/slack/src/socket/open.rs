//! Opens a WebSocket: `apps.connections.open`, then the handshake at the address that it answers.

use alfred_core::config::is_loopback;
use alfred_core::ports::{ChatError, Clock};
use alfred_http::{LazyClient, with_causes};
use async_trait::async_trait;
use reqwest::header::{CONNECTION, UPGRADE};
use reqwest::{StatusCode, Url};
use serde_json::json;
use std::time::Duration;
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_tungstenite::tungstenite::handshake::client::generate_key;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

use crate::{SlackClient, answers};

const METHOD: &str = "apps.connections.open";
/// For the call and for the handshake, each. One that hangs would leave the app deaf without an error.
const WITHIN: Duration = Duration::from_secs(30);
const WEBSOCKET: &str = "websocket";

/// A byte stream, encrypted or not.
pub trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

#[derive(Debug, Error)]
pub enum OpenError {
    #[error(transparent)]
    Call(#[from] ChatError),
    #[error("{0}")]
    Handshake(String),
}

/// Opens streams that have passed the handshake of a WebSocket.
#[async_trait]
pub trait Dial: Send + Sync {
    async fn dial(&self) -> Result<Box<dyn Stream>, OpenError>;
}

/// The client has the app-level token.
#[async_trait]
impl Dial for SlackClient {
    async fn dial(&self) -> Result<Box<dyn Stream>, OpenError> {
        let clock = &*self.clock;
        let url = within(clock, async { Ok(self.socket_url().await?) }).await?;
        within(clock, handshake(&url)).await
    }
}

impl SlackClient {
    /// The address of a new connection, for one use. Needs an app-level token.
    pub async fn socket_url(&self) -> Result<String, ChatError> {
        let answer = self.calls().write(METHOD, &json!({})).await?;
        answers::text(METHOD, &answer, "/url")
    }
}

async fn within<T>(
    clock: &dyn Clock,
    work: impl Future<Output = Result<T, OpenError>>,
) -> Result<T, OpenError> {
    tokio::select! {
        biased;
        done = work => done,
        () = clock.sleep(WITHIN) => Err(OpenError::Handshake("no answer within 30 s".into())),
    }
}

/// The handshake over the HTTP client, with its TLS and proxies. No error repeats the URL, which lets anybody in.
async fn handshake(url: &str) -> Result<Box<dyn Stream>, OpenError> {
    let refused = |why: &str| OpenError::Handshake(format!("the WebSocket's address {why}"));
    let broken = |error: reqwest::Error| OpenError::Handshake(with_causes(&error.without_url()));
    let mut url = Url::parse(url).map_err(|_| refused("is no URL"))?;
    let scheme = match url.scheme() {
        "wss" => "https",
        "ws" if is_loopback(url.as_str()) => "http",
        _ => return Err(refused("isn't encrypted")),
    };
    url.set_scheme(scheme)
        .map_err(|()| refused("is no URL of a host"))?;
    let http = LazyClient::default();
    let http = http.get(url.as_str(), reqwest::ClientBuilder::http1_only);
    let key = generate_key();
    let request = http.map_err(broken)?.get(url);
    let request = request
        .header(CONNECTION, UPGRADE.as_str())
        .header(UPGRADE, WEBSOCKET)
        .header("sec-websocket-version", "13")
        .header("sec-websocket-key", &key);
    let answer = request.send().await.map_err(broken)?;
    if answer.status() != StatusCode::SWITCHING_PROTOCOLS {
        let status = answer.status().as_u16();
        let why = format!("Slack refused the WebSocket with HTTP {status}");
        return Err(OpenError::Handshake(why));
    }
    let accepted = answer.headers().get("sec-websocket-accept");
    if accepted.is_none_or(|accepted| *accepted != derive_accept_key(key.as_bytes())) {
        return Err(OpenError::Handshake("it answers as no WebSocket".into()));
    }
    Ok(Box::new(answer.upgrade().await.map_err(broken)?))
}
