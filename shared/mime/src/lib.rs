//! Mails as bytes (RFC 5322): what a reader sees of them, and how one is written. Every provider of mail goes
//! through here, so that a mail reads the same wherever it lies.

pub mod clean;

mod compose;
mod html;
mod parse;

pub use compose::{Draft, Itip, ascii_domain, digest};
pub use parse::{Raw, TEXT, message_id};
