//! A stack on an emulator of AWS.

#![allow(clippy::unwrap_used, reason = "a panic is a failed assertion")]

mod stack;
