//! Whole days that are planned.

#![allow(clippy::unwrap_used, reason = "a panic is a failed assertion")]

mod days;
mod golden;
mod properties;
