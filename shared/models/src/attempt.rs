//! One attempt at a model turn.

use alfred_core::ConfigError;
use alfred_core::config::ALFRED_MODEL;
use alfred_core::ports::{Clock, Model, ModelError, ModelHost, Turn, TurnRequest, Usage};
use alfred_http::LazyClient;
use async_trait::async_trait;
use std::sync::Arc;

use super::anthropic::Anthropic;
use super::chat::Chat;
use super::client::Client;
use super::connection::Connection;
use super::price;
use super::provider::{Endpoint, Wire};
use super::refusal::Fault;
use super::responses::Responses;

/// A model without retries; the caller decides about those.
#[async_trait]
pub(super) trait Attempt: Send + Sync {
    /// `provider:model`.
    fn name(&self) -> String;

    /// Adds to `wasted` what was paid for no turn.
    async fn attempt(&self, request: &TurnRequest, wasted: &mut Usage) -> Result<Turn, Fault>;
}

pub(super) fn open_endpoint(
    endpoint: Endpoint,
    host: Option<&dyn ModelHost>,
    clock: &Arc<dyn Clock>,
) -> Result<Box<dyn Attempt>, ConfigError> {
    let connection = |endpoint| Connection {
        endpoint,
        http: LazyClient::default(),
        clock: clock.clone(),
    };
    Ok(match endpoint.wire {
        Wire::Messages => Box::new(Client::<Anthropic>::new(connection(endpoint))),
        Wire::Responses => Box::new(Client::<Responses>::new(connection(endpoint))),
        Wire::Chat => Box::new(Client::<Chat>::new(connection(endpoint))),
        Wire::Hosted => {
            let model = endpoint.model.as_deref().unwrap_or_default();
            let host = host.ok_or_else(|| {
                let name = format!("{}:{model}", endpoint.provider);
                let reason =
                    format!("\"{name}\" needs the AWS SDK: build alfred with --features aws");
                ConfigError::invalid(ALFRED_MODEL, reason)
            })?;
            Box::new(Hosted(host.model(model)))
        }
    })
}

struct Hosted(Arc<dyn Model>);

#[async_trait]
impl Attempt for Hosted {
    fn name(&self) -> String {
        self.0.name()
    }

    async fn attempt(&self, request: &TurnRequest, wasted: &mut Usage) -> Result<Turn, Fault> {
        let before = *wasted;
        let turn = self.0.turn(request, wasted).await;
        let mut more = Usage {
            input_tokens: wasted.input_tokens - before.input_tokens,
            cached_tokens: wasted.cached_tokens - before.cached_tokens,
            cache_write_tokens: wasted.cache_write_tokens - before.cache_write_tokens,
            output_tokens: wasted.output_tokens - before.output_tokens,
            cost_micros: None,
        };
        more.cost_micros = price::cost_of(&self.name(), &more);
        *wasted = before.plus(&more);
        let mut turn = turn.map_err(fault)?;
        turn.usage.cost_micros = price::cost_of(&turn.model, &turn.usage);
        Ok(turn)
    }
}

fn fault(error: ModelError) -> Fault {
    match error {
        ModelError::RateLimited { retry_after, .. } => Fault::Again {
            after: retry_after,
            error,
        },
        ModelError::Unavailable { .. } | ModelError::Unusable { .. } => Fault::again(error),
        ModelError::Timeout { .. }
        | ModelError::Refused { .. }
        | ModelError::NotConfigured { .. } => Fault::Next(error),
        ModelError::TooLong { .. } => Fault::Stop(error),
    }
}
