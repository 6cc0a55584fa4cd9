#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a panic is a failed assertion"
)]

mod conformance;
mod consume;
mod damage;
mod files;
mod folders;
mod forget;
mod kill;
mod model;
mod queue;
mod sweep;
mod vault;
