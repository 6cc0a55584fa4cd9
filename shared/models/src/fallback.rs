//! Asks an ordered list of models until one answers, within one time limit.

use alfred_core::ConfigError;
use alfred_core::ports::{Clock, Finish, Model, ModelError, ModelHost, Turn, TurnRequest, Usage};
use alfred_http::Retries;
use async_trait::async_trait;
use jiff::Timestamp;
use std::sync::Arc;
use std::time::Duration;

use super::attempt::{Attempt, open_endpoint};
use super::price;
use super::provider::Endpoint;
use super::refusal::Fault;

const ATTEMPTS: u32 = 3;

/// Endpoints in order. Each gets up to three attempts and its share of the remaining time: half if one more
/// follows, a third if two follow.
pub struct Fallbacks {
    models: Vec<Box<dyn Attempt>>,
    clock: Arc<dyn Clock>,
}

impl Fallbacks {
    /// `Invalid` if `host` lacks a hosted model. A rustls provider must be installed before the first turn.
    pub fn new(
        endpoints: Vec<Endpoint>,
        host: Option<&dyn ModelHost>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, ConfigError> {
        let models = endpoints.into_iter();
        let models = models.map(|endpoint| open_endpoint(endpoint, host, &clock));
        Ok(Self {
            models: models.collect::<Result<_, _>>()?,
            clock,
        })
    }

    fn left(&self, deadline: Timestamp) -> Duration {
        Duration::try_from(deadline.duration_since(self.clock.now())).unwrap_or_default()
    }

    /// All attempts at one endpoint, until `deadline`.
    async fn ask(
        &self,
        model: &dyn Attempt,
        deadline: Timestamp,
        request: &TurnRequest,
        wasted: &mut Usage,
    ) -> Result<Turn, Fault> {
        let mut retries = Retries::of(ATTEMPTS);
        loop {
            let limit = self.left(deadline);
            let turn = tokio::time::timeout(limit, model.attempt(request, wasted)).await;
            let (error, after) = match turn {
                Ok(Ok(turn)) => return Ok(without_withheld_calls(turn)),
                Ok(Err(Fault::Again { error, after })) => (error, after),
                Ok(Err(fault)) => return Err(fault),
                Err(_) => {
                    return Err(Fault::Next(ModelError::Timeout {
                        detail: format!("{}: no answer within {} s", model.name(), limit.as_secs()),
                    }));
                }
            };
            let pause = retries.next(after);
            let Some(pause) = pause.filter(|pause| *pause < self.left(deadline)) else {
                return Err(Fault::Next(error));
            };
            tracing::warn!(
                model.name = %model.name(), pause_ms = pause.as_millis(), %error,
                "model attempt failed, trying again"
            );
            self.clock.sleep(pause).await;
        }
    }
}

/// A withheld answer may contain half a call.
fn without_withheld_calls(mut turn: Turn) -> Turn {
    if turn.finish == Finish::Filtered {
        turn.tool_calls.clear();
    }
    turn
}

/// Ranks errors by usefulness to the caller: "retry later" before "give up".
fn rank(error: &ModelError) -> u8 {
    match error {
        ModelError::RateLimited { .. } => 4,
        ModelError::Timeout { .. } => 3,
        ModelError::Unavailable { .. } => 2,
        ModelError::Unusable { .. } => 1,
        ModelError::Refused { .. }
        | ModelError::NotConfigured { .. }
        | ModelError::TooLong { .. } => 0,
    }
}

#[async_trait]
impl Model for Fallbacks {
    async fn turn(&self, request: &TurnRequest, wasted: &mut Usage) -> Result<Turn, ModelError> {
        let deadline = self.clock.now().checked_add(request.timeout);
        let deadline = deadline.unwrap_or(Timestamp::MAX);
        let mut errors = Vec::new();
        for (place, model) in self.models.iter().enumerate() {
            let behind = (self.models.len() - place) as u32;
            let left = self.left(deadline);
            if left.is_zero() {
                break;
            }
            let share = self.clock.now().checked_add(left / behind);
            let share = share.unwrap_or(deadline);
            let error = match self.ask(&**model, share, request, wasted).await {
                Ok(turn) => return Ok(turn),
                Err(Fault::Stop(error)) => return Err(error),
                Err(Fault::Next(error) | Fault::Again { error, .. }) => error,
            };
            if behind > 1 {
                tracing::warn!(model.name = %model.name(), %error, "model failed, trying the next");
            }
            errors.push(error);
        }
        // The first of equally useful ones.
        let most_useful = errors.into_iter().rev().max_by_key(rank);
        Err(most_useful.unwrap_or_else(|| ModelError::Timeout {
            detail: "no time was left to ask".into(),
        }))
    }

    fn costs_at_most(&self, usage: &Usage) -> Option<u64> {
        let costs = self.models.iter();
        let costs = costs.filter_map(|model| price::cost_of(&model.name(), usage));
        costs.max()
    }

    fn name(&self) -> String {
        let names: Vec<String> = self.models.iter().map(|model| model.name()).collect();
        names.join(",")
    }
}
