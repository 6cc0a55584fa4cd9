//! What every function shares: telemetry, SQS batch runner, deadlines.

mod batch;
mod deadline;
mod message;
#[cfg(feature = "handlers")]
mod metered;
pub mod metrics;
pub mod telemetry;
#[cfg(feature = "handlers")]
mod wiring;

pub use aws_lambda_events::event::sqs::{SqsBatchResponse, SqsEvent};
pub use batch::{BatchRunner, Delivery};
pub use deadline::Deadline;
pub use message::{Inbound, Message};
pub use metrics::{Metric, Metrics, Outcome};
#[cfg(feature = "handlers")]
pub use wiring::{Outside, WireError, Wired, wire};
