//! Language models: any OpenAI-compatible endpoint, an ordered list of them,
//! and the demo model for when there is none.
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

pub mod demo;

mod answer;
mod endpoint;
mod events;
mod fallback;
mod price;
mod provider;
mod refusal;
mod wire;

pub use demo::DemoModel;
pub use endpoint::http_client;
pub use fallback::Fallbacks;
pub use provider::{DEFAULT_OPENAI_MODEL, Endpoint, Selection};

use alfred_core::ConfigError;
use alfred_core::ports::{Clock, Model};
use std::sync::Arc;

/// The model that the settings name: `ALFRED_MODEL`, `ALFRED_MODEL_URL`,
/// `OPENAI_BASE_URL` and the providers' keys, or the demo model when none of them is set.
/// A rustls provider must be installed before.
///
/// # Errors
/// `Invalid` when the settings contradict each other, with what to set.
pub fn from_settings(
    lookup: impl Fn(&str) -> Option<String>,
    clock: Arc<dyn Clock>,
) -> Result<Arc<dyn Model>, ConfigError> {
    match Selection::read(lookup)? {
        Selection::Demo => Ok(Arc::new(DemoModel::new())),
        Selection::Endpoints(endpoints) => {
            Ok(Arc::new(Fallbacks::new(endpoints, http_client()?, clock)))
        }
    }
}
