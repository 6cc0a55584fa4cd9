//! The stand-in of Slack, over HTTP and its sockets.

#![allow(clippy::unwrap_used, reason = "a panic is a failed assertion")]

mod calls;
mod held;
mod slack_morphism;
mod socket_mode;
mod sockets;
mod support;
