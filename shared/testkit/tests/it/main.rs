//! The stand-ins of ports pass the conformance suites.

#![allow(clippy::unwrap_used, reason = "a panic is a failed assertion")]

mod accounts;
mod chat;
mod memory;
