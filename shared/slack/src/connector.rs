//! Sends slack-morphism's requests with reqwest. Transport errors are a `ChatError` inside
//! `HttpProtocolError`, so *not sent* and *unknown* stay distinct.

use alfred_core::ports::Clock;
use alfred_http::{LazyClient, retry_after, up_to};
use futures_util::future::BoxFuture;
use reqwest::{ClientBuilder, Method, RequestBuilder, StatusCode, Url, header};
use serde::{Deserialize, Serialize};
use slack_morphism::errors::SlackClientError;
use slack_morphism::multipart_form::FileMultipartData;
use slack_morphism::{
    ClientResult, SlackApiToken, SlackClientApiCallContext, SlackClientHttpConnector,
    SlackClientId, SlackClientSecret,
};
use std::sync::Arc;
use std::time::Duration;

use super::outcome::{limited, lost, not_sent, refused, unknown};

/// Largest answer, in bytes.
const MAX_REPLY_BYTES: usize = 16 * 1024 * 1024;
/// A request that exceeds this has an unknown outcome.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// Idle connections are closed after this: a post on a dead connection has an unknown outcome.
const IDLE_TIMEOUT: Duration = Duration::from_secs(10);
/// Wait for a rate limit without a `Retry-After`, or with one that is over.
const LEAST_WAIT: Duration = Duration::from_secs(1);

/// Builds its HTTP client at the first request.
pub(super) struct Connector {
    pub base_url: String,
    http: LazyClient,
    clock: Arc<dyn Clock>,
}

struct Answer {
    status: StatusCode,
    wait: Duration,
    body: Vec<u8>,
}

#[derive(Deserialize)]
struct Envelope {
    ok: bool,
    error: Option<String>,
}

impl Connector {
    pub fn new(base_url: &str, clock: Arc<dyn Clock>) -> Self {
        Self {
            base_url: base_url.trim_end_matches('/').to_owned(),
            http: LazyClient::default(),
            clock,
        }
    }

    fn http(&self) -> ClientResult<&reqwest::Client> {
        let settings = |builder: ClientBuilder| {
            builder
                .timeout(REQUEST_TIMEOUT)
                .connect_timeout(CONNECT_TIMEOUT)
                .pool_idle_timeout(IDLE_TIMEOUT)
        };
        let client = self.http.get(&self.base_url, settings);
        client.map_err(|error| not_sent(error.to_string()))
    }

    fn request(
        &self,
        method: Method,
        uri: Url,
        token: Option<&SlackApiToken>,
    ) -> ClientResult<RequestBuilder> {
        let request = self.http()?.request(method, uri);
        Ok(match token {
            Some(token) => request.bearer_auth(&token.token_value.0),
            None => request,
        })
    }

    /// Downloads from a Slack URL. `None` if it is larger than `most` bytes. Without permission Slack
    /// redirects to a sign-in page, which is an error here.
    pub async fn bytes(
        &self,
        address: Url,
        token: &SlackApiToken,
        most: usize,
    ) -> ClientResult<Option<Vec<u8>>> {
        let request = self.request(Method::GET, address, Some(token))?;
        match self.read(request, most).await? {
            Some(answer) if answer.status != StatusCode::OK => Err(refused_with(answer.status)),
            answer => Ok(answer.map(|answer| answer.body)),
        }
    }

    /// Sends the request and reads the whole answer.
    async fn exchange(&self, request: RequestBuilder) -> ClientResult<Answer> {
        let answer = self.read(request, MAX_REPLY_BYTES).await?;
        answer.ok_or_else(|| unknown("an answer larger than any of Slack's"))
    }

    /// As `exchange`; `None` if the answer is larger than `most` bytes. An error status counts, whatever the body is.
    async fn read(&self, request: RequestBuilder, most: usize) -> ClientResult<Option<Answer>> {
        let response = request.send().await.map_err(lost)?;
        let status = response.status();
        let wait = retry_after(response.headers(), self.clock.now());
        let wait = wait.map_or(LEAST_WAIT, |wait| wait.max(LEAST_WAIT));
        if status == StatusCode::TOO_MANY_REQUESTS {
            return Err(limited(wait));
        }
        if status.is_server_error() || status == StatusCode::REQUEST_TIMEOUT {
            return Err(unknown(format!("HTTP {}", status.as_u16())));
        }
        let (body, has_more) = up_to(response, most).await.map_err(lost)?;
        Ok((!has_more).then_some(Answer { status, wait, body }))
    }

    fn call<'a, RS>(
        &'a self,
        request: ClientResult<RequestBuilder>,
    ) -> BoxFuture<'a, ClientResult<RS>>
    where
        RS: for<'de> Deserialize<'de> + Send + 'a,
    {
        Box::pin(async move {
            let answer = self.exchange(request?).await?;
            checked(&answer)?;
            serde_json::from_slice(&answer.body)
                .map_err(|error| unknown(format!("unexpected answer: {error}")))
        })
    }
}

fn refused_with(status: StatusCode) -> SlackClientError {
    refused(format!("http_{}", status.as_u16()))
}

fn checked(answer: &Answer) -> ClientResult<()> {
    match serde_json::from_slice(&answer.body) {
        Ok(Envelope { ok: true, .. }) => Ok(()),
        Ok(Envelope {
            error: Some(code), ..
        }) => Err(match code.as_str() {
            "ratelimited" | "rate_limited" => limited(answer.wait),
            // Slack documents these as "some aspect of the operation may have succeeded".
            "internal_error" | "fatal_error" | "service_unavailable" => unknown(code),
            _ => refused(code),
        }),
        _ if answer.status.is_success() => Err(unknown("an answer without ok")),
        _ => Err(refused_with(answer.status)),
    }
}

fn no_method<'a, RS: Send + 'a>() -> BoxFuture<'a, ClientResult<RS>> {
    Box::pin(std::future::ready(Err(not_sent(
        "no method that Alfred calls is sent so",
    ))))
}

impl SlackClientHttpConnector for Connector {
    fn create_method_uri_path(&self, method: &str) -> ClientResult<Url> {
        Ok(format!("{}/{method}", self.base_url).parse()?)
    }

    fn http_get_uri<'a, RS>(
        &'a self,
        uri: Url,
        context: SlackClientApiCallContext<'a>,
    ) -> BoxFuture<'a, ClientResult<RS>>
    where
        RS: for<'de> Deserialize<'de> + Send + 'a,
    {
        self.call(self.request(Method::GET, uri, context.token))
    }

    fn http_post_uri<'a, RQ, RS>(
        &'a self,
        uri: Url,
        body: &'a RQ,
        context: SlackClientApiCallContext<'a>,
    ) -> BoxFuture<'a, ClientResult<RS>>
    where
        RQ: Serialize + Send + Sync,
        RS: for<'de> Deserialize<'de> + Send + 'a,
    {
        let request = self.request(Method::POST, uri, context.token);
        self.call(request.map(|request| request.json(body)))
    }

    /// Uploads a file's bytes. The URL itself is the credential and may be another host's, so no token is
    /// sent.
    fn http_post_uri_binary<'a, 'p, RS>(
        &'a self,
        uri: Url,
        content_type: String,
        data: &'a [u8],
        _: SlackClientApiCallContext<'a>,
    ) -> BoxFuture<'a, ClientResult<RS>>
    where
        RS: for<'de> Deserialize<'de> + Send + 'a,
    {
        Box::pin(async move {
            let request = self.request(Method::POST, uri, None)?;
            let request = request.header(header::CONTENT_TYPE, content_type);
            match self.exchange(request.body(data.to_vec())).await?.status {
                StatusCode::OK => serde_json::from_str("{}")
                    .map_err(|error| unknown(format!("unexpected answer: {error}"))),
                status => Err(refused_with(status)),
            }
        })
    }

    fn http_get_with_client_secret<'a, RS>(
        &'a self,
        _: Url,
        _: &'a SlackClientId,
        _: &'a SlackClientSecret,
    ) -> BoxFuture<'a, ClientResult<RS>>
    where
        RS: for<'de> Deserialize<'de> + Send + 'a,
    {
        no_method()
    }

    fn http_post_uri_multipart_form<'a, 'p, RS, PT, TS>(
        &'a self,
        _: Url,
        _: Option<FileMultipartData<'p>>,
        _: &'p PT,
        _: SlackClientApiCallContext<'a>,
    ) -> BoxFuture<'a, ClientResult<RS>>
    where
        RS: for<'de> Deserialize<'de> + Send + 'a,
        PT: IntoIterator<Item = (&'p str, Option<TS>)> + Clone,
        TS: AsRef<str> + 'p + Send,
    {
        no_method()
    }
}
