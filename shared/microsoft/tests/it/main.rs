//! Clients of Microsoft accounts against their stand-in, over HTTP.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a panic is a failed assertion"
)]

mod microsoft;
