//! What every function shares: telemetry, SQS batch runner, deadlines.

#[cfg(feature = "accounts")]
mod accounts;
mod batch;
mod deadline;
mod message;
#[cfg(feature = "handlers")]
mod metered;
pub mod metrics;
#[cfg(feature = "handlers")]
mod models;
pub mod telemetry;
#[cfg(feature = "handlers")]
mod wiring;

#[cfg(feature = "accounts")]
pub use accounts::{consents, slack};
pub use alfred_core::config::variable;
pub use aws_lambda_events::event::sqs::{SqsBatchResponse, SqsEvent};
pub use batch::{BatchRunner, Delivery, LastResort};
pub use message::{Inbound, Message};
pub use metrics::{Metric, Metrics, Outcome};
#[cfg(feature = "handlers")]
pub use wiring::Function;

/// What every main does first: logs, and the one TLS provider.
pub fn start() {
    telemetry::init();
    // Fails only if another provider was installed before, and there is no other.
    drop(rustls::crypto::ring::default_provider().install_default());
}
