//! Clients of Google accounts against their stand-in, over HTTP.

#![allow(clippy::unwrap_used, reason = "a panic is a failed assertion")]

mod google;
