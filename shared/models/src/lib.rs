//! Language models: Anthropic's and OpenAI's own endpoints, OpenAI-compatible ones, hosted ones, and an
//! ordered list of them. Each wire form has its own folder.

mod anthropic;
mod attempt;
mod chat;
mod client;
mod connection;
mod error_body;
mod events;
mod fallback;
mod named;
mod price;
mod provider;
mod providers;
mod reading;
mod refusal;
mod responses;
mod variant;
mod window;

pub use fallback::Fallbacks;
pub use named::{Open, WithOthers};
pub use price::cost_of;
pub use provider::{Endpoint, Selection, Wire, known_key_variables};
pub use providers::{Provider, own_servers};

use alfred_core::ConfigError;
use alfred_core::config::ALFRED_MODEL;
use alfred_core::ports::{Clock, Model, ModelHost};
use std::sync::Arc;

const NO_MODEL: &str = "names no model, and the demo model answers on one machine only; set provider:model, such as openai:gpt-5.2, and its key";

impl Selection {
    /// The model that is selected. `host` has the platform's models. A rustls provider must be installed before the
    /// first turn. `Invalid` without a model, or with a hosted one that `host` lacks.
    pub fn open(
        self,
        host: Option<&dyn ModelHost>,
        clock: Arc<dyn Clock>,
    ) -> Result<Arc<dyn Model>, ConfigError> {
        let Selection::Endpoints(endpoints) = self else {
            return Err(ConfigError::invalid(ALFRED_MODEL, NO_MODEL));
        };
        Ok(Arc::new(Fallbacks::new(endpoints, host, clock)?))
    }
}
