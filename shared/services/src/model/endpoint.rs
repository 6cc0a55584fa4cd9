//! One model at one endpoint: one attempt at a turn.

use alfred_core::ConfigError;
use alfred_core::config::ALFRED_MODEL_URL;
use alfred_core::ports::{Clock, Delta, ModelError, Output, Turn, TurnRequest};
use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream};
use reqwest::header::{ACCEPT, CONTENT_TYPE};
use reqwest::{Client, RequestBuilder, Response, StatusCode};
use secrecy::ExposeSecret;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::OnceCell;

use super::answer::{Answer, Chunk};
use super::events::Events;
use super::provider::{DEFAULT_OPENAI_MODEL, Endpoint};
use super::refusal::{self, ErrorBody, Fault};
use super::wire::{self, Dialect, JsonMode, Listing, ToolCache};

/// The most bytes of one answer, whatever they are; more is no answer of a language model.
const MAX_ANSWER_BYTES: usize = 16 * 1024 * 1024;
const TOO_LARGE: &str = "the answer is too large";
/// The most bytes of an error that are read.
const MAX_ERROR_BYTES: usize = 64 * 1024;
/// Time for the rest of a stream after its last event, so that its connection can be used again.
const DRAIN: Duration = Duration::from_millis(100);

/// The client all endpoints share: one pool of kept connections, no redirects
/// (a redirected POST would lose its body), no time-out of its own.
///
/// # Errors
/// `Invalid` when the TLS set-up fails, which happens where the machine has no root certificates.
pub fn http_client() -> Result<Client, ConfigError> {
    Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(Duration::from_secs(10))
        .tcp_nodelay(true)
        .user_agent(concat!("alfred/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|error| ConfigError::Invalid {
            name: ALFRED_MODEL_URL,
            reason: format!("no HTTP client: {error}"),
        })
}

/// A model behind `POST {base_url}/chat/completions`.
pub(super) struct ChatCompletions {
    endpoint: Endpoint,
    client: Client,
    clock: Arc<dyn Clock>,
    dialect: Mutex<Dialect>,
    tools: ToolCache,
    /// The endpoint's own choice, when the settings name no model.
    offered: OnceCell<String>,
}

impl ChatCompletions {
    pub(super) fn new(endpoint: Endpoint, client: Client, clock: Arc<dyn Clock>) -> Self {
        let dialect = Dialect {
            completion_cap: endpoint.base_url.contains(".openai.com/")
                || endpoint.base_url.contains(".openai.azure.com/"),
            stream: endpoint.streamed,
            stream_options: true,
            json: JsonMode::Schema,
        };
        Self {
            endpoint,
            client,
            clock,
            dialect: Mutex::new(dialect),
            tools: ToolCache::default(),
            offered: OnceCell::new(),
        }
    }

    /// `provider:model`.
    pub(super) fn name(&self) -> String {
        let model = self.endpoint.model.as_ref().or_else(|| self.offered.get());
        let model = model.map_or("(first offered)", String::as_str);
        format!("{}:{model}", self.endpoint.provider)
    }

    /// One attempt, said again in another way where the endpoint refuses only the way it was said.
    pub(super) async fn attempt(
        &self,
        request: &TurnRequest,
        deltas: &mut (dyn FnMut(Delta) + Send),
    ) -> Result<Turn, Fault> {
        let model = self.model().await?;
        let known = *self.dialect.lock().unwrap_or_else(PoisonError::into_inner);
        let mut dialect = known;
        loop {
            let body = wire::body(model, request, dialect, &self.tools).map_err(|error| {
                Fault::Stop(ModelError::Refused {
                    detail: format!("the request can't be written as JSON: {error}"),
                })
            })?;
            let sent = body.len();
            let url = format!("{}/chat/completions", self.endpoint.base_url);
            let post = self
                .client
                .post(url)
                .header(ACCEPT, "text/event-stream, application/json")
                .header(CONTENT_TYPE, "application/json")
                .body(body);
            let response = self.authorised(post).send().await;
            let response = response.map_err(|error| self.transport(&error))?;
            let status = response.status();
            if status.is_success() {
                let answer = self.read(response, deltas).await?;
                if dialect != known {
                    tracing::info!(model.name = %self.name(), ?dialect, "the endpoint wants it said differently");
                    *self.dialect.lock().unwrap_or_else(PoisonError::into_inner) = dialect;
                }
                let turns = request.messages.len();
                return answer
                    .finish(&self.endpoint.provider, model, sent, turns)
                    .map_err(|unusable| self.unusable(unusable.0));
            }
            let after = refusal::retry_after(response.headers(), self.clock.now());
            let error = ErrorBody::parse(&error_bytes(response).await);
            match adapted(dialect, known, status, &error, request) {
                Some(other) => dialect = other,
                None => return Err(refusal::fault(status, &error, after, &self.name())),
            }
        }
    }

    fn authorised(&self, request: RequestBuilder) -> RequestBuilder {
        match &self.endpoint.key {
            Some(key) => request.bearer_auth(key.expose_secret()),
            None => request,
        }
    }

    /// The configured model, else the one the endpoint offers (`GET /models`), asked once.
    async fn model(&self) -> Result<&str, Fault> {
        if let Some(model) = &self.endpoint.model {
            return Ok(model);
        }
        let found = self
            .offered
            .get_or_try_init(|| self.ask_for_models())
            .await?;
        Ok(found)
    }

    async fn ask_for_models(&self) -> Result<String, Fault> {
        let get = self
            .client
            .get(format!("{}/models", self.endpoint.base_url));
        let response = self.authorised(get).send().await;
        let response = response.map_err(|error| self.transport(&error))?;
        let status = response.status();
        if !status.is_success() {
            let after = refusal::retry_after(response.headers(), self.clock.now());
            let error = ErrorBody::parse(&error_bytes(response).await);
            return Err(refusal::fault(status, &error, after, &self.name()));
        }
        let listing = self.whole(response).await?;
        let listing: Listing = serde_json::from_slice(&listing)
            .map_err(|_| self.unusable("its list of models can't be read; set ALFRED_MODEL"))?;
        let preferred = listing
            .data
            .iter()
            .find(|model| model.id == DEFAULT_OPENAI_MODEL);
        preferred
            .or(listing.data.first())
            .map(|model| model.id.clone())
            .ok_or_else(|| {
                Fault::Next(ModelError::Refused {
                    detail: format!("{}: it lists no models; set ALFRED_MODEL", self.name()),
                })
            })
    }

    /// Reads an answer as the stream that was asked for, or as the one object that came instead.
    async fn read(
        &self,
        response: Response,
        deltas: &mut (dyn FnMut(Delta) + Send),
    ) -> Result<Answer, Fault> {
        let kind = response
            .headers()
            .get(CONTENT_TYPE)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
            .to_ascii_lowercase();
        if kind.starts_with("text/event-stream") {
            return self.read_events(response.bytes_stream(), deltas).await;
        }
        let whole = self.whole(response).await?;
        if whole.trim_ascii_start().starts_with(b"{") {
            let mut answer = Answer::default();
            self.take(&mut answer, &whole, deltas)?;
            return Ok(answer);
        }
        let events = stream::iter([Ok::<_, reqwest::Error>(Bytes::from(whole))]);
        self.read_events(events, deltas).await
    }

    async fn whole(&self, response: Response) -> Result<Vec<u8>, Fault> {
        let mut whole = Vec::new();
        let mut pieces = response.bytes_stream();
        while let Some(piece) = pieces.next().await {
            let piece = piece.map_err(|error| self.transport(&error))?;
            if whole.len() + piece.len() > MAX_ANSWER_BYTES {
                return Err(self.unusable(TOO_LARGE));
            }
            whole.extend_from_slice(&piece);
        }
        Ok(whole)
    }

    async fn read_events(
        &self,
        bytes: impl Stream<Item = reqwest::Result<Bytes>> + Send,
        deltas: &mut (dyn FnMut(Delta) + Send),
    ) -> Result<Answer, Fault> {
        let (mut answer, mut events) = (Answer::default(), Events::default());
        let mut left = MAX_ANSWER_BYTES;
        let mut bytes = std::pin::pin!(bytes);
        while let Some(piece) = bytes.next().await {
            let piece = match piece {
                Ok(piece) => piece,
                // All that matters had arrived.
                Err(_) if answer.is_finished() => return Ok(answer),
                Err(error) => return Err(self.transport(&error)),
            };
            let Some(after) = left.checked_sub(piece.len()) else {
                return Err(self.unusable(TOO_LARGE));
            };
            left = after;
            for data in events.take(&piece) {
                if data.trim_ascii() == b"[DONE]" {
                    let rest = async { while bytes.next().await.is_some() {} };
                    // Running out of time here only costs the connection.
                    let _ = tokio::time::timeout(DRAIN, rest).await;
                    return Ok(answer);
                }
                self.take(&mut answer, &data, deltas)?;
            }
        }
        if answer.is_finished() {
            Ok(answer)
        } else {
            Err(self.unusable("the stream was cut"))
        }
    }

    fn take(
        &self,
        answer: &mut Answer,
        json: &[u8],
        deltas: &mut (dyn FnMut(Delta) + Send),
    ) -> Result<(), Fault> {
        let chunk: Chunk =
            serde_json::from_slice(json).map_err(|_| self.unusable("truncated or invalid JSON"))?;
        if let Some(error) = chunk.error.as_ref().filter(|error| !error.is_null()) {
            let error = ErrorBody::from_value(error);
            let status = error.status().unwrap_or(StatusCode::BAD_GATEWAY);
            return Err(refusal::fault(status, &error, None, &self.name()));
        }
        answer
            .take(chunk, deltas)
            .map_err(|unusable| self.unusable(unusable.0))
    }

    fn unusable(&self, what: &str) -> Fault {
        Fault::again(ModelError::Unusable {
            detail: format!("{}: {what}", self.name()),
        })
    }

    /// A request that got no answer, or half of one. The URL stays out of it: it may hold a password.
    fn transport(&self, error: &reqwest::Error) -> Fault {
        let what = if error.is_connect() {
            "can't connect"
        } else if error.is_timeout() {
            "no answer in time"
        } else {
            "the connection broke"
        };
        Fault::again(ModelError::Unavailable {
            detail: format!("{}: {what}", self.name()),
        })
    }
}

/// The start of an error's body; what can't be read of it doesn't matter.
async fn error_bytes(response: Response) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut pieces = response.bytes_stream();
    while let Some(Ok(piece)) = pieces.next().await {
        bytes.extend_from_slice(&piece);
        if bytes.len() > MAX_ERROR_BYTES {
            break;
        }
    }
    bytes
}

/// Another way to say it, if the refusal is about the way. Each step is taken once, so this ends.
fn adapted(
    now: Dialect,
    start: Dialect,
    status: StatusCode,
    error: &ErrorBody,
    request: &TurnRequest,
) -> Option<Dialect> {
    if !matches!(status.as_u16(), 400 | 422) || error.is_context_length() {
        return None;
    }
    let cap = if now.completion_cap {
        "max_completion_tokens"
    } else {
        "max_tokens"
    };
    if now.completion_cap == start.completion_cap && error.is_about(cap) {
        return Some(Dialect {
            completion_cap: !now.completion_cap,
            ..now
        });
    }
    if now.stream_options && error.is_about("stream_options") {
        return Some(Dialect {
            stream_options: false,
            ..now
        });
    }
    if !matches!(request.output, Output::Json { .. }) {
        return None;
    }
    match now.json {
        JsonMode::Schema => Some(Dialect {
            json: JsonMode::Object,
            ..now
        }),
        JsonMode::Object => Some(Dialect {
            json: JsonMode::Words,
            ..now
        }),
        JsonMode::Words => None,
    }
}
