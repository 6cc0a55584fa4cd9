//! Verifies, parses and enqueues Slack's requests, on Lambda or the local server. Slack gets 200 only after
//! the event is durable.

mod commands;
mod events;
mod function_url;
mod incoming;
mod interactivity;
mod mentions;
mod receiver;
mod request;
mod shortcuts;
mod verify;
mod views;

pub use function_url::{FunctionUrlReply, FunctionUrlRequest};
pub use receiver::{MAX_BODY_BYTES, Receiver};
pub use request::{RawRequest, Reply};
pub use verify::{SignatureError, SigningSecrets, WINDOW_SECONDS};
