#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a panic is a failed assertion"
)]

mod any_input;
mod common;
mod events;
mod interactivity;
mod payloads;
mod shortcuts;
