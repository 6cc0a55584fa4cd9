//! A provider's native endpoint: the common parts of Anthropic's and OpenAI's.

use alfred_core::model::{Said, Unusable};
use alfred_core::ports::{Delta, Output, Turn, TurnRequest, Usage};
use async_trait::async_trait;
use std::sync::{Mutex, PoisonError};

use super::attempt::Attempt;
use super::connection::{Connection, Refusal, unsayable, withheld};
use super::price;
use super::reading::{Incoming, Reader};
use super::refusal::Fault;
use super::tool_list::ToolCache;

pub(super) trait Form: Send + Sync + 'static {
    /// Relative to the base URL.
    const PATH: &'static str;
    type Answer: Incoming + TryInto<Said, Error = Unusable>;

    fn body(
        connection: &Connection,
        request: &TurnRequest,
        tools: &ToolCache,
        ways: Ways,
    ) -> Result<Vec<u8>, serde_json::Error>;
}

/// Request variants, learned from refusals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ways {
    /// Whether the schema is a field of the request; otherwise it is in the prompt.
    pub(super) schema: bool,
    /// Whether encrypted reasoning is requested, to be sent back.
    pub(super) reasoning: bool,
}

impl Ways {
    /// The next variant, if the refusal is about the variant. Each option is dropped once, so this ends.
    fn after(self, refusal: &Refusal, request: &TurnRequest) -> Option<Self> {
        let asks_json = matches!(request.output, Output::Json { .. });
        if self.reasoning && refusal.body.is_about("encrypted content") {
            return Some(Self {
                reasoning: false,
                ..self
            });
        }
        (self.schema && asks_json && refusal.may_be_about_the_shape()).then_some(Self {
            schema: false,
            ..self
        })
    }
}

pub(super) struct Native<F> {
    connection: Connection,
    tools: ToolCache,
    ways: Mutex<Ways>,
    form: std::marker::PhantomData<F>,
}

impl<F: Form> Native<F> {
    pub(super) fn new(connection: Connection) -> Self {
        Self {
            connection,
            tools: ToolCache::default(),
            ways: Mutex::new(Ways {
                schema: true,
                reasoning: true,
            }),
            form: std::marker::PhantomData,
        }
    }
}

#[async_trait]
impl<F: Form> Attempt for Native<F> {
    fn name(&self) -> String {
        self.connection.name()
    }

    /// Retries with another variant if the endpoint only refuses the variant.
    async fn attempt(
        &self,
        request: &TurnRequest,
        deltas: &mut (dyn FnMut(Delta) + Send),
    ) -> Result<Turn, Fault> {
        let known = *self.ways.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut ways, reader) = (known, Reader(self.name()));
        loop {
            let body = F::body(&self.connection, request, &self.tools, ways);
            let body = body.map_err(|error| unsayable(&error))?;
            let sent = request.weight(body.len());
            let response = self.connection.post(F::PATH, body, &reader).await?;
            if !response.status().is_success() {
                let refusal = self.connection.refusal(response).await;
                if refusal.is_filtered() {
                    return Ok(withheld(self.name(), Usage::default()));
                }
                let other = ways.after(&refusal, request);
                ways = other.ok_or_else(|| refusal.fault(&self.name()))?;
                continue;
            }
            let answer: F::Answer = reader.answer(response, deltas).await?;
            let said: Result<Said, Unusable> = answer.try_into();
            let turns = request.messages.len();
            let turn = said.and_then(|said| said.turn(self.name(), sent, turns));
            let mut turn = turn.map_err(|unusable| reader.unusable(unusable.0))?;
            turn.usage.cost_micros = price::cost_of(&turn.model, &turn.usage);
            if ways != known {
                tracing::info!(model.name = %self.name(), ?ways, "the endpoint wants it said differently");
                *self.ways.lock().unwrap_or_else(PoisonError::into_inner) = ways;
            }
            return Ok(turn);
        }
    }
}
