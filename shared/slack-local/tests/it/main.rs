//! The stand-in of Slack, over HTTP.

#![allow(clippy::unwrap_used, reason = "a panic is a failed assertion")]

mod calls;
mod held;
mod slack_morphism;
mod support;
