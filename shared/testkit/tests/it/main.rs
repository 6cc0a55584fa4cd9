//! The stand-ins of ports pass the conformance suites.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a panic is a failed assertion"
)]

mod accounts;
mod chat;
mod memory;
