//! Language models: any OpenAI-compatible endpoint, and an ordered list of them.
//!
//! ```no_run
//! # fn main() -> Result<(), alfred_core::ConfigError> {
//! use alfred_core::ports::SystemClock;
//! use std::sync::Arc;
//!
//! let model = alfred_services::model::from_settings(|name| std::env::var(name).ok(), Arc::new(SystemClock))?;
//! println!("answers: {}", model.name());
//! # Ok(())
//! # }
//! ```

mod answer;
mod calls;
mod dialect;
mod endpoint;
mod error_body;
mod events;
mod fallback;
mod messages;
mod price;
mod provider;
mod providers;
mod reading;
mod refusal;
mod window;
mod wire;

pub use endpoint::http_client;
pub use fallback::Fallbacks;
pub use provider::{DEFAULT_OPENAI_MODEL, Endpoint, Selection};
pub use providers::{OwnServer, own_servers};
pub(crate) use refusal::retry_after;
pub use window::LEAST_CONTEXT;

use alfred_core::ConfigError;
use alfred_core::config::ALFRED_MODEL;
use alfred_core::ports::{Clock, Model, SystemClock};
use endpoint::ChatCompletions;
use std::sync::Arc;

/// The model that the settings name: `ALFRED_MODEL`, `ALFRED_MODEL_URL`,
/// `OPENAI_BASE_URL` and the providers' keys.
/// A rustls provider must be installed before.
///
/// # Errors
/// `Invalid` when the settings name none or contradict each other, with what to set.
pub fn from_settings(
    lookup: impl Fn(&str) -> Option<String>,
    clock: Arc<dyn Clock>,
) -> Result<Arc<dyn Model>, ConfigError> {
    match Selection::read(lookup)? {
        Selection::Demo => Err(ConfigError::Invalid {
            name: ALFRED_MODEL,
            reason: "names no model, and the demo model answers on one machine only; set provider:model, such as openai:gpt-5.2, and its key".into(),
        }),
        Selection::Endpoints(endpoints) => from_endpoints(endpoints, clock),
    }
}

/// How many tokens an endpoint's model takes at once, prompt and answer together: as it is set, else as
/// the endpoint tells now. Nothing is asked of hosted providers. A rustls provider must be installed before.
pub async fn context_of(endpoint: &Endpoint) -> Option<u32> {
    if endpoint.context.is_some() || endpoint.is_hosted() {
        return endpoint.context;
    }
    let client = http_client().ok()?;
    let model = ChatCompletions::new(endpoint.clone(), client, Arc::new(SystemClock));
    let window = async { model.find_window(model.model().await.ok()?).await };
    tokio::time::timeout(window::PATIENCE, window).await.ok()?
}

/// The first of these that answers. A rustls provider must be installed before.
///
/// # Errors
/// `Invalid` when there can be no client.
pub fn from_endpoints(
    endpoints: Vec<Endpoint>,
    clock: Arc<dyn Clock>,
) -> Result<Arc<dyn Model>, ConfigError> {
    Ok(Arc::new(Fallbacks::new(endpoints, http_client()?, clock)))
}
