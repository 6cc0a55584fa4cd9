//! The Slack client against the strict local Slack, through real HTTP: every
//! method, every class of outcome.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "helpers of tests: a panic is a failed assertion"
)]

mod changing;
mod channels;
mod files;
mod outcomes;
mod pace;
mod pictures;
mod reading;
mod workspace;
mod world;
