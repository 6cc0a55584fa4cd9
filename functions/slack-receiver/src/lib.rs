//! Verifies, parses, enqueues, answers 200.
//!
//! The same handler serves a Lambda Function URL and the process on one
//! machine: it takes the raw request and gives the answer. Nothing here reads a
//! table or asks a model, and Slack hears "200" only once the event is durable.

mod commands;
mod events;
mod function_url;
mod incoming;
mod interactivity;
mod mentions;
mod receiver;
mod request;
mod verify;
mod views;

pub use function_url::{FunctionUrlReply, FunctionUrlRequest};
pub use receiver::{MAX_BODY_BYTES, Receiver};
pub use request::{RawRequest, Reply};
pub use verify::{SignatureError, SigningSecrets, WINDOW_SECONDS};
