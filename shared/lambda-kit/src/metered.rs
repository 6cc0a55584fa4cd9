//! Ports that count and time their calls into the metrics of the request at hand.

use alfred_core::ports::{Call, Clock, Intercept, ModelError, Turn, TurnRequest};
use std::sync::{Arc, Mutex, PoisonError};

use crate::metrics::{
    CHAT_CALLS, COST_MICROS, MODEL_CALLS, MODEL_TIME, Metric, Metrics, QUEUE_SENDS, STORE_CALLS,
    TOKENS_INPUT, TOKENS_OUTPUT, TOOL_CALLS, TOOL_TIME,
};

/// The metrics of the request at hand. A Lambda handles one message at a time.
#[derive(Clone, Default)]
pub struct Meter(Arc<Mutex<Metrics>>);

impl Meter {
    /// From now on everything counts into these.
    pub fn count_into(&self, metrics: Metrics) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = metrics;
    }

    fn add(&self, metric: Metric, value: f64) {
        let current = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        current.add(metric, value);
    }

    pub(crate) fn tool(&self, ms: u64) {
        self.add(TOOL_CALLS, 1.0);
        self.add(TOOL_TIME, float(ms));
    }
}

#[allow(
    clippy::cast_precision_loss,
    reason = "2^53 tokens or milliseconds aren't met"
)]
fn float(n: u64) -> f64 {
    n as f64
}

/// Which metric counts a call.
fn counter(call: Call<'_>) -> Option<Metric> {
    let (port, _) = call.name.split_once('.')?;
    match port {
        "store" => Some(STORE_CALLS),
        "queue" => Some(QUEUE_SENDS),
        "chat" => Some(CHAT_CALLS),
        _ => None,
    }
}

#[derive(Clone)]
pub struct Metering {
    pub meter: Meter,
    pub clock: Arc<dyn Clock>,
}

impl Intercept for Metering {
    async fn call<T: Send, E: Send + 'static>(
        &self,
        call: Call<'_>,
        work: impl Future<Output = Result<T, E>> + Send,
    ) -> Result<T, E> {
        if let Some(metric) = counter(call) {
            self.meter.add(metric, 1.0);
        }
        work.await
    }

    async fn turn(
        &self,
        _: &TurnRequest,
        work: impl Future<Output = Result<Turn, ModelError>> + Send,
    ) -> Result<Turn, ModelError> {
        let began = self.clock.now();
        let turn = work.await;
        let took = self.clock.now().duration_since(began).as_millis();
        let add = |metric, value| self.meter.add(metric, float(value));
        add(MODEL_CALLS, 1);
        add(MODEL_TIME, u64::try_from(took).unwrap_or(0));
        if let Ok(Turn { usage, .. }) = &turn {
            add(TOKENS_INPUT, usage.input_tokens);
            add(TOKENS_OUTPUT, usage.output_tokens);
            add(COST_MICROS, usage.cost_micros.unwrap_or(0));
        }
        turn
    }
}
