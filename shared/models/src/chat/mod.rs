//! Chat completions, the API that nearly all servers offer: one attempt at a turn.

mod answer;
mod calls;
mod dialect;
mod messages;
pub(super) mod window;
mod wire;

use alfred_core::ports::{Delta, Finish, ModelError, Output, Turn, TurnRequest, Usage};
use async_trait::async_trait;
use serde_json::Value;
use std::sync::{Mutex, PoisonError};
use tokio::sync::OnceCell;

use super::attempt::Attempt;
use super::connection::{Connection, unsayable, withheld};
use super::provider::DEFAULT_OPENAI_MODEL;
use super::reading::Reader;
use super::refusal::Fault;
use super::tool_list::ToolCache;
use answer::Answer;
use dialect::{Dialect, JsonMode};
use wire::To;

/// A model at `POST {base_url}/chat/completions`.
pub(super) struct ChatCompletions {
    connection: Connection,
    dialect: Mutex<Dialect>,
    tools: ToolCache,
    /// The answer of `GET /models`, requested once.
    listing: OnceCell<Value>,
    /// Context in tokens, if known.
    window: OnceCell<Option<u32>>,
}

impl ChatCompletions {
    pub(super) fn new(connection: Connection) -> Self {
        let endpoint = &connection.endpoint;
        Self {
            dialect: Mutex::new(Dialect::of(&endpoint.base_url, endpoint.streamed)),
            window: OnceCell::new_with(endpoint.context.map(Some)),
            connection,
            tools: ToolCache::default(),
            listing: OnceCell::new(),
        }
    }

    fn reader(&self) -> Reader {
        Reader(self.name())
    }

    /// The request body, with a limit that leaves room for an answer.
    fn body(&self, model: &str, request: &TurnRequest, dialect: Dialect) -> Result<Vec<u8>, Fault> {
        let body = |cap| {
            let to = To {
                provider: &self.connection.endpoint.provider,
                model,
                dialect,
                cap,
            };
            wire::body(to, request, &self.tools).map_err(|error| unsayable(&error))
        };
        let whole = body(request.max_output_tokens)?;
        let Some(window) = self.window.get().copied().flatten() else {
            return Ok(whole);
        };
        let weight = request.weight(whole.len());
        match window::room(window, weight, request.max_output_tokens) {
            Some(cap) if cap == request.max_output_tokens => Ok(whole),
            Some(cap) => body(cap),
            None => Err(self.too_long(weight, window)),
        }
    }

    fn too_long(&self, sent: usize, window: u32) -> Fault {
        let tokens = window::tokens(sent);
        Fault::Stop(ModelError::TooLong {
            detail: format!(
                "{}: about {tokens} tokens for a model that takes {window} with its answer",
                self.name()
            ),
        })
    }

    /// Detects local servers that silently truncate a long prompt.
    async fn see_whole(&self, model: &str, sent: usize, usage: &Usage) -> Result<(), Fault> {
        if self.connection.endpoint.is_hosted() {
            return Ok(());
        }
        if !self.window.initialized() {
            // Asked after an answer, since the model may not be loaded before.
            let window = self.find_window(model).await;
            if window.is_some_and(|window| window < window::LEAST_CONTEXT) {
                tracing::warn!(model.name = %self.name(), window, "the model takes too few tokens at once; give it a larger context");
            }
            // A concurrent request found the same.
            let _ = self.window.set(window);
        }
        if !window::was_cut(self.window.get().copied().flatten(), sent, usage) {
            return Ok(());
        }
        Err(Fault::Stop(ModelError::TooLong {
            detail: format!(
                "{}: it read {} of about {} tokens; give the model a larger context",
                self.name(),
                usage.input_tokens,
                window::tokens(sent)
            ),
        }))
    }

    /// The model's context in tokens, as its server reports it.
    pub(super) async fn find_window(&self, model: &str) -> Option<u32> {
        let ask = async {
            let listed = self.listing().await.ok();
            if let Some(window) = listed.and_then(|list| window::of(list, model)) {
                return Some(window);
            }
            let root = self.connection.endpoint.base_url.strip_suffix("/v1")?;
            for path in window::PATHS {
                let answer = self.get(&format!("{root}{path}")).await.ok();
                let window = answer.and_then(|answer| window::of(&answer, model));
                if window.is_some() {
                    return window;
                }
            }
            None
        };
        tokio::time::timeout(window::PATIENCE, ask).await.ok()?
    }

    /// The configured model, or the one that the endpoint offers.
    pub(super) async fn model(&self) -> Result<&str, Fault> {
        if let Some(model) = &self.connection.endpoint.model {
            return Ok(model);
        }
        let listing = self.listing().await?;
        window::offered(listing, DEFAULT_OPENAI_MODEL).ok_or_else(|| {
            Fault::Next(ModelError::Refused {
                detail: format!("{}: it lists no models; set ALFRED_MODEL", self.name()),
            })
        })
    }

    async fn listing(&self) -> Result<&Value, Fault> {
        let url = format!("{}/models", self.connection.endpoint.base_url);
        self.listing.get_or_try_init(|| self.get(&url)).await
    }

    async fn get(&self, url: &str) -> Result<Value, Fault> {
        let get = self.connection.client.get(url);
        let response = self.connection.authorised(get).send().await;
        let response = response.map_err(|error| self.reader().transport(&error))?;
        if !response.status().is_success() {
            return Err(self.connection.refusal(response).await.fault(&self.name()));
        }
        let body = self.reader().whole(response).await?;
        serde_json::from_slice(&body).map_err(|_| {
            self.reader()
                .unusable("its list of models can't be read; set ALFRED_MODEL")
        })
    }
}

#[async_trait]
impl Attempt for ChatCompletions {
    fn name(&self) -> String {
        let listed = || window::offered(self.listing.get()?, DEFAULT_OPENAI_MODEL);
        let model = self.connection.endpoint.model.as_deref().or_else(listed);
        let model = model.unwrap_or("(first offered)");
        format!("{}:{model}", self.connection.endpoint.provider)
    }

    /// Retries with another variant if the endpoint only refuses the variant.
    async fn attempt(
        &self,
        request: &TurnRequest,
        deltas: &mut (dyn FnMut(Delta) + Send),
    ) -> Result<Turn, Fault> {
        let model = self.model().await?;
        let known = *self.dialect.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut dialect, mut before, reader) = (known, Usage::default(), self.reader());
        loop {
            let body = self.body(model, request, dialect)?;
            let (weight, words) = (request.weight(body.len()), request.words(body.len()));
            let post = self.connection.post("/chat/completions", body, &reader);
            let response = post.await?;
            if !response.status().is_success() {
                let refusal = self.connection.refusal(response).await;
                if refusal.is_filtered() {
                    return Ok(withheld(self.name(), before));
                }
                dialect = dialect
                    .after(known, &refusal, request)
                    .ok_or_else(|| refusal.fault(&self.name()))?;
                continue;
            }
            let answer: Answer = reader.answer(response, deltas).await?;
            let turns = request.messages.len();
            let turn = answer.finish(&self.connection.endpoint.provider, model, weight, turns);
            let mut turn = turn.map_err(|unusable| reader.unusable(unusable.0))?;
            self.see_whole(model, words, &turn.usage).await?;
            turn.usage = before.plus(&turn.usage);
            if dialect.json != JsonMode::Words && ignores_json(request, &turn) {
                before = turn.usage;
                dialect.json = JsonMode::Words;
                continue;
            }
            if dialect != known {
                tracing::info!(model.name = %self.name(), ?dialect, "the endpoint wants it said differently");
                *self.dialect.lock().unwrap_or_else(PoisonError::into_inner) = dialect;
            }
            return Ok(turn);
        }
    }
}

/// Whether the endpoint accepted the JSON request but ignored it.
fn ignores_json(request: &TurnRequest, turn: &Turn) -> bool {
    let object = || {
        let (from, to) = (turn.text.find('{')?, turn.text.rfind('}')?);
        serde_json::from_str::<Value>(turn.text.get(from..=to)?).ok()
    };
    matches!(request.output, Output::Json { .. })
        && turn.finish == Finish::Stop
        && !turn.refused
        && object().is_none()
}
