#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a panic is a failed assertion"
)]

mod binaries;
mod budgets;
mod cloudformation;
mod documents;
mod events;
mod iam;
mod in_memory;
mod lambdas;
mod layering;
mod local;
mod modules;
mod sample;
mod schedules;
mod secrets;
mod simulation;
mod template;
