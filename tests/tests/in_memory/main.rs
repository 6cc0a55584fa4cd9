//! Whole flows over ports in memory: from an envelope to the answer, with
//! faults at every call.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a panic is a failed assertion"
)]

mod conversations;
mod crashes;
mod direct;
mod replies;
mod teams;
mod tools;
mod turns;
mod world;
