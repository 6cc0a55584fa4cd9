//! One attempt at a turn over HTTP, in any wire format.

use alfred_core::model::Said;
use alfred_core::ports::{Finish, ModelError, Output, TextSink, Turn, TurnRequest, Usage};
use async_trait::async_trait;
use reqwest::Response;
use serde_json::Value;
use std::marker::PhantomData;
use std::sync::{Mutex, PoisonError};
use tokio::sync::OnceCell;

use super::attempt::Attempt;
use super::connection::{Connection, Refusal};
use super::provider::DEFAULT_OPENAI_MODEL;
use super::reading::{Incoming, Reader};
use super::refusal::Fault;
use super::variant::{JsonMode, Variant};
use super::{price, window};

/// A provider's API: how a request is written and an answer is read.
pub(super) trait WireFormat: Send + Sync + 'static {
    /// Relative to the base URL.
    const PATH: &'static str;
    /// Ways to request JSON, strictest first.
    const JSON_MODES: &'static [JsonMode] = &[JsonMode::Schema, JsonMode::Words];
    type Answer: Incoming;

    fn body(to: Target<'_>, request: &TurnRequest) -> Value;

    /// The variant without the field that a refusal is about. Each step away from `start` is taken once.
    fn without_field(_: Variant, _start: Variant, _: &Refusal) -> Option<Variant> {
        None
    }
}

#[derive(Clone, Copy)]
pub(super) struct Target<'a> {
    pub(super) provider: &'a str,
    pub(super) model: &'a str,
    pub(super) variant: Variant,
    pub(super) cap: u32,
}

/// A model at `POST {base_url}{PATH}`.
pub(super) struct Client<W> {
    connection: Connection,
    variant: Mutex<Variant>,
    /// The model that `GET /models` offers, requested once.
    offered: OnceCell<String>,
    wire: PhantomData<W>,
}

impl<W: WireFormat> Client<W> {
    pub(super) fn new(connection: Connection) -> Self {
        Self {
            variant: Mutex::new(Variant::of(&connection.endpoint)),
            connection,
            offered: OnceCell::new(),
            wire: PhantomData,
        }
    }

    fn reader(&self) -> Reader {
        Reader(self.name(), TextSink::default())
    }

    /// The request body, with a limit that leaves room for an answer.
    fn body(&self, model: &str, request: &TurnRequest, variant: Variant) -> Result<String, Fault> {
        let endpoint = &self.connection.endpoint;
        let mut to = Target {
            provider: &endpoint.provider,
            model,
            variant,
            cap: request.max_output_tokens,
        };
        let body = W::body(to, request).to_string();
        let Some(window) = endpoint.context else {
            return Ok(body);
        };
        let sent = window::tokens(request.weight(body.len()));
        to.cap = window::room(window, sent, to.cap).ok_or_else(|| {
            self.too_long(&format!(
                "about {sent} tokens for a model that takes {window} with its answer"
            ))
        })?;
        Ok(W::body(to, request).to_string())
    }

    fn too_long(&self, why: &str) -> Fault {
        Fault::Stop(ModelError::TooLong {
            detail: format!("{}: {why}", self.name()),
        })
    }

    /// Reads the answer to `request`, whose body has `sent` bytes. Until it is a turn, its cost is in `wasted`.
    /// `None` for an answer without a byte.
    async fn read(
        &self,
        response: Response,
        request: &TurnRequest,
        sent: usize,
        wasted: &mut Usage,
    ) -> Result<Option<Turn>, Fault> {
        let (before, weight) = (*wasted, request.weight(sent));
        // If the caller gives up in the middle, the input has been paid for.
        *wasted = before.plus(&self.priced(Usage::estimated(weight, 0)));
        let reader = Reader(self.name(), request.sink.clone());
        let mut answer = W::Answer::default();
        let read = reader.answer(response, &mut answer).await;
        let said: Said = answer.into();
        let (used, is_empty) = (self.priced(said.used(weight)), said.is_empty());
        let turn = read.and_then(|has_body| {
            if !has_body {
                return Ok(None);
            }
            let turn = said.turn(self.name(), weight, request.messages.len());
            let turn = turn.map_err(|unusable| reader.unusable(unusable.0))?;
            self.check_read_whole(request.words(sent), &used)?;
            Ok(Some(Turn {
                usage: used,
                ..turn
            }))
        });
        let is_free = match &turn {
            Ok(_) => true,
            // An error or a web page instead of an answer.
            Err(fault) => is_empty && !fault.is_unusable(),
        };
        *wasted = if is_free { before } else { before.plus(&used) };
        turn
    }

    /// With the price of the model. Of the endpoints that report a cost, OpenRouter's is in dollars.
    fn priced(&self, usage: Usage) -> Usage {
        let reported = usage.cost_micros;
        let reported = reported.filter(|_| self.connection.endpoint.provider == "openrouter");
        Usage {
            cost_micros: reported.or_else(|| price::cost_of(&self.name(), &usage)),
            ..usage
        }
    }

    /// Detects servers of one's own that silently truncate a long prompt. With a set context none is sent.
    fn check_read_whole(&self, sent: usize, usage: &Usage) -> Result<(), Fault> {
        let endpoint = &self.connection.endpoint;
        let is_whole = endpoint.is_hosted() || endpoint.context.is_some();
        if is_whole || !window::was_cut(sent, usage.input_tokens) {
            return Ok(());
        }
        Err(self.too_long(&format!(
            "it read {} of about {} tokens; give the model a larger context",
            usage.input_tokens,
            window::tokens(sent)
        )))
    }

    /// The configured model, or the one that the endpoint offers.
    async fn model(&self) -> Result<&str, Fault> {
        match &self.connection.endpoint.model {
            Some(model) => Ok(model),
            None => Ok(self.offered.get_or_try_init(|| self.list()).await?),
        }
    }

    async fn list(&self) -> Result<String, Fault> {
        let (connection, reader) = (&self.connection, self.reader());
        let response = connection.send("/models", None, &reader).await?;
        if !response.status().is_success() {
            return Err(connection.refusal(response).await.fault(&self.name()));
        }
        let body = reader.whole(response).await?;
        let listing = serde_json::from_slice(&body)
            .map_err(|_| reader.unusable("its list of models can't be read; set ALFRED_MODEL"))?;
        let offered = offered(&listing).map(str::to_owned);
        offered.ok_or_else(|| reader.refused("it lists no models; set ALFRED_MODEL"))
    }
}

#[async_trait]
impl<W: WireFormat> Attempt for Client<W> {
    fn name(&self) -> String {
        let endpoint = &self.connection.endpoint;
        let model = endpoint.model.as_ref().or_else(|| self.offered.get());
        let model = model.map_or("(first offered)", String::as_str);
        format!("{}:{model}", endpoint.provider)
    }

    /// Retries with another variant if the endpoint only refuses the variant.
    async fn attempt(&self, request: &TurnRequest, wasted: &mut Usage) -> Result<Turn, Fault> {
        let model = self.model().await?;
        let known = *self.variant.lock().unwrap_or_else(PoisonError::into_inner);
        let mut variant = known;
        loop {
            let body = self.body(model, request, variant)?;
            let sent = body.len();
            let reader = self.reader();
            let response = self.connection.send(W::PATH, Some(body), &reader).await?;
            if !response.status().is_success() {
                let refusal = self.connection.refusal(response).await;
                if refusal.body.is_filtered(refusal.status) {
                    return Ok(withheld(self.name()));
                }
                let other = W::without_field(variant, known, &refusal)
                    .or_else(|| variant.with_weaker_json(W::JSON_MODES, &refusal, request));
                variant = other.ok_or_else(|| refusal.fault(&self.name()))?;
                continue;
            }
            let Some(turn) = self.read(response, request, sent, wasted).await? else {
                // Some servers report an error only to a request that isn't streamed.
                if !variant.stream {
                    return Err(reader.unusable("the answer is empty"));
                }
                variant.stream = false;
                continue;
            };
            variant.stream = known.stream;
            if variant.json != JsonMode::Words && ignores_json(request, &turn) {
                *wasted = wasted.plus(&turn.usage);
                variant.json = JsonMode::Words;
                continue;
            }
            if variant != known {
                tracing::info!(model.name = %self.name(), ?variant, "the endpoint takes another variant of requests");
                *self.variant.lock().unwrap_or_else(PoisonError::into_inner) = variant;
            }
            return Ok(turn);
        }
    }
}

/// The turn for an answer that the provider withheld because of the request.
fn withheld(model: String) -> Turn {
    Turn {
        text: String::new(),
        tool_calls: Vec::new(),
        finish: Finish::Filtered,
        refused: false,
        usage: Usage::default(),
        model,
    }
}

/// The model of a list: the default one of OpenAI, or the first.
fn offered(listing: &Value) -> Option<&str> {
    let models = listing["data"].as_array()?;
    let ids = || models.iter().filter_map(|model| model["id"].as_str());
    let default = ids().find(|id| *id == DEFAULT_OPENAI_MODEL);
    default.or_else(|| ids().next())
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
