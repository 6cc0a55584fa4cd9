//! Ports on an emulator of AWS, and Bedrock's stream.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a panic is a failed assertion"
)]

mod aws;
mod bedrock;
