//! Cases on SQLite and on an emulator of AWS.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a panic is a failed assertion"
)]

mod dead_letters;
mod forget;
mod kinds;
mod person;
mod sides;
mod stack;
