//! What runs by itself, through the sweep, on a clock that the test sets.

#![allow(clippy::unwrap_used, reason = "a panic is a failed assertion")]

mod meetings;
mod office;
mod rules;
mod year;
