//! The local process from outside: the binary `alfred` as a user has it, and
//! what is left of its work after SIGKILL.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a panic is a failed assertion"
)]

mod audit;
mod commands;
mod damaged;
mod demo;
mod kills;
mod model;
mod people;
mod process;
mod scene;
mod stories;
mod tools;
mod unreadable;
