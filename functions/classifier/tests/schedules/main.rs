#![allow(clippy::unwrap_used, reason = "a panic is a failed assertion")]

mod meetings;
mod office;
mod rules;
mod year;
